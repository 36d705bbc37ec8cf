import { Injectable } from '@nestjs/common';
import { RateLimited } from '@passwright/core';
import { Database, runWithNext } from '@passwright/database';
import { QueryFailedError, type EntityManager } from 'typeorm';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { type StoredBody, StoredResponseEncryption } from './stored-response-encryption.js';

const HOUR_MS = 60 * 60 * 1000;
const KEPT_MS = 24 * HOUR_MS;
const BATCH = 1000;
/** Ordinary responses count for nothing: counting takes a statement. */
const FREE_BYTES = 4 * 1024;
const LARGE_BYTES_A_DAY = 256 * 2 ** 20;
/** Less than a statement may take. */
const WAIT_MS = 5000;
const LOCK_NOT_AVAILABLE = '55P03';

/** A request as far as idempotency goes. */
export interface RequestIdentity {
  readonly accountId: string;
  /** The key as the caller sent it; never stored. */
  readonly key: string;
  readonly keyHash: Buffer;
  readonly requestHash: Buffer;
}

/** An answer as it is sent again. */
export interface StoredAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A request that was answered under a key. */
export interface AnsweredRequest extends StoredAnswer {
  readonly requestHash: Buffer;
}

type StoredRequest = AnsweredRequest & Pick<StoredBody, 'sealed'>;

const findAnswered = `
  SELECT request_hash AS "requestHash", status_code AS "statusCode", headers, body, sealed FROM idempotency_key
  WHERE account_id = $1 AND key_hash = $2 AND created_at > $3 AND status_code IS NOT NULL`;

const completeSql = `
  UPDATE idempotency_key SET status_code = $3, headers = $4, body = $5, sealed = $6, names = $7
  WHERE account_id = $1 AND key_hash = $2`;

@Injectable()
export class IdempotencyRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: StoredResponseEncryption,
  ) {}

  /** The request that was answered under this key, if that is committed and less than 24 hours ago; waits for nobody. */
  async findAnswered(identity: RequestIdentity, now: Date): Promise<AnsweredRequest | null> {
    const { accountId, keyHash } = identity;
    const [row] = await this.database.lookUp<StoredRequest>('idempotency-key', findAnswered, [
      accountId,
      keyHash,
      expiryOf(now),
    ]);
    return row ? this.opened(identity, row) : null;
  }

  /**
   * Takes the key for this transaction. While another transaction holds it, waits for that one's end, at most `waitMs`:
   * after its commit the key has its answer, after its rollback the key is free. A key older than 24 hours is free.
   * @returns null when this request is the first, else the request that was. @throws RateLimited after `waitMs`
   */
  async claim(
    tx: EntityManager,
    identity: RequestIdentity,
    now: Date,
    waitMs = WAIT_MS,
  ): Promise<AnsweredRequest | null> {
    const { accountId, keyHash, requestHash } = identity;
    await tx.query(`SET LOCAL lock_timeout = ${Math.round(waitMs)}`);
    const claimed = await tx
      .query<unknown[]>(
        `INSERT INTO idempotency_key AS kept (account_id, key_hash, request_hash, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, key_hash) DO UPDATE SET request_hash = excluded.request_hash, status_code = NULL,
           headers = NULL, body = NULL, sealed = NULL, names = NULL, created_at = excluded.created_at WHERE kept.created_at <= $5
         RETURNING true`,
        [accountId, keyHash, requestHash, now, expiryOf(now)],
      )
      .catch(refuseToWaitLonger);
    // The locks of the handler are waited for as they would be without a key.
    await tx.query('SET LOCAL lock_timeout TO DEFAULT');
    if (claimed.length > 0) return null;
    const {
      requestHash: first,
      statusCode,
      headers,
      body,
      sealed,
    } = await tx.findOneByOrFail(IdempotencyKey, {
      accountId,
      keyHash,
    });
    if (statusCode === null) throw new Error('An idempotency key was committed without its answer');
    return this.opened(identity, { requestHash: first, statusCode, headers: headers ?? {}, body, sealed });
  }

  /**
   * Stores the answer that the transaction's commit makes the one for this key.
   * @throws RateLimited when the account's large answers of a day are beyond their budget: nothing is done then
   */
  async complete(tx: EntityManager, { accountId, key, keyHash }: RequestIdentity, answer: StoredAnswer): Promise<void> {
    const { statusCode, headers } = answer;
    const { names, ...body } = this.encryption.seal(accountId, key, answer.body);
    const sizeBytes = Buffer.byteLength(answer.body ?? '') + Buffer.byteLength(names?.join() ?? '');
    if (sizeBytes > FREE_BYTES) await countLarge(tx, accountId, sizeBytes);
    const stored = [statusCode, JSON.stringify(headers), body.body, body.sealed, names && [...names]];
    await runWithNext(tx, completeSql, [accountId, keyHash, ...stored]);
  }

  private opened({ accountId, key }: RequestIdentity, { sealed, ...answer }: StoredRequest): AnsweredRequest {
    return { ...answer, body: this.encryption.open(accountId, key, { body: answer.body, sealed }) };
  }

  /**
   * Deletes the keys that have expired, in batches, so that no lock is held for long; one that another transaction has in
   * hand stays for the next time. An hour late, so that none goes while a request that just found it is reading it.
   */
  async deleteExpired(now: Date): Promise<void> {
    const before = new Date(now.getTime() - KEPT_MS - HOUR_MS);
    let deleted: number;
    do deleted = await this.database.transaction((tx) => deleteBatch(tx, before));
    while (deleted === BATCH);
  }
}

function expiryOf(now: Date): Date {
  return new Date(now.getTime() - KEPT_MS);
}

/** Counts beside the limits of requests; the row is locked until the transaction ends. */
async function countLarge(tx: EntityManager, accountId: string, sizeBytes: number): Promise<void> {
  const [counted] = await tx.query<[{ bytes: number; retryAfter: number }]>(
    `WITH clock AS (SELECT (extract(epoch FROM now()) * 1000)::bigint AS now)
     INSERT INTO rate_limit AS kept (key, points, expire) SELECT $1, $2, now + $3 FROM clock
     ON CONFLICT (key) DO UPDATE SET
       points = excluded.points + CASE WHEN kept.expire > excluded.expire - $3 THEN kept.points ELSE 0 END,
       expire = CASE WHEN kept.expire > excluded.expire - $3 THEN kept.expire ELSE excluded.expire END
     RETURNING points AS bytes, ceil((expire - (SELECT now FROM clock)) / 1000.0)::int AS "retryAfter"`,
    [`stored:${accountId}`, sizeBytes, KEPT_MS],
  );
  if (counted.bytes <= LARGE_BYTES_A_DAY) return;
  throw new RateLimited(
    `Responses of more than 4 KiB under an Idempotency-Key: ${LARGE_BYTES_A_DAY / 2 ** 20} MiB a day for an account. ` +
      'Send the request without the key, or later.',
    counted.retryAfter,
  );
}

async function deleteBatch(tx: EntityManager, before: Date): Promise<number> {
  const [, deleted] = await tx.query<[unknown, number]>(
    `DELETE FROM idempotency_key WHERE (account_id, key_hash) IN
       (SELECT account_id, key_hash FROM idempotency_key WHERE created_at < $1 LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [before],
  );
  return deleted;
}

function refuseToWaitLonger(error: unknown): never {
  const code = error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;
  if (code !== LOCK_NOT_AVAILABLE) throw error;
  throw new RateLimited('The first request with this Idempotency-Key is still running; send this one again later.', 5);
}
