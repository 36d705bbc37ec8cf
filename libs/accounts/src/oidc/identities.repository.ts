import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { UserIdentity } from './user-identity.entity.js';

@Injectable()
export class IdentitiesRepository {
  constructor(private readonly database: Database) {}

  /** A look-up by credential. */
  async findUid(tx: EntityManager, { issuer, subject }: Pick<UserIdentity, 'issuer' | 'subject'>) {
    return (await tx.findOneBy(UserIdentity, { issuer, subject }))?.uid ?? null;
  }

  /** Lets one transaction after the other look for an identity and link it. */
  async lock(tx: EntityManager, { issuer, subject }: Pick<UserIdentity, 'issuer' | 'subject'>): Promise<void> {
    const key = JSON.stringify([issuer, subject]);
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('identity/' || $1, 4172839))`, [key]);
  }

  async insert(tx: EntityManager, identity: UserIdentity): Promise<void> {
    await tx.insert(UserIdentity, identity);
  }

  /** The user with the e-mail, whatever its letters, held until the transaction ends. */
  async findUserByEmail(tx: EntityManager, email: string): Promise<string | null> {
    const [row] = await tx.query<{ uid: string }[]>(
      `SELECT uid FROM app_user WHERE lower(email) = lower($1) FOR NO KEY UPDATE`,
      [email],
    );
    return row?.uid ?? null;
  }

  /** Takes away every way in that the user had: password, sessions, and codes on their way to whatever address. */
  async endOtherWaysIn(tx: EntityManager, uid: string): Promise<void> {
    await tx.query(`UPDATE app_user SET password_hash = NULL WHERE uid = $1`, [uid]);
    await tx.query(`DELETE FROM session WHERE uid = $1`, [uid]);
    await tx.query(`DELETE FROM user_code WHERE uid = $1`, [uid]);
  }

  /** The account asked for where the user is in it, else the one they have been in longest; null when in none. */
  async findAccount(tx: EntityManager, uid: string, asked: string | null): Promise<string | null> {
    const [row] = await tx.query<{ accountId: string }[]>(
      `SELECT account_id AS "accountId" FROM account_member WHERE uid = $1
       ORDER BY coalesce(account_id = $2, false) DESC, created_at, account_id LIMIT 1`,
      [uid, asked],
    );
    return row?.accountId ?? null;
  }
}
