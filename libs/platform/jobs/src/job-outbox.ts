import type { Database } from '@passwright/database';
import { queueTables } from '@passwright/database';
import { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import type { Job } from './job.js';
import { additionsOf, addToQueue, type QueueAddition } from './queue-additions.js';

/** Rows of this age are abandoned: their process has died, or the coordinator was unavailable. */
const LEFT_AFTER = '30 seconds';
/** The maximum number of accounts whose rows one call of `empty` moves. */
const ACCOUNTS_AT_ONCE = 1000;

const putSql = `
  INSERT INTO job_outbox (account_id, specs, at_earliest) VALUES ($1, $2::json, $3) RETURNING id`;

const findSql = `
  SELECT specs, at_earliest AS "atEarliest" FROM job_outbox WHERE account_id = $1 AND id = ANY ($2::bigint[]) ORDER BY id`;

const deleteSql = `DELETE FROM job_outbox WHERE account_id = $1 AND id = ANY ($2::bigint[])`;

const findLeftSql = `
  SELECT account_id AS "accountId", array_agg(id ORDER BY id)::text[] AS ids FROM job_outbox
   WHERE added_at < now() - interval '${LEFT_AFTER}' GROUP BY account_id LIMIT ${ACCOUNTS_AT_ONCE}`;

/**
 * Stores jobs on Citus until they are in the queue, which is on the coordinator. A job is stored on the server of its
 * account, so that it commits together with the change. After the commit, jobs move to the queue in their order. If
 * that is interrupted, a schedule moves them, and a job may be added twice.
 */
export class JobOutbox {
  private readonly logger = new Logger('Jobs');

  constructor(private readonly database: Database) {}

  /** Stores the jobs whose payload names an account. @returns the other jobs */
  async put(tx: EntityManager, jobs: readonly Job[]): Promise<Job[]> {
    const byAccount = new Map<string, Job[]>();
    for (const job of jobs) {
      const account = accountOf(job);
      byAccount.set(account, [...(byAccount.get(account) ?? []), job]);
    }
    const others = byAccount.get('') ?? [];
    byAccount.delete('');
    for (const [account, own] of [...byAccount].sort()) await this.putOwn(tx, account, own);
    return others;
  }

  /** Moves all abandoned jobs to the queue. */
  async empty(): Promise<void> {
    const left = await this.database.reads.query<{ accountId: string; ids: string[] }[]>(findLeftSql);
    for (const { accountId, ids } of left) await this.move(accountId, ids);
  }

  private async putOwn(tx: EntityManager, account: string, jobs: readonly Job[]): Promise<void> {
    const ids: string[] = [];
    for (const { specs, atEarliest } of additionsOf(jobs)) {
      const [row] = await tx.query<[{ id: string }]>(putSql, [account, JSON.stringify(specs), atEarliest]);
      ids.push(row.id);
    }
    this.database.afterCommit(tx, () => this.move(account, ids).catch((error: unknown) => this.leave(error)));
  }

  /**
   * Moves stored jobs to the queue. Reads their rows again, because a commit may become visible later on another
   * server.
   */
  private async move(account: string, ids: readonly string[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      const additions = await tx.query<QueueAddition[]>(findSql, [account, ids]);
      for (const addition of additions) await addToQueue(tx, queueTables(this.database.schema), addition);
    });
    // Use a separate transaction, because on Citus a single one could commit the deletion but not the additions.
    await this.database.transaction((tx) => tx.query(deleteSql, [account, ids]));
  }

  private leave(error: unknown): void {
    this.logger.warn(`Jobs stay in the outbox for up to two minutes: ${loggedError(error).message}`);
  }
}

function accountOf({ payload }: Job): string {
  const { accountId } = payload as { readonly accountId?: unknown };
  return typeof accountId === 'string' ? accountId : '';
}
