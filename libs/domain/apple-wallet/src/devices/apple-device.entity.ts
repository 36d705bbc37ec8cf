import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A device that receives updates of passes, and the state of its pushes. A phone is a separate device for each account
 * and pass type.
 */
@Entity('apple_device', { synchronize: false })
export class AppleDevice {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The service's id for the device, see `deviceId`. It stays the same if the device registers again. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'pass_type_identifier', type: 'text' })
  passTypeIdentifier!: string;

  /** The identifier that the device chose. It is a secret, because anyone who knows it can list the device's passes. */
  @Column({ name: 'device_library_identifier', type: 'text' })
  deviceLibraryIdentifier!: string;

  /** The token for Apple's push service, or `noPushToken`. */
  @Column({ name: 'push_token', type: 'text' })
  pushToken!: string;

  /** When the device last registered for any pass. */
  @Column({ name: 'registered_at', type: 'timestamptz', precision: 3 })
  registeredAt!: Date;

  /** When the device last requested its changed passes. */
  @Column({ name: 'listed_at', type: 'timestamptz', precision: 3, nullable: true })
  listedAt!: Date | null;

  /**
   * When the push sender will check the device next. Each push sets this time. Later changes of a pass do not: they add
   * the device to `apple_push_page`.
   */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /**
   * The number of the last push. Pushes and changes share one sequence, and a push covers all changes with lower
   * numbers.
   */
  @Column({ name: 'push_number', type: 'bigint', default: 0 })
  pushNumber!: string;

  @Column({ name: 'pushed_at', type: 'timestamptz', precision: 3, nullable: true })
  pushedAt!: Date | null;

  @Column({ name: 'push_id', type: 'text', nullable: true })
  pushId!: string | null;

  @Column({ name: 'push_status', type: 'integer', nullable: true })
  pushStatus!: number | null;

  @Column({ name: 'push_reason', type: 'text', nullable: true })
  pushReason!: string | null;

  /** Number of pushes since the device was last up to date. */
  @Column({ name: 'push_attempts', type: 'integer', default: 0 })
  pushAttempts!: number;

  @Column({ name: 'push_score', type: 'real', default: 0 })
  pushScore!: number;

  /** Number of consecutive failed pushes. */
  @Column({ name: 'push_failures', type: 'integer', default: 0 })
  pushFailures!: number;

  @Column({ name: 'push_not_before', type: 'timestamptz', precision: 3, nullable: true })
  pushNotBefore!: Date | null;

  /** How often the push service rejected the push token. A new token resets the count. */
  @Column({ name: 'bad_tokens', type: 'integer', default: 0 })
  badTokens!: number;
}
