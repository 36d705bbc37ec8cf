import { Injectable } from '@nestjs/common';
import { decodeCursor, isDateTime, type Page, type PageQuery, toPage } from '@passwright/core';
import { Database, deleteSome } from '@passwright/database';
import type { EndedMessage } from '@passwright/google-wallet';
import type { PassAddress } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import { type MessageRecipient, toMessageRecipient } from './message.dto.js';
import type { GoogleOutcome, MessageRow } from './message.entity.js';
import { MessageRecipientRow, type ReceivedMessage } from './message-recipient.entity.js';
import type { MessageKey } from './messages.repository.js';

/** A recipient whose outcome at Google has changed. */
export interface SettledRecipient {
  readonly messageId: string;
  readonly was: GoogleOutcome | null;
  readonly outcome: GoogleOutcome;
}

/** All queries on the table `message_recipient`. */
@Injectable()
export class MessageRecipientsRepository {
  constructor(private readonly database: Database) {}

  /** Inserts recipients. @returns the serial numbers of the recipients that did not have the message yet */
  async insertNew(tx: EntityManager, recipients: readonly MessageRecipientRow[]): Promise<Set<unknown>> {
    const inserted = this.database.insertMany(
      tx,
      MessageRecipientRow,
      recipients,
      'serialNumber',
      'ON CONFLICT DO NOTHING',
    );
    return new Set(await inserted);
  }

  /** Lists the passes that already have a later message with the same topic. */
  async withLater(
    tx: EntityManager,
    { accountId, templateId, topic, sendAt, createdAt }: MessageRow,
    passIds: readonly string[],
  ): Promise<Set<string>> {
    if (topic === null) return new Set();
    const values = [accountId, templateId, topic, sendAt, createdAt, passIds];
    const rows = await tx.query<{ passId: string }[]>(withLaterSql, values);
    return new Set(rows.map(({ passId }) => passId));
  }

  /**
   * Stores the outcomes of messages at Google. Skips recipients whose outcome does not change. @returns the changed
   * recipients
   */
  settle(tx: EntityManager, accountId: string, ended: readonly EndedMessage[]): Promise<SettledRecipient[]> {
    const columns = [
      ended.map(({ messageId }) => messageId),
      ended.map(({ serialNumber }) => serialNumber),
      ended.map(({ outcome }) => outcome),
    ];
    return tx.query<SettledRecipient[]>(settleSql, [accountId, ...columns]);
  }

  /** Deletes at most `limit` recipients of a message. @returns the number of deleted rows */
  deleteSome(tx: EntityManager, { accountId, id }: MessageKey, limit: number): Promise<number> {
    const old = {
      table: 'message_recipient',
      key: ['account_id', 'message_id', 'serial_number'],
      condition: 'old.account_id = $1 AND old.message_id = $2',
      values: [accountId, id],
    };
    return deleteSome(this.database, tx, old, limit);
  }

  /** Lists the recipients of a message. @throws ValidationFailed for a cursor of another list */
  async list({ accountId, id }: MessageKey, { limit, cursor }: PageQuery): Promise<Page<MessageRecipient>> {
    const [after = ''] = decodeCursor(cursor, (serial) => /^[\w-]{1,64}$/.test(serial)) ?? [];
    const rows = await this.database.reads
      .createQueryBuilder(MessageRecipientRow, 'recipient')
      .where('recipient.accountId = :accountId AND recipient.messageId = :id', { accountId, id })
      .andWhere('recipient.serialNumber > :after', { after })
      .orderBy('recipient.serialNumber')
      .limit(limit + 1)
      .getMany();
    return toPage(rows, limit, ({ serialNumber }) => [serialNumber], toMessageRecipient);
  }

  /** Lists the messages that a pass has, newest first. @throws ValidationFailed for a cursor of another list */
  async listOfPass<T>(
    { accountId, templateId, passId }: PassAddress,
    { limit, cursor }: PageQuery,
    toResponse: (message: ReceivedMessage) => T,
  ): Promise<Page<T>> {
    const position = decodeCursor(cursor, isDateTime, (id) => /^\w{1,64}$/.test(id));
    const [time = 'infinity', id = ''] = position ?? [];
    const values = [accountId, templateId, passId, position ? new Date(time) : time, id, limit + 1];
    const rows = await this.database.reads.query<ReceivedMessage[]>(listOfPassSql, values);
    return toPage(rows, limit, (message) => [message.sentAt.toISOString(), message.id], toResponse);
  }
}

/**
 * Finds the passes that have a later message with the same topic. Reads only recipients since the send time of this
 * message, because later messages reach passes only after it.
 */
const withLaterSql = `
  SELECT r.pass_id AS "passId"
  FROM message_recipient r JOIN message m ON m.account_id = r.account_id AND m.id = r.message_id
  WHERE r.account_id = $1 AND r.template_id = $2 AND r.pass_id = ANY($6::text[]) AND r.sent_at >= $4
    AND m.topic = $3 AND (m.send_at, m.created_at) > ($4::timestamptz, $5::timestamptz)`;

/**
 * Stores outcomes at Google. A pass can have objects of two issuers. Once holders have seen the message at one issuer
 * (`notified`, `daily_limit`), this outcome is final.
 */
const settleSql = `
  WITH before AS MATERIALIZED (
    SELECT DISTINCT ON (r.message_id, r.serial_number) r.message_id, r.serial_number, r.google_outcome AS was, g.outcome
    FROM unnest($2::text[], $3::text[], $4::text[]) AS g(message_id, serial_number, outcome)
    JOIN message_recipient r
      ON r.account_id = $1 AND r.message_id = g.message_id AND r.serial_number = g.serial_number
    WHERE r.google_outcome IS DISTINCT FROM g.outcome
      AND (r.google_outcome IS NULL OR r.google_outcome NOT IN ('notified', 'daily_limit'))
    ORDER BY r.message_id, r.serial_number
  ), settled AS (
    UPDATE message_recipient r SET google_outcome = before.outcome FROM before
    WHERE r.account_id = $1 AND r.message_id = before.message_id AND r.serial_number = before.serial_number
    RETURNING r.message_id, before.was, before.outcome
  )
  SELECT message_id AS "messageId", was, outcome FROM settled`;

const listOfPassSql = `
  SELECT m.id, m.title, m.text, m.translations, m.topic, r.sent_at AS "sentAt"
  FROM message_recipient r JOIN message m ON m.account_id = r.account_id AND m.id = r.message_id
  WHERE r.account_id = $1 AND r.template_id = $2 AND r.pass_id = $3 AND (r.sent_at, r.message_id) < ($4::timestamptz, $5)
  ORDER BY r.sent_at DESC, r.message_id DESC LIMIT $6`;
