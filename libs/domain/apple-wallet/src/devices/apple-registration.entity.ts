import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A device's registration for updates of a pass. The pass may have been deleted. */
@Entity('apple_registration', { synchronize: false })
export class AppleRegistration {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'device_id', type: 'text' })
  deviceId!: string;

  @PrimaryColumn({ name: 'serial_number', type: 'text' })
  serialNumber!: string;

  @Column({ name: 'template_id', type: 'text' })
  templateId!: string;

  /** The time of the last registration. It changes whenever the device registers again. */
  @Column({ name: 'registered_at', type: 'timestamptz', precision: 3 })
  registeredAt!: Date;

  /** The time of the pass version that the device is known to hold. It never decreases. */
  @Column({ name: 'seen_at', type: 'timestamptz', precision: 3 })
  seenAt!: Date;

  @Column({ name: 'fetched_at', type: 'timestamptz', precision: 3, nullable: true })
  fetchedAt!: Date | null;

  /** The status of the last fetch: 200, or 304 if the device already had the current version. */
  @Column({ name: 'fetched_status', type: 'integer', nullable: true })
  fetchedStatus!: number | null;
}
