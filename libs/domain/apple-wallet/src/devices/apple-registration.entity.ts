import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A device's registration for updates of a pass, which may be deleted. */
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

  /** Updated whenever the device registers again. */
  @Column({ type: 'timestamptz', precision: 3 })
  registeredAt!: Date;

  /** The time of the pass version that the device is known to hold. It never decreases. */
  @Column({ type: 'timestamptz', precision: 3 })
  seenAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  fetchedAt!: Date | null;

  /** 200, or 304 if the device already had the current version. */
  @Column({ type: 'integer', nullable: true })
  fetchedStatus!: number | null;
}
