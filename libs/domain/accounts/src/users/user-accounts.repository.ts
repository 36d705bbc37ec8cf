import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { UserEncryption } from './user-encryption.service.js';
import { User } from './user.entity.js';

/** An account as a user in it sees it. */
export interface AccountOfUser {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** Users and the accounts they are in. */
@Injectable()
export class UserAccountsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /** @throws Error when there is none: users are named by credentials */
  async get(uid: string): Promise<User> {
    return this.encryption.open(await this.database.reads.findOneByOrFail(User, { uid }));
  }

  /** Held until the transaction ends. @throws Error as `get` */
  async getForUpdate(tx: EntityManager, uid: string): Promise<User> {
    const locked = await tx.findOneOrFail(User, { where: { uid }, lock: { mode: 'for_no_key_update' } });
    return this.encryption.open(locked, tx);
  }

  /** The one the user has been in longest first. */
  listAccounts(uid: string, reads: EntityManager = this.database.reads): Promise<AccountOfUser[]> {
    return reads.query(
      `SELECT a.id, a.name, m.is_admin AS "isAdmin" FROM account_member m JOIN account a ON a.id = m.account_id
       WHERE m.uid = $1 ORDER BY m.created_at, m.account_id`,
      [uid],
    );
  }

  /** @param tx where the user is locked, so that of simultaneous acceptances one finds them in no account */
  async isInAccount(uid: string, tx: EntityManager = this.database.reads): Promise<boolean> {
    const rows = await tx.query<unknown[]>('SELECT FROM account_member WHERE uid = $1 LIMIT 1', [uid]);
    return rows.length > 0;
  }
}
