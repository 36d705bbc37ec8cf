import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One reminder before a membership ends. */
export interface Reminder {
  /** The key of the reminder in `remindersSent`. */
  readonly key: string;
  /** Calendar days before the expiry, at the same time of day in the settings' time zone; 1 to 365. */
  readonly daysBefore: number;
}

/** The membership settings of an account. */
@Entity('membership_settings', { synchronize: false })
export class MembershipSettings {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The template for passes of new members. */
  @Column({ name: 'template_id', type: 'text' })
  templateId!: string;

  @Column({ type: 'jsonb' })
  reminders!: Reminder[];

  /** The IANA name of the time zone for counting days and writing dates. */
  @Column({ name: 'time_zone', type: 'text' })
  timeZone!: string;

  /**
   * The time of the last change of the reminders or the time zone. Reminders that were due before this time are not
   * sent late.
   */
  @Column({ name: 'reminders_since', type: 'timestamptz', precision: 3 })
  remindersSince!: Date;

  /** The label of the front field `membership`, which shows when the membership ends; null for no field. */
  @Column({ name: 'notice_label', type: 'text', nullable: true })
  noticeLabel!: string | null;

  /** The id of the newest member. */
  @Column({ name: 'last_member_id', type: 'integer' })
  lastMemberId!: number;

  /** Increments with each change. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
