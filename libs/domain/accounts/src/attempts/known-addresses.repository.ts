import { Injectable, Logger } from '@nestjs/common';
import { Clock, loggedError } from '@passwright/core';
import { Database, deleteSome } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { emailKeys } from './email-keys.js';

/** Maximum number of IP addresses remembered per user; the latest are kept. */
export const mostKnownAddresses = 20;
const storedDays = 180;
const dayMs = 86_400_000;

/** Remembers the IP addresses from which each user has signed in, for 180 days. */
@Injectable()
export class KnownAddresses {
  private readonly logger = new Logger('KnownAddresses');
  private readonly keyOf: (emailAndAddress: string) => string;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    { accessTokenSecret }: AccountsOptions,
  ) {
    this.keyOf = emailKeys(accessTokenSecret);
  }

  /** @param address as `clientAddress` returns it */
  async has(email: string, address: string): Promise<boolean> {
    const key = this.keyOf(`${email} ${address}`);
    const rows = await this.database.reads.query<unknown[]>(
      'SELECT FROM known_address WHERE key = $1 AND seen_at > $2',
      [key, this.oldest()],
    );
    return rows.length > 0;
  }

  /**
   * Remembers an IP address. Writes at most once a day per address. Drops the least recently used address of a user
   * with more than `mostKnownAddresses`. Never throws, because the user is already signed in.
   */
  async remember(uid: string, email: string, address: string): Promise<void> {
    const [key, now] = [this.keyOf(`${email} ${address}`), this.clock.now()];
    const dayAgo = new Date(now.getTime() - dayMs);
    const remembered = this.database.transaction(async (tx) => {
      const added = await tx.query<unknown[]>(addSql, [key, uid, now, dayAgo]);
      if (added.length > 0) await tx.query(deleteOldestSql, [uid, mostKnownAddresses]);
    });
    await remembered.catch((error: unknown) =>
      this.logger.warn(`The address of the user ${uid} is not remembered: ${loggedError(error).message}`),
    );
  }

  /**
   * Deletes at most `limit` IP addresses that have not been used for 180 days.
   * @returns the number of deleted rows
   */
  deleteOld(tx: EntityManager, limit: number): Promise<number> {
    const old = { table: 'known_address', key: ['key'], condition: 'old.seen_at <= $1', values: [this.oldest()] };
    return deleteSome(this.database, tx, old, limit);
  }

  private oldest(): Date {
    return new Date(this.clock.now().getTime() - storedDays * dayMs);
  }
}

/** Adds a known IP address. Inserts nothing if the user is being deleted at the same time. */
const addSql = `
  INSERT INTO known_address AS known (key, uid, seen_at)
  SELECT $1, uid, $3 FROM app_user WHERE uid = $2 FOR KEY SHARE
  ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at, uid = excluded.uid
    WHERE known.seen_at < $4 OR known.uid <> excluded.uid
  RETURNING key`;

const deleteOldestSql = `
  DELETE FROM known_address WHERE key IN (
    SELECT key FROM known_address WHERE uid = $1 ORDER BY seen_at DESC, key OFFSET $2)`;
