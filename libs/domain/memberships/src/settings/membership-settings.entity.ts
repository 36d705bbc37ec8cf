import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One reminder before a membership ends. */
export interface Reminder {
  /** Names it in `remindersSent`. */
  readonly key: string;
  /** Calendar days before the expiry, at the same time of day in the settings' time zone; 1 to 365. */
  readonly daysBefore: number;
}

/** How an account's memberships work. */
@Entity('membership_settings')
export class MembershipSettings {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** New members' passes are made from it. */
  @Column({ type: 'text' })
  templateId!: string;

  @Column({ type: 'jsonb' })
  reminders!: Reminder[];

  /** IANA name: in which zone days are counted, and dates written. */
  @Column({ type: 'text' })
  timeZone!: string;

  /** Since when reminders and zone are these: what they would have sent before is not sent late. */
  @Column({ type: 'timestamptz', precision: 3 })
  remindersSince!: Date;

  /** Label of the front field `membership` that says until when the membership lasts; null: no such field. */
  @Column({ type: 'text', nullable: true })
  noticeLabel!: string | null;

  /** The id of the member that was created last. */
  @Column({ type: 'integer' })
  lastMemberId!: number;

  /** Counts all changes. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
