import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UserIdentity } from './user-identity.entity.js';

@Injectable()
export class IdentitiesRepository {
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

  /** Until the transaction ends, beside others who hold the user so: nothing that ends all ways in comes in between. */
  async holdUser(tx: EntityManager, uid: string): Promise<void> {
    await tx.query('SELECT FROM app_user WHERE uid = $1 FOR SHARE', [uid]);
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
