import { Injectable } from '@nestjs/common';
import { keyIdSql, MAX_CLOCK_DIFFERENCE_MS, RateLimited } from '@passwright/core';
import { Database, runWithNext } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { type StoredBody, StoredResponseEncryptionService } from './stored-response-encryption.service.js';

const HOUR_MS = 60 * 60 * 1000;
const STORED_MS = 24 * HOUR_MS;
const BATCH = 1000;
const SMALL_BYTES = 4 * 1024;
const LARGE_BYTES_A_DAY = 256 * 2 ** 20;
const SMALL_A_DAY = 1_000_000;
/** The number of small responses that a node counts with one statement. */
const SMALL_AT_ONCE = 250;
const MAX_UNCOUNTED = 10_000;
/** The longest wait for a key. It is shorter than the statement timeout. */
const WAIT_MS = 5000;
const LOCK_NOT_AVAILABLE = '55P03';

/** The parts of a request that identify it for idempotency. */
export interface RequestIdentity {
  readonly accountId: string;
  /** The founder or account whose budget the stored response uses. */
  readonly share: string;
  /** The key as the caller sent it; never stored. */
  readonly key: string;
  readonly keyHash: Buffer;
  readonly requestHash: Buffer;
}

/** A response that can be sent again. */
export interface StoredResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A request with a stored response. */
export interface StoredResult extends StoredResponse {
  readonly requestHash: Buffer;
}

type StoredRequest = StoredResult & Pick<StoredBody, 'encrypted'> & { readonly createdAt: Date };

const findSql = `
  SELECT request_hash AS "requestHash", status_code AS "statusCode", headers, body, sealed AS encrypted,
    created_at AS "createdAt"
  FROM idempotency_key WHERE account_id = $1 AND key_hash = $2`;

/** Distinguishes these locks from other advisory locks of the database. */
const LOCK_SEED = 4_928_371;
const lockSql = `SELECT pg_advisory_xact_lock(hashtextextended($1::text || '/' || encode($2::bytea, 'hex'), ${LOCK_SEED}))`;

