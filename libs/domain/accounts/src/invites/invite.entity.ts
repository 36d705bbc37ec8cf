import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { recordSaltSql } from '../personal-data/record-key-sql.js';

/** How an invitation ended before it expired. */
export type InviteEnd = 'accepted' | 'replaced' | 'revoked';

/** A single-use invitation of an e-mail address to an account. Its code is derived and not stored. */
@Entity('invite', { synchronize: false })
export class Invite {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** 22 base62 characters. The API calls it `ref`, and the code starts with it. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** The e-mail address as it was entered. */
  @Column({ type: 'text' })
  email!: string;

  /** True if the invited person will be an admin. */
  @Column({ name: 'is_admin', type: 'boolean' })
  isAdmin!: boolean;

  /** A uid, or the id of an API key. */
  @Column({ name: 'invited_by', type: 'text' })
  invitedBy!: string;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Null for an invitation that can be accepted until it expires. */
  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt!: Date | null;

  @Column({ name: 'ended_by', type: 'text', nullable: true })
  endedBy!: InviteEnd | null;

  /**
   * The encrypted e-mail; null while the e-mail is unencrypted. Used only between the database and `InviteEncryption`.
   */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The salt of the record's key, read only together with `personal`. */
  @VirtualColumn({ type: 'bytea', query: (invite) => saltSql(invite) })
  salt?: Buffer | null;
}

/** Returns the SQL expression for the salt of an invitation. */
export const saltSql = (invite: string): string => recordSaltSql(`${invite}.account_id`, `'invite:' || ${invite}.id`);
