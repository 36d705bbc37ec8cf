import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A device that takes updates of an account's passes of one pass type, and what is known of the pushes to it. One phone
 * is a device of its own for each pass type and each account.
 */
@Entity('apple_device')
export class AppleDevice {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Our own name for it, see `deviceId`; the same whenever the device comes back. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  passTypeIdentifier!: string;

  /** The device's own name for itself: a secret, as whoever knows it can list the device's passes. */
  @Column({ type: 'text' })
  deviceLibraryIdentifier!: string;

  @Column({ type: 'text' })
  pushToken!: string;

  /** When it last registered for any pass. */
  @Column({ type: 'timestamptz', precision: 3 })
  registeredAt!: Date;

  /** When it last asked what has changed. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  listedAt!: Date | null;

  /** When it is looked at next, as planned with its last push; devices of a newer change are in `apple_push_page` alone. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** The number of its last push, of the sequence that changes have theirs from: it knows of all with lower ones. */
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

  /** Pushes since it was last up to date. */
  @Column({ type: 'integer', default: 0 })
  pushAttempts!: number;

  @Column({ type: 'real', default: 0 })
  pushScore!: number;

  /** Failed pushes in a row. */
  @Column({ type: 'integer', default: 0 })
  pushFailures!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  pushNotBefore!: Date | null;

  /** How often its push token was refused; a new token counts from zero. */
  @Column({ type: 'integer', default: 0 })
  badTokens!: number;
}
