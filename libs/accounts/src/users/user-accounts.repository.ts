import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { User } from './user.entity.js';

/** An account as a user in it sees it. */
export interface AccountOfUser {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** Somebody who is known by an e-mail. */
export interface KnownUser {
  readonly uid: string;
  readonly isInAccount: boolean;
}

const knownByEmail = `
  SELECT u.uid, EXISTS (SELECT FROM account_member m WHERE m.uid = u.uid) AS "isInAccount" FROM app_user u
  WHERE lower(u.email) = lower($1)`;

/** Users and the accounts they are in. */
@Injectable()
export class UserAccountsRepository {
  constructor(private readonly database: Database) {}

  /** @throws Error when there is none: users are named by credentials */
  get(uid: string): Promise<User> {
    return this.database.reads.findOneByOrFail(User, { uid });
  }

  /** Held until the transaction ends. @throws Error as `get` */
  getForUpdate(tx: EntityManager, uid: string): Promise<User> {
    return tx.findOneOrFail(User, { where: { uid }, lock: { mode: 'for_no_key_update' } });
  }

  /** The one the user has been in longest first. */
  listAccounts(uid: string): Promise<AccountOfUser[]> {
    return this.database.reads.query(
      `SELECT a.id, a.name, m.is_admin AS "isAdmin" FROM account_member m JOIN account a ON a.id = m.account_id
       WHERE m.uid = $1 ORDER BY m.created_at, m.account_id`,
      [uid],
    );
  }

  async findKnown(email: string): Promise<KnownUser | null> {
    const [row] = await this.database.reads.query<KnownUser[]>(knownByEmail, [email]);
    return row ?? null;
  }

  /** Held until the transaction ends, so that of simultaneous acceptances one finds them in no account. */
  async findKnownForUpdate(tx: EntityManager, email: string): Promise<KnownUser | null> {
    await tx.query('SELECT FROM app_user WHERE lower(email) = lower($1) FOR NO KEY UPDATE', [email]);
    const [row] = await tx.query<KnownUser[]>(knownByEmail, [email]);
    return row ?? null;
  }

  async update(tx: EntityManager, uid: string, changes: Partial<Pick<User, 'name' | 'passwordHash'>>): Promise<void> {
    await tx.update(User, { uid }, changes);
  }
}
