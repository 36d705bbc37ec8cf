import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';

export const memberStatuses = ['pending', 'active', 'suspended', 'expired', 'cancelled'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

/** Somebody who is, was or will be a member. The pass follows: valid while the member is active, void otherwise. */
@Entity('member')
export class Member {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** 1, 2, 3 … in the account, without gaps. */
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  /** Of the member's pass: the template that the settings named when the member was created. */
  @Column({ type: 'text' })
  templateId!: string;

  @Column({ type: 'text' })
  passId!: string;

  /** As it was given; unique in the account in lower case. */
  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'text' })
  name!: string;

  /** As it is stored: one whose expiry has passed reads as expired from that moment on, see `statusAt`. */
  @Column({ type: 'text' })
  status!: MemberStatus;

  @Column({ type: 'jsonb' })
  data!: Record<string, unknown>;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** `{ [key]: ISO date }`, of the present term. */
  @Column({ type: 'jsonb' })
  remindersSent!: Record<string, string>;

  /** Reminders up to then are done with: sent, or too late to be of use. */
  @Column({ type: 'timestamptz', precision: 3 })
  remindedUntil!: Date;

  /** When there is something to do by itself: the next reminder, or the expiry. Null: nothing. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** Not before then, as it could not be done when it was due: for the queries of what is due alone. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, select: false })
  retryAt?: Date | null;

  /** Counts all changes. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  /** E-mail, name and data, encrypted; null while they are in clear. Only between the database and `MemberEncryptionService`. */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The salt that the key of the record is derived from; kept apart from `personal`. */
  @VirtualColumn({
    type: 'bytea',
    query: (member) =>
      `SELECT salt FROM encryption_key WHERE account_id = ${member}.account_id AND id = 'member:' || ${member}.id`,
  })
  salt?: Buffer | null;

  /** Words of name and e-mail in clear, for the list's `q`: written by the repository, never read. */
  @Column({ type: 'tsvector', select: false })
  search!: string;
}
