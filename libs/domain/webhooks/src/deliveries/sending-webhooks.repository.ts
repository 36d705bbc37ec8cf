import { Injectable } from '@nestjs/common';
import { Database, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { Webhook } from '../webhooks/webhook.entity.js';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';

/** The columns of a webhook that sending needs. */
export type SendingWebhook = Pick<
  Webhook,
  'accountId' | 'id' | 'url' | 'secret' | 'previousSecret' | 'previousSecretUntil' | 'disabledAt' | 'failingSince'
> & { readonly heldUntil: Date | null };

const dueOfAccountsSql = `
  SELECT w.account_id AS "accountId", w.id AS "webhookId", greatest(d.due_at, w.held_until) AS "dueAt"
  FROM webhook w CROSS JOIN LATERAL (
    SELECT min(waiting.due_at) AS due_at FROM webhook_delivery waiting
    WHERE waiting.account_id = w.account_id AND waiting.webhook_id = w.id AND waiting.due_at IS NOT NULL) AS d
  WHERE w.account_id = ANY ($1::text[]) AND w.disabled_at IS NULL AND w.url IS NOT NULL
    AND greatest(d.due_at, w.held_until) <= $2 AND d.due_at IS NOT NULL`;

const webhookSql = `
  SELECT account_id AS "accountId", id, url, secret, previous_secret AS "previousSecret",
    previous_secret_until AS "previousSecretUntil", disabled_at AS "disabledAt",
    failing_since AS "failingSince", held_until AS "heldUntil"
  FROM webhook WHERE account_id = $1 AND id = $2`;

/** Finds the webhooks with due deliveries, and updates their health. */
@Injectable()
export class SendingWebhooksRepository {
  constructor(private readonly database: Database) {}

  async find({ accountId, webhookId }: WebhookRef): Promise<SendingWebhook | null> {
    const values = [accountId, webhookId];
    const [row] = await this.database.lookUp<SendingWebhook>('webhook-to-send', webhookSql, values);
    return row ?? null;
  }

  /**
   * Returns the current webhook and locks it until `tx` ends; null if it was deleted. Lock a webhook before its
   * deliveries, because a deletion locks them in this order too.
   */
  async lock(tx: EntityManager, { accountId, webhookId }: WebhookRef): Promise<SendingWebhook | null> {
    const values = [accountId, webhookId];
    const sql = `${webhookSql} FOR NO KEY UPDATE`;
    const [row] = await this.database.prepared<SendingWebhook>(tx, 'webhook-to-note', sql, values);
    return row ?? null;
  }

  /** Returns when the next delivery of a webhook is due. */
  async nextDue({ accountId, webhookId }: WebhookRef): Promise<Date | null> {
    const [row] = await this.database.lookUp<{ at: Date | null }>(
      'webhook-next-due',
      'SELECT min(due_at) AS at FROM webhook_delivery WHERE account_id = $1 AND webhook_id = $2 AND due_at IS NOT NULL',
      [accountId, webhookId],
    );
    return row?.at ?? null;
  }

  /** Lists the webhooks of these accounts with deliveries due before `before`, and when they are due. */
  async listDueOf(
    tx: EntityManager,
    accountIds: readonly string[],
    before: Date,
  ): Promise<(WebhookRef & { readonly dueAt: Date })[]> {
    const accounts = accountIds.map((accountId) => ({ accountId }));
    return perAccount(this.database, accounts, (some, write) =>
      this.database.prepared(tx, 'webhooks-due-of-accounts', write(dueOfAccountsSql), [
        some.map(({ accountId }) => accountId),
        before,
      ]),
    );
  }

  /** Lists webhooks of all accounts with due deliveries. @param after the last webhook of the previous page */
  listDue(now: Date, after: WebhookRef, limit: number): Promise<WebhookRef[]> {
    return this.database.reads.query(
      `SELECT account_id AS "accountId", id AS "webhookId" FROM webhook w
       WHERE (account_id, id) > ($2, $3) AND disabled_at IS NULL AND url IS NOT NULL
         AND (held_until IS NULL OR held_until <= $1)
         AND EXISTS (SELECT FROM webhook_delivery d
           WHERE d.account_id = w.account_id AND d.webhook_id = w.id AND d.due_at <= $1)
       ORDER BY account_id, id LIMIT $4`,
      [now, after.accountId, after.webhookId, limit],
    );
  }

  /** Updates the health of a webhook after a time slice. The caller must have locked the row. */
  async updateHealth(
    tx: EntityManager,
    { accountId, id }: SendingWebhook,
    health: { readonly failingSince: Date | null; readonly heldUntil: Date | null },
  ): Promise<void> {
    await tx.query('UPDATE webhook SET failing_since = $3, held_until = $4 WHERE account_id = $1 AND id = $2', [
      accountId,
      id,
      health.failingSince,
      health.heldUntil,
    ]);
  }

  /** Disables a webhook. The caller must have locked the row. */
  async disable(
    tx: EntityManager,
    { accountId, id }: SendingWebhook,
    { now, because }: { readonly now: Date; readonly because: string },
  ): Promise<void> {
    await tx.query('UPDATE webhook SET disabled_at = $3, disabled_because = $4 WHERE account_id = $1 AND id = $2', [
      accountId,
      id,
      now,
      because,
    ]);
  }
}
