import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A device that takes updates of an account's passes of one pass type, with the state of its pushes. One phone is a
 * separate device for each pass type and account.
 */
@Entity('apple_device')
export class AppleDevice {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** The service's id for the device, see `deviceId`. It stays the same if the device registers again. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  passTypeIdentifier!: string;

  /** The identifier that the device chose. It is a secret, because anyone who knows it can list the device's passes. */
  @Column({ type: 'text' })
  deviceLibraryIdentifier!: string;

  /** The token for Apple's push service, or `noPushToken`. */
  @Column({ type: 'text' })
  pushToken!: string;

  /** When the device last registered for any pass. */
  @Column({ type: 'timestamptz', precision: 3 })
  registeredAt!: Date;

  /** When the device last requested its changed passes. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  listedAt!: Date | null;

  /**
   * When the sender checks the device next, as planned at its last push. After a newer change the device is only in
   * `apple_push_page`.
   */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /**
   * The number of the last push, from the same sequence as the numbers of changes. The push covers all changes with
   * lower numbers.
   */
  @Column({ type: 'bigint', default: 0 })
  pushNumber!: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  pushedAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  pushId!: string | null;

  @Column({ type: 'integer', nullable: true })
  pushStatus!: number | null;

  @Column({ type: 'text', nullable: true })
  pushReason!: string | null;

  /** Pushes since the device was last up to date. */
  @Column({ type: 'integer', default: 0 })
  pushAttempts!: number;

  @Column({ type: 'real', default: 0 })
  pushScore!: number;

  /** Consecutive failed pushes. */
  @Column({ type: 'integer', default: 0 })
  pushFailures!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  pushNotBefore!: Date | null;

  /** How often the push service rejected the push token. A new token resets the count. */
  @Column({ type: 'integer', default: 0 })
  badTokens!: number;
}
