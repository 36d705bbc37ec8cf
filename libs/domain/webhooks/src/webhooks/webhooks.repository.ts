import { Injectable } from '@nestjs/common';
import { Database, inAllAccounts } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { Webhook } from './webhook.entity.js';

/** The number of pending deliveries at which counting stops. */
const COUNTED_AT_MOST = 1000;

/** Deletes expired previous secrets. Skips a webhook that another transaction is changing; the next run handles it. */
export const forgetSecretsSql = `
  UPDATE webhook SET previous_secret = NULL, previous_secret_until = NULL
  WHERE (account_id, id) IN (
    SELECT account_id, id FROM webhook WHERE previous_secret_until <= $1 FOR NO KEY UPDATE SKIP LOCKED)`;

@Injectable()
export class WebhooksRepository {
  constructor(private readonly database: Database) {}

  count(tx: EntityManager, accountId: string): Promise<number> {
    return tx.countBy(Webhook, { accountId });
  }

  async insert(tx: EntityManager, webhook: Webhook): Promise<void> {
    await tx.insert(Webhook, webhook);
  }

  find(accountId: string, id: string): Promise<Webhook | null> {
    return this.database.reads.findOneBy(Webhook, { accountId, id });
  }

  /** Finds a webhook and locks it until the transaction ends. */
  findForUpdate(tx: EntityManager, accountId: string, id: string): Promise<Webhook | null> {
    return tx.findOne(Webhook, { where: { accountId, id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Lists webhooks, newest first. @param after the last webhook of the previous page */
  list(accountId: string, limit: number, after: { createdAt: Date; id: string } | null): Promise<Webhook[]> {
    const query = this.database.reads
      .createQueryBuilder(Webhook, 'webhook')
      .where('webhook.accountId = :accountId', { accountId })
      .orderBy('webhook.createdAt', 'DESC')
      .addOrderBy('webhook.id', 'DESC')
      .limit(limit);
    if (after) query.andWhere('(webhook.createdAt, webhook.id) < (:createdAt, :id)', after);
    return query.getMany();
  }

  /**
   * Changes columns of a webhook, except key columns. Citus rejects a statement that sets a key column, even to the
   * same value.
   */
  async update(tx: EntityManager, { accountId, id }: Webhook, changes: Partial<Webhook>): Promise<void> {
    await tx.update(Webhook, { accountId, id }, { ...changes, accountId: undefined, id: undefined });
  }

  /** Deletes a webhook with its deliveries. @returns true if the webhook existed */
  async delete(tx: EntityManager, accountId: string, id: string): Promise<boolean> {
    const { affected } = await tx.delete(Webhook, { accountId, id });
    return affected === 1;
  }

  /** Deletes expired previous secrets of all accounts. */
  async forgetSecrets(tx: EntityManager, now: Date): Promise<void> {
    await tx.query(inAllAccounts(this.database, forgetSecretsSql), [now]);
  }

  /** Lists the event types of a webhook's pending deliveries. */
  async listPendingTypes(tx: EntityManager, { accountId, id }: Webhook): Promise<string[]> {
    const rows = await tx.query<{ type: string }[]>(
      `SELECT DISTINCT e.type FROM webhook_delivery d
         JOIN webhook_event e ON e.account_id = $1 AND e.id = d.event_id
       WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.due_at IS NOT NULL`,
      [accountId, id],
    );
    return rows.map(({ type }) => type);
  }

  /** Counts the pending deliveries of each webhook, up to 1000. */
  async countPending(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.reads.query<{ id: string; pending: number }[]>(
      `SELECT w.id, (SELECT count(*)::int FROM (
                SELECT FROM webhook_delivery d WHERE d.account_id = $1 AND d.webhook_id = w.id AND d.due_at IS NOT NULL
                LIMIT ${COUNTED_AT_MOST}) AS counted) AS pending
       FROM unnest($2::text[]) AS w (id)`,
      [accountId, ids],
    );
    return new Map(rows.map(({ id, pending }) => [id, pending]));
  }
}
