import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When an account sends no messages. */
@Entity('message_settings')
export class MessageSettings {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** The IANA name of the time zone of the quiet hours. */
  @Column({ type: 'text' })
  timeZone!: string;

  /** A local time, `22:00`; null without quiet hours. */
  @Column({ type: 'text', nullable: true })
  quietFrom!: string | null;

  /** A local time, on the next day if it is not later than `quietFrom`; null without quiet hours. */
  @Column({ type: 'text', nullable: true })
  quietUntil!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
