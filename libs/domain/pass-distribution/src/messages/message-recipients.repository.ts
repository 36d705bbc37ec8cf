import { Injectable } from '@nestjs/common';
import { decodeCursor, isDateTime, type Page, type PageQuery, toPage } from '@passwright/core';
import { Database } from '@passwright/database';
import type { PassAddress } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import type { MessageRecipient } from './message.dto.js';
import { MessageRecipientRow, type ReceivedMessage } from './message-recipient.entity.js';
import type { MessageKey } from './messages.repository.js';

/** All queries on the table `message_recipient`. */
@Injectable()
export class MessageRecipientsRepository {
  constructor(private readonly database: Database) {}

  /** Inserts recipients. @returns the serial numbers of those that did not have the message yet */
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
    return toPage(
      rows,
      limit,
      ({ serialNumber }) => [serialNumber],
      ({ passId, walletA, walletB, sentAt }) => ({ passId, walletA, walletB, sentAt: sentAt.toISOString() }),
    );
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

export const listOfPassSql = `
  SELECT m.id, m.title, m.text, m.topic, r.sent_at AS "sentAt"
  FROM message_recipient r JOIN message m ON m.account_id = r.account_id AND m.id = r.message_id
  WHERE r.account_id = $1 AND r.template_id = $2 AND r.pass_id = $3 AND (r.sent_at, r.message_id) < ($4::timestamptz, $5)
  ORDER BY r.sent_at DESC, r.message_id DESC LIMIT $6`;
