import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A device that takes updates of a pass, also of a deleted one. */
@Entity('apple_registration')
export class AppleRegistration {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  deviceId!: string;

  @PrimaryColumn({ type: 'text' })
  serialNumber!: string;

  @Column({ type: 'text' })
  templateId!: string;

  /** Moves whenever the device registers again. */
  @Column({ type: 'timestamptz', precision: 3 })
  registeredAt!: Date;

  /** The version of the pass that the device holds, as far as is known; never goes back. */
  @Column({ type: 'timestamptz', precision: 3 })
  seenAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  fetchedAt!: Date | null;

  /** 200, or 304 where it had the current version already. */
  @Column({ type: 'integer', nullable: true })
  fetchedStatus!: number | null;
}
