import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { lockPlansOfKeySql } from '../agent-plans/agent-plan-locks.js';
import type { ApiKeyParts } from './api-key-format.js';
import { ApiKey } from './api-key.entity.js';

/** The columns against which a presented key is checked. */
export type ApiKeyCredential = Pick<
  ApiKey,
  'accountId' | 'id' | 'secretHash' | 'scopes' | 'tools' | 'supervised' | 'expiresAt' | 'lastUsedAt'
> & {
  /** Null unless the account is being deleted. */
  readonly accountDeletesAt: Date | null;
};

const credentialSql = (account: string, condition: string) => `
  SELECT account_id AS "accountId", id, secret_hash AS "secretHash", scopes, tools,
    supervised, expires_at AS "expiresAt", last_used_at AS "lastUsedAt",
    (SELECT deletes_at FROM account_deletion d WHERE d.account_id = ${account}) AS "accountDeletesAt"
  FROM api_key WHERE ${condition}`;
const findSql = credentialSql('$1', 'account_id = $1 AND id = $2');
const findByIdSql = credentialSql('api_key.account_id', 'id = $1');

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  /** Counts the keys of an account. Until `tx` ends, no other transaction can add a key. */
  async countLocked(tx: EntityManager, accountId: string): Promise<number> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [accountId]);
    return tx.countBy(ApiKey, { accountId });
  }

  async insert(tx: EntityManager, key: ApiKey): Promise<void> {
    await tx.insert(ApiKey, key);
  }

  /**
   * Finds a key in the account that it names, or else by its id alone. Uses a single query, because every request with
   * a key calls it.
   * @param gathers see `Database.lookUp`
   */
  async findCredential(
    { id, accountId }: Omit<ApiKeyParts, 'secret'>,
    gathers: boolean,
  ): Promise<ApiKeyCredential | null> {
    const [row] = accountId
      ? await this.database.lookUp<ApiKeyCredential>('api-key-credential', findSql, [accountId, id], gathers)
      : await this.database.lookUp<ApiKeyCredential>('api-key-without-account', findByIdSql, [id]);
    return row ?? null;
  }

  /** Lists keys, newest first. @param after the last key of the previous page */
  list(accountId: string, limit: number, after: { createdAt: Date; id: string } | null): Promise<ApiKey[]> {
    const query = this.database.reads
      .createQueryBuilder(ApiKey, 'key')
      .where('key.accountId = :accountId', { accountId })
      .orderBy('key.createdAt', 'DESC')
      .addOrderBy('key.id', 'DESC')
      .limit(limit);
    if (after) query.andWhere('(key.createdAt, key.id) < (:createdAt, :id)', after);
    return query.getMany();
  }

  /** Returns the key and locks it until `tx` ends. */
  findForUpdate(tx: EntityManager, accountId: string, id: string): Promise<ApiKey | null> {
    return tx.findOne(ApiKey, { where: { accountId, id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Works like `findForUpdate`, but does not wait for transactions that only prevent the revocation of the key.
   * Otherwise, a key could deadlock with itself when it rotates itself twice at the same time.
   */
  findToRotate(tx: EntityManager, accountId: string, id: string): Promise<ApiKey | null> {
    return tx.findOne(ApiKey, { where: { accountId, id }, lock: { mode: 'for_no_key_update' } });
  }

  async updateSecret(tx: EntityManager, accountId: string, id: string, secretHash: Buffer): Promise<void> {
    await tx.update(ApiKey, { accountId, id }, { secretHash });
  }

  /** Updates the time of the last use, unless it is already later than `staleBefore`. */
  async updateLastUse(tx: EntityManager, key: { accountId: string; id: string }, now: Date, staleBefore: Date) {
    await tx.query(
      `UPDATE api_key SET last_used_at = $3
       WHERE account_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at <= $4)`,
      [key.accountId, key.id, now, staleBefore],
    );
  }

  /** Deletes a locked key with its agents' plans. @returns true if the key existed */
  async delete(tx: EntityManager, accountId: string, id: string): Promise<boolean> {
    await tx.query(lockPlansOfKeySql, [accountId, id]);
    const { affected } = await tx.delete(ApiKey, { accountId, id });
    return affected === 1;
  }
}
