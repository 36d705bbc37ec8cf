import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { PassAddress } from '@passwright/passes';

/** Reads the messages of a pass for its holder. */
@Injectable()
export class HolderMessagesRepository {
  constructor(private readonly database: Database) {}

  /** Lists the messages that a pass has, and those that are planned for it alone, oldest first. */
  list({ accountId, templateId, passId }: PassAddress): Promise<object[]> {
    return this.database.reads.query<object[]>(messagesOfHolderSql, [accountId, templateId, passId]);
  }
}

export const messagesOfHolderSql = `
  SELECT m.id, m.title, m.text, m.translations, m.topic, m.status, m.send_at AS "sendAt", r.sent_at AS "sentAt",
    r.wallet_a AS "walletA", r.wallet_b AS "walletB", r.google_outcome AS "walletBOutcome"
  FROM message_recipient r JOIN message m ON m.account_id = r.account_id AND m.id = r.message_id
  WHERE r.account_id = $1 AND r.template_id = $2 AND r.pass_id = $3
  UNION ALL
  SELECT m.id, m.title, m.text, m.translations, m.topic, m.status, m.send_at, NULL, NULL, NULL, NULL FROM message m
  WHERE m.account_id = $1 AND m.template_id = $2 AND m.pass_id = $3 AND NOT EXISTS (
    SELECT FROM message_recipient r WHERE r.account_id = m.account_id AND r.message_id = m.id)
  ORDER BY "sendAt", id`;
