import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A log line that a device sent about a pass. It is untrusted text. The service keeps the newest 50 lines of a pass for
 * 30 days.
 */
@Entity('apple_log_line', { synchronize: false })
export class AppleLogLine {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'serial_number', type: 'text' })
  serialNumber!: string;

  /** Later lines have greater ids. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** The text: at most 1,000 characters, without control characters. */
  @Column({ type: 'text' })
  line!: string;

  @Column({ name: 'received_at', type: 'timestamptz', precision: 3 })
  receivedAt!: Date;
}
