import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountDeletion } from './account-deletion.entity.js';

/** All queries on the table `account_deletion`, except those that look up a credential. */
@Injectable()
export class AccountDeletionRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string, reads: EntityManager = this.database.reads): Promise<AccountDeletion | null> {
    return reads.findOneBy(AccountDeletion, { accountId });
  }

  /** Locks the row of the deletion. The caller must hold the lock on the account. */
  lock(tx: EntityManager, accountId: string): Promise<AccountDeletion | null> {
    return tx.findOne(AccountDeletion, { where: { accountId }, lock: { mode: 'pessimistic_write' } });
  }

  async save(tx: EntityManager, deletion: AccountDeletion): Promise<void> {
    await tx.save(AccountDeletion, deletion);
  }

  async delete(tx: EntityManager, accountId: string): Promise<void> {
    await tx.delete(AccountDeletion, { accountId });
  }

  /**
   * Lists accounts that are due for deletion, earliest first.
   * @param notifiedBefore omits accounts whose content was deleted after this time, because wallets still request their
   * rows
   */
  async listDue(now: Date, notifiedBefore: Date): Promise<string[]> {
    const rows = await this.database.reads.query<{ account_id: string }[]>(
      `SELECT account_id FROM account_deletion
       WHERE deletes_at <= $1 AND (emptied_at IS NULL OR emptied_at <= $2) ORDER BY deletes_at LIMIT 1000`,
      [now, notifiedBefore],
    );
    return rows.map(({ account_id }) => account_id);
  }

  /** Clears the name, the industry and the founder in the account's row. */
  async anonymize(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query(`UPDATE account SET name = '', industry = NULL, founder = NULL WHERE id = $1`, [accountId]);
  }

  async deleteAccount(tx: EntityManager, accountId: string): Promise<void> {
    await tx.delete(AccountDeletion, { accountId });
    await tx.query('DELETE FROM account WHERE id = $1', [accountId]);
  }

  /**
   * Removes users from the account and ends their sessions in it. Deletes users who are in no other account, with their
   * codes and identities.
   * @returns the number of users that it found. A second run of the deletion may remove some of them meanwhile
   */
  async deleteMembers(tx: EntityManager, accountId: string, limit: number): Promise<number> {
    const members = await tx.query<{ uid: string }[]>(
      'SELECT uid FROM account_member WHERE account_id = $1 ORDER BY uid LIMIT $2',
      [accountId, limit],
    );
    const uids = members.map(({ uid }) => uid);
    await lockUsers(tx, uids);
    await tx.query('DELETE FROM account_member WHERE account_id = $1 AND uid = ANY($2::text[])', [accountId, uids]);
    await this.deleteUsers(tx, uids);
    return uids.length;
  }

  /**
   * Deletes users who have left the account, or were removed, and are in no account now. Only the audit trail of the
   * account names them. @param after the last uid of the previous call. @returns the last uid; null if no users are left
   */
  async deleteFormerMembers(
    tx: EntityManager,
    accountId: string,
    after: string,
    limit: number,
  ): Promise<string | null> {
    const former = await tx.query<{ uid: string }[]>(
      `SELECT DISTINCT target_id AS uid FROM audit_event
       WHERE account_id = $1 AND action = 'user.removed' AND target_id > $2 ORDER BY uid LIMIT $3`,
      [accountId, after, limit],
    );
    const uids = former.map(({ uid }) => uid);
    await lockUsers(tx, uids);
    await this.deleteUsers(tx, uids);
    return uids.length === limit ? (uids.at(-1) ?? null) : null;
  }

  /** Deletes those of the users who are in no account. The caller has locked them. */
  private async deleteUsers(tx: EntityManager, uids: readonly string[]): Promise<void> {
    if (this.database.isDistributed) await this.deleteUsersOnCitus(tx, uids);
    else await tx.query(deleteUsersSql, [uids]);
  }

  /**
   * Deletes the users who are in no other account. Selects them in a separate query, because Citus rejects a DELETE on
   * users that also reads tables of accounts.
   */
  private async deleteUsersOnCitus(tx: EntityManager, uids: readonly string[]): Promise<void> {
    const sql = 'SELECT uid FROM account_member WHERE uid = ANY($1::text[])';
    const staying = new Set((await tx.query<{ uid: string }[]>(sql, [uids])).map(({ uid }) => uid));
    const leaving = uids.filter((uid) => !staying.has(uid));
    await tx.query('DELETE FROM app_user WHERE uid = ANY($1::text[])', [leaving]);
  }
}

async function lockUsers(tx: EntityManager, uids: readonly string[]): Promise<void> {
  await tx.query('SELECT FROM app_user WHERE uid = ANY($1::text[]) ORDER BY uid FOR UPDATE', [uids]);
}

const deleteUsersSql = `
  DELETE FROM app_user u WHERE uid = ANY($1::text[]) AND NOT EXISTS (SELECT FROM account_member m WHERE m.uid = u.uid)`;
