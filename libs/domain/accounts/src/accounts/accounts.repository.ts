import { Injectable } from '@nestjs/common';
import { Database, isForeignKeyViolation } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountMember } from './account-member.entity.js';
import { Account } from './account.entity.js';
import { UserDeleted } from '../users/users.errors.js';

/**
 * SQL that lists the `id` and `created_at` of all accounts. Other libs use it in statements that need one row per
 * account.
 */
export const everyAccountSql = 'SELECT id, created_at FROM account';

/**
 * SQL condition that the founder is still in the account. Accounts that their founder has left do not count towards the
 * founder's limits.
 */
const founderIsIn = 'EXISTS (SELECT FROM account_member m WHERE m.account_id = a.id AND m.uid = a.founder)';
const isTestSql = 'SELECT is_test FROM account WHERE id = $1';
const founderSql = `SELECT a.founder FROM account a WHERE a.id = $1 AND ${founderIsIn}`;

@Injectable()
export class AccountsRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: EntityManager, account: Account): Promise<void> {
    await tx.insert(Account, account);
  }

  /** @throws UserDeleted if the user has just been deleted */
  async insertMember(tx: EntityManager, member: AccountMember): Promise<void> {
    await tx.insert(AccountMember, member).catch((error: unknown) => {
      throw isForeignKeyViolation(error, 'account_member_uid_fkey', ['uid']) ? new UserDeleted() : error;
    });
  }

  /** Returns an account. @throws Error if the account does not exist, which is a bug */
  get(accountId: string): Promise<Account> {
    return this.database.reads.findOneByOrFail(Account, { id: accountId });
  }

  async exists(tx: EntityManager, accountId: string): Promise<boolean> {
    return (await tx.query<unknown[]>('SELECT FROM account WHERE id = $1', [accountId])).length === 1;
  }

  /** Returns true for a test account; null if the account does not exist. */
  async findIsTest(accountId: string): Promise<boolean | null> {
    const [account] = await this.database.lookUp<{ is_test: boolean }>('account-is-test', isTestSql, [accountId]);
    return account?.is_test ?? null;
  }

  /** Returns the uid of the founder if they are still in the account; otherwise null. */
  async founderOf(accountId: string): Promise<string | null> {
    const [account] = await this.database.lookUp<{ founder: string }>('account-founder', founderSql, [accountId]);
    return account?.founder ?? null;
  }

  /**
   * Counts the accounts that a user has created and is still in. Until `tx` ends, the user cannot create another
   * account.
   */
  async countFounded(tx: EntityManager, founder: string): Promise<number> {
    await tx.query('SELECT FROM app_user WHERE uid = $1 FOR NO KEY UPDATE', [founder]);
    const sql = `SELECT count(*)::int AS count FROM account a WHERE a.founder = $1 AND ${founderIsIn}`;
    const [row] = await tx.query<{ count: number }[]>(sql, [founder]);
    return row?.count ?? 0;
  }

  /** Lists the account and the founder's other accounts, oldest first. Omits accounts that the founder has left. */
  async listOfSameFounder(accountId: string, reads: EntityManager): Promise<string[]> {
    const rows = await reads.query<{ id: string }[]>(
      `SELECT a.id FROM account a WHERE a.id = $1 OR a.founder = (${founderSql}) AND ${founderIsIn}
       ORDER BY a.created_at, a.id`,
      [accountId],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the account and locks it until `tx` ends. */
  getForUpdate(tx: EntityManager, accountId: string): Promise<Account> {
    return tx.findOneOrFail(Account, { where: { id: accountId }, lock: { mode: 'for_no_key_update' } });
  }

  async lock(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  }

  /** Locks the account until `tx` ends, so that no transaction can add a row that refers to it. */
  async lockOutReferences(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
  }

  async update(
    tx: EntityManager,
    accountId: string,
    settings: Partial<Pick<Account, 'name' | 'industry'>>,
  ): Promise<void> {
    await tx.update(Account, { id: accountId }, settings);
  }

  findMember(accountId: string, uid: string): Promise<AccountMember | null> {
    return this.database.reads.findOneBy(AccountMember, { accountId, uid });
  }
}
