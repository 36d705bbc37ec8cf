import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { existing } from './user-credentials.repository.js';
import { UserEncryption } from './user-encryption.service.js';
import { User } from './user.entity.js';

/** An account that a user is in. */
export interface AccountOfUser {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly test: boolean;
}

/** Reads users and the accounts they are in. */
@Injectable()
export class UserAccountsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /** Returns a user. @throws UserDeleted */
  async get(uid: string): Promise<User> {
    return this.encryption.open(existing(await this.database.reads.findOneBy(User, { uid })));
  }

  /** Returns the user and locks them until `tx` ends. @throws UserDeleted */
  async getForUpdate(tx: EntityManager, uid: string): Promise<User> {
    const locked = await tx.findOne(User, { where: { uid }, lock: { mode: 'for_no_key_update' } });
    return this.encryption.open(existing(locked), tx);
  }

  /** Lists the accounts of a user, in the order in which the user joined them. */
  listAccounts(uid: string, reads: EntityManager = this.database.reads): Promise<AccountOfUser[]> {
    return reads.query(
      `SELECT a.id, a.name, m.is_admin AS "isAdmin", a.is_test AS test
       FROM account_member m JOIN account a ON a.id = m.account_id
       WHERE m.uid = $1 ORDER BY m.created_at, m.account_id`,
      [uid],
    );
  }

  /**
   * Returns true if the user is in an account.
   * @param tx a transaction that has locked the user
   */
  async isInAccount(uid: string, tx: EntityManager = this.database.reads): Promise<boolean> {
    const rows = await tx.query<unknown[]>('SELECT FROM account_member WHERE uid = $1 LIMIT 1', [uid]);
    return rows.length > 0;
  }
}
