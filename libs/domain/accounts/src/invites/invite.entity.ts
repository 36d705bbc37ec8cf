import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';

/** How an invitation ended before its time was over. */
export type InviteEnd = 'accepted' | 'replaced' | 'revoked';

/** That an e-mail address may come into an account, once. Its code is derived, so it is not kept. */
@Entity('invite')
export class Invite {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** 22 base62 characters: what the API calls `ref`, and how the code begins. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** As it was given. */
  @Column({ type: 'text' })
  email!: string;

  /** What the invited will be. */
  @Column({ type: 'boolean' })
  isAdmin!: boolean;

  /** A uid, or the id of an API key. */
  @Column({ type: 'text' })
  invitedBy!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Null: it can be used until its time is over. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  endedAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  endedBy!: InviteEnd | null;

  /** The e-mail, encrypted; null while it is in clear. Only between the database and `InviteEncryption`. */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The salt of the record's key; read with `personal` alone. */
  @VirtualColumn({ type: 'bytea', query: (invite) => saltSql(invite) })
  salt?: Buffer | null;
}

/** The salt of an invitation, as an expression. */
export const saltSql = (invite: string): string =>
  `SELECT salt FROM encryption_key WHERE account_id = ${invite}.account_id AND id = 'invite:' || ${invite}.id`;