const completeSql = `
  INSERT INTO idempotency_key
    (account_id, key_hash, request_hash, created_at, status_code, headers, body, sealed, names)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

@Injectable()
export class IdempotencyRepository {
  /** The number of small responses that this node has stored but not yet counted, by founder or account. */
  private readonly uncounted = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly encryption: StoredResponseEncryptionService,
  ) {}

  /** Finds the committed response under this key if it is less than 24 hours old. Waits for no lock. */
  async findStored(identity: RequestIdentity, now: Date): Promise<StoredResult | null> {
    const key = [identity.accountId, identity.keyHash];
    const [row] = await this.database.lookUp<StoredRequest>('idempotency-key', findSql, key);
    return row && row.createdAt > expiryOf(now) ? this.opened(identity, row) : null;
  }

  /**
   * Takes the key for this transaction. If another transaction holds the key, waits up to `waitMs` for its end. A key
   * older than 24 hours is free. Until the response is stored, an advisory lock represents the key
   * (docs/decisions/0002).
   * @returns null if this request is the first, otherwise the earlier one.
   * @throws RateLimited after `waitMs`
   */
  async claim(tx: EntityManager, identity: RequestIdentity, now: Date, waitMs = WAIT_MS): Promise<StoredResult | null> {
    const key = [identity.accountId, identity.keyHash];
    await tx.query(`SET LOCAL lock_timeout = ${Math.round(waitMs)}`);
    await runWithNext(tx, lockSql, key);
    const [row] = await this.database
      .prepared<StoredRequest>(tx, 'idempotency-key', findSql, key)
      .catch(rejectLongerWaits);
    // Restore the normal timeout for the handler's own locks.
    await tx.query('SET LOCAL lock_timeout TO DEFAULT');
    if (!row) return null;
    if (row.createdAt > expiryOf(now)) return this.opened(identity, row);
    await tx.query('DELETE FROM idempotency_key WHERE account_id = $1 AND key_hash = $2', key);
    return null;
  }

  /**
   * Stores the response under the key that this transaction has claimed.
   * @throws RateLimited, before it writes anything, if the day's responses exceed the budget of the founder or account
   */
  async complete(tx: EntityManager, identity: RequestIdentity, response: StoredResponse, now: Date): Promise<void> {
    const { accountId, share, key, keyHash, requestHash } = identity;
    const { statusCode, headers } = response;
    const { names, ...body } = this.encryption.encrypt(accountId, key, response.body);
    const sizeBytes = Buffer.byteLength(response.body ?? '') + Buffer.byteLength(names?.join() ?? '');
    await (sizeBytes > SMALL_BYTES ? countLarge(tx, share, sizeBytes) : this.countSmall(tx, share));
    const stored = [statusCode, JSON.stringify(headers), body.body, body.encrypted, names && [...names]];
    await runWithNext(tx, completeSql, [accountId, keyHash, requestHash, now, ...stored]);
  }

  /** Lists the ids of the master keys that encrypt stored responses. Reads all rows. */
  async listKeyIds(): Promise<string[]> {
    const rows = await this.database.reads.query<{ keyId: string }[]>(
      `SELECT DISTINCT convert_from(${keyIdSql('sealed')}, 'LATIN1') AS "keyId" FROM idempotency_key
       WHERE length(sealed) > 1 ORDER BY 1`,
    );
    return rows.map(({ keyId }) => keyId);
  }

  private async countSmall(tx: EntityManager, share: string): Promise<void> {
    const uncounted = (this.uncounted.get(share) ?? 0) + 1;
    if (this.uncounted.size >= MAX_UNCOUNTED) this.uncounted.clear();
    this.uncounted.set(share, uncounted % SMALL_AT_ONCE);
    if (uncounted < SMALL_AT_ONCE) return;
    const { points, retryAfter } = await countOfDay(tx, `stored-small:${share}`, uncounted);
    if (points <= SMALL_A_DAY) return;
    // Count the next response immediately, instead of waiting for a full batch.
    this.uncounted.set(share, SMALL_AT_ONCE - 1);
    throw rejection(`${SMALL_A_DAY.toLocaleString('en')} of at most 4 KiB`, retryAfter);
  }

  private opened({ accountId, key }: RequestIdentity, stored: StoredRequest): StoredResult {
    const { requestHash, statusCode, headers, body, encrypted } = stored;
    return {
      requestHash,
      statusCode,
      headers,
      body: this.encryption.open(accountId, key, { body, encrypted }),
    };
  }

  /**
   * Deletes expired keys in batches. Skips locked keys. Keeps each key for an extra hour, because a request may still
   * be reading it.
   */
  async deleteExpired(now: Date): Promise<void> {
    const before = new Date(now.getTime() - STORED_MS - HOUR_MS);
    let deleted: number;
    do deleted = await this.database.transaction((tx) => deleteBatch(tx, before));
    while (deleted === BATCH);
  }
}

function expiryOf(now: Date): Date {
  return new Date(now.getTime() - STORED_MS);
}

/** The SQL condition for a counter of the current day. A counter that ends later was written under a wrong clock. */
const isOfToday = `kept.expire > excluded.expire - $3 AND kept.expire <= excluded.expire + ${MAX_CLOCK_DIFFERENCE_MS}`;

async function countLarge(tx: EntityManager, share: string, sizeBytes: number): Promise<void> {
  const { points, retryAfter } = await countOfDay(tx, `stored:${share}`, sizeBytes);
  if (points > LARGE_BYTES_A_DAY) throw rejection(`${LARGE_BYTES_A_DAY / 2 ** 20} MiB of larger ones`, retryAfter);
}

interface CountOfDay {
  readonly points: number;
  /** Seconds until the day ends. */
  readonly retryAfter: number;
}

/** Adds points to the day's counter in the table of the request limits. Locks the row until the transaction ends. */
async function countOfDay(tx: EntityManager, key: string, points: number): Promise<CountOfDay> {
  const [counted] = await tx.query<[CountOfDay]>(
    `WITH clock AS (SELECT (extract(epoch FROM now()) * 1000)::bigint AS now)
     INSERT INTO rate_limit AS kept (key, points, expire) SELECT $1, $2, now + $3 FROM clock
     ON CONFLICT (key) DO UPDATE SET
       points = excluded.points + CASE WHEN ${isOfToday} THEN kept.points ELSE 0 END,
       expire = CASE WHEN ${isOfToday} THEN kept.expire ELSE excluded.expire END
     RETURNING points, ceil((expire - (SELECT now FROM clock)) / 1000.0)::int AS "retryAfter"`,
    [key, points, STORED_MS],
  );
  return counted;
}

function rejection(budget: string, retryAfter: number): RateLimited {
  return new RateLimited(
    `Responses under an Idempotency-Key: ${budget} are stored a day for the accounts of one founder. ` +
      'Send the request without the key, or later.',
    retryAfter,
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

function rejectLongerWaits(error: unknown): never {
  if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
  throw new RateLimited('The first request with this Idempotency-Key is still running; send this one again later.', 5);
}
