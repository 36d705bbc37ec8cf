import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A log line that a device sent about a pass. It is untrusted text. The newest 50 lines of a pass are stored, for 30
 * days.
 */
@Entity('apple_log_line', { synchronize: false })
export class AppleLogLine {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'serial_number', type: 'text' })
  serialNumber!: string;

  /** Grows in the order in which lines were received. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** At most 1,000 characters, without control characters. */
  @Column({ type: 'text' })
  line!: string;

  @Column({ name: 'received_at', type: 'timestamptz', precision: 3 })
  receivedAt!: Date;
}
