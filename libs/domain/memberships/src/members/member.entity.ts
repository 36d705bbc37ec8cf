import { recordSaltSql } from '@passwright/accounts';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';

export const memberStatuses = ['pending', 'active', 'suspended', 'expired', 'cancelled'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

/** A present, past or future member. Its pass is valid while the member is active, and void otherwise. */
@Entity('member', { synchronize: false })
export class Member {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The number of the member in the account: 1, 2, 3 … without gaps. */
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  /** The template of the member's pass. It was the template in the settings when the member was created. */
  @Column({ name: 'template_id', type: 'text' })
  templateId!: string;

  @Column({ name: 'pass_id', type: 'text' })
  passId!: string;

  /** The address as given. Its lower-case form is unique in the account. */
  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'text' })
  name!: string;

  /** The stored status. A member whose expiry has passed counts as expired immediately, see `statusAt`. */
  @Column({ type: 'text' })
  status!: MemberStatus;

  @Column({ type: 'jsonb' })
  data!: Record<string, unknown>;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** The reminders of the current term: `{ [key]: ISO date }`. */
  @Column({ name: 'reminders_sent', type: 'jsonb' })
  remindersSent!: Record<string, string>;

  /** Reminders due up to this time are not sent any more: they were sent, or are too late to be useful. */
  @Column({ name: 'reminded_until', type: 'timestamptz', precision: 3 })
  remindedUntil!: Date;

  /** The time of the member's next reminder or of the expiry. Null if nothing is due in the future. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** The earliest time of the next attempt after a failed one. Only the queries for due members use it. */
  @Column({ name: 'retry_at', type: 'timestamptz', precision: 3, nullable: true, select: false })
  retryAt?: Date | null;

  /** Increments with each change. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  /**
   * E-mail, name and data, encrypted; null while they are unencrypted. Only `MemberEncryptionService` and the database
   * use it.
   */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The salt of the record's key; stored apart from `personal`. */
  @VirtualColumn({
    type: 'bytea',
    query: (member) => recordSaltSql(`${member}.account_id`, `'member:' || ${member}.id`),
  })
  salt?: Buffer | null;

  /**
   * Words of an unencrypted name and e-mail, for the search `q` of lists. The repository writes this column, and only
   * SQL conditions read it.
   */
  @Column({ type: 'tsvector', select: false })
  search!: string;
}
