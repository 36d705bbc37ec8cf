import { Injectable } from '@nestjs/common';
import { Database, perAccount } from '@passwright/database';
import type { PassAddress } from '@passwright/passes';
import type { EntityManager } from 'typeorm';

/** Reads and locks the messages of passes for their holder. */
@Injectable()
export class HolderMessagesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists the latest messages that a pass got, and the latest messages only for this pass that have not reached it yet,
   * oldest first. Limits both, because a pass can get very many messages.
   */
  list({ accountId, templateId, passId }: PassAddress): Promise<object[]> {
    return this.database.reads.query<object[]>(messagesOfHolderSql, [accountId, templateId, passId, MOST_MESSAGES]);
  }

  /**
   * Locks the messages that are only for one of these passes until `tx` ends. Locks them in the order of their ids,
   * like all other code, to prevent deadlocks.
   */
  async lock(tx: EntityManager, addresses: readonly PassAddress[]): Promise<void> {
    await perAccount(this.database, addresses, (some, write) =>
      tx.query<never[]>(write(lockSql), [
        some.map(({ accountId }) => accountId),
        some.map(({ templateId }) => templateId),
        some.map(({ passId }) => passId),
      ]),
    );
  }
}

/** Maximum number of messages of each kind that `list` returns. */
export const MOST_MESSAGES = 500;

const lockSql = `
  SELECT FROM unnest($1::text[], $2::text[], $3::text[]) AS k(account_id, template_id, pass_id)
  JOIN message m ON m.account_id = k.account_id AND m.template_id = k.template_id AND m.pass_id = k.pass_id
  ORDER BY m.id FOR UPDATE OF m`;

const messagesOfHolderSql = `
  SELECT * FROM (SELECT m.id, m.title, m.text, m.translations, m.topic, m.status, m.send_at AS "sendAt", r.sent_at AS "sentAt",
    r.wallet_a AS "walletA", r.wallet_b AS "walletB", r.google_outcome AS "walletBOutcome"
  FROM message_recipient r JOIN message m ON m.account_id = r.account_id AND m.id = r.message_id
  WHERE r.account_id = $1 AND r.template_id = $2 AND r.pass_id = $3
  ORDER BY r.sent_at DESC, r.message_id DESC LIMIT $4) AS had
  UNION ALL
  SELECT * FROM (SELECT m.id, m.title, m.text, m.translations, m.topic, m.status, m.send_at, NULL::timestamptz,
    NULL::boolean, NULL::boolean, NULL::text FROM message m
  WHERE m.account_id = $1 AND m.template_id = $2 AND m.pass_id = $3 AND NOT EXISTS (
    SELECT FROM message_recipient r WHERE r.account_id = m.account_id AND r.message_id = m.id)
  ORDER BY m.created_at DESC, m.id DESC LIMIT $4) AS others
  ORDER BY "sendAt", id`;
