import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The quiet hours of an account. */
@Entity('message_settings', { synchronize: false })
export class MessageSettings {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The IANA name of the time zone of the quiet hours. */
  @Column({ name: 'time_zone', type: 'text' })
  timeZone!: string;

  /** The local time when quiet hours begin, for example `22:00`; null without quiet hours. */
  @Column({ name: 'quiet_from', type: 'text', nullable: true })
  quietFrom!: string | null;

  /**
   * The local time when quiet hours end; on the next day if it is not later than `quietFrom`. Null without quiet hours.
   */
  @Column({ name: 'quiet_until', type: 'text', nullable: true })
  quietUntil!: string | null;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
