import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The reason why a device no longer takes updates of a pass: the device unregistered, the push service reported it, it
 * was silent for too long, or the pass had too many devices.
 */
export type LeaveReason = 'unregistered' | 'gone' | 'bad_token' | 'silent' | 'device_limit';

/** A device that used to take updates of a pass. Kept for 90 days. */
@Entity('apple_former_registration')
export class AppleFormerRegistration {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  serialNumber!: string;

  @PrimaryColumn({ type: 'text' })
  deviceId!: string;

  @Column({ type: 'text' })
  reason!: LeaveReason;

  @Column({ type: 'timestamptz', precision: 3 })
  leftAt!: Date;
}
