import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountDeletion } from './account-deletion.entity.js';

/** Every query on the table `account_deletion` but those of the look-ups by credential. */
@Injectable()
export class AccountDeletionRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string, reads: EntityManager = this.database.reads): Promise<AccountDeletion | null> {
    return reads.findOneBy(AccountDeletion, { accountId });
  }

  /** Call it under the lock of the account. */
  lock(tx: EntityManager, accountId: string): Promise<AccountDeletion | null> {
    return tx.findOne(AccountDeletion, { where: { accountId }, lock: { mode: 'pessimistic_write' } });
  }

  async save(tx: EntityManager, deletion: AccountDeletion): Promise<void> {
    await tx.save(AccountDeletion, deletion);
  }

  async delete(tx: EntityManager, accountId: string): Promise<void> {
    await tx.delete(AccountDeletion, { accountId });
  }

  /** Accounts whose time has come, the earliest first. @param toldBefore the content was gone by then */
  async listDue(now: Date, toldBefore: Date): Promise<string[]> {
    const rows = await this.database.reads.query<{ account_id: string }[]>(
      `SELECT account_id FROM account_deletion
       WHERE deletes_at <= $1 AND (emptied_at IS NULL OR emptied_at <= $2) ORDER BY deletes_at LIMIT 1000`,
      [now, toldBefore],
    );
    return rows.map(({ account_id }) => account_id);
  }

  /** The account's own row keeps nothing that people have chosen. */
  async anonymize(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query(`UPDATE account SET name = '', industry = NULL, founder = NULL WHERE id = $1`, [accountId]);
  }

  async deleteAccount(tx: EntityManager, accountId: string): Promise<void> {
    await tx.delete(AccountDeletion, { accountId });
    await tx.query('DELETE FROM account WHERE id = $1', [accountId]);
  }

  /**
   * Takes users out of the account, with their sessions in it. Who is in no other account goes too, with codes and
   * identities. @returns how many were in it
   */
  async deleteMembers(tx: EntityManager, accountId: string, limit: number): Promise<number> {
    const members = await tx.query<{ uid: string }[]>(
      `SELECT u.uid FROM app_user u
       WHERE u.uid IN (SELECT uid FROM account_member WHERE account_id = $1 ORDER BY uid LIMIT $2)
       ORDER BY u.uid FOR UPDATE`,
      [accountId, limit],
    );
    const uids = members.map(({ uid }) => uid);
    await tx.query('DELETE FROM account_member WHERE account_id = $1 AND uid = ANY($2::text[])', [accountId, uids]);
    await tx.query(
      `DELETE FROM app_user u WHERE uid = ANY($1::text[])
         AND NOT EXISTS (SELECT FROM account_member m WHERE m.uid = u.uid)`,
      [uids],
    );
    return uids.length;
  }
}
