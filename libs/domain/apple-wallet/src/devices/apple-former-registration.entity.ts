import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The reason why a device no longer receives updates of a pass: the device unregistered, the push service rejected it
 * or its token, it was silent for too long, or the pass had too many devices.
 */
export type LeaveReason = 'unregistered' | 'gone' | 'bad_token' | 'silent' | 'device_limit';

/** A record of a device that no longer receives updates of a pass. It is kept for 90 days. */
@Entity('apple_former_registration', { synchronize: false })
export class AppleFormerRegistration {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'serial_number', type: 'text' })
  serialNumber!: string;

  @PrimaryColumn({ name: 'device_id', type: 'text' })
  deviceId!: string;

  @Column({ type: 'text' })
  reason!: LeaveReason;

  @Column({ name: 'left_at', type: 'timestamptz', precision: 3 })
  leftAt!: Date;
}
