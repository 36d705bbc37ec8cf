import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Why a device no longer takes updates of a pass: by its own word, by the push service's, or by its silence. */
export type LeaveReason = 'unregistered' | 'gone' | 'bad_token' | 'silent';

/** A device that took updates of a pass once. Kept for 90 days. */
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
