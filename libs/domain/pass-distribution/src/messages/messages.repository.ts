import { Injectable } from '@nestjs/common';
import { decodeCursor, isDateTime, type Page, toPage } from '@passwright/core';
import { Database } from '@passwright/database';
import { type EntityManager, In, LessThan, type SelectQueryBuilder } from 'typeorm';
import type { MessagesQuery } from './message.dto.js';
import { MessageRow } from './message.entity.js';

const idForm = /^msg_[0-9A-Za-z]{22}$/;

/** Returns true for a text in the format of message ids. */
export function isMessageId(id: string): boolean {
  return idForm.test(id);
}

export type MessageKey = Pick<MessageRow, 'accountId' | 'id'>;

/** A message whose next batch may be processed. */
export type DueMessage = MessageKey & Pick<MessageRow, 'templateId' | 'passId'>;

/**
 * Maximum numbers of messages. `all` also counts messages that were replaced or cancelled before they were sent; `sent`
 * does not.
 */
export interface MessageRoom {
  readonly sent: number;
  readonly all: number;
}

/** All queries on the table `message`. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly database: Database) {}

  async find(accountId: string, id: string): Promise<MessageRow | null> {
    return idForm.test(id) ? this.database.reads.findOneBy(MessageRow, { accountId, id }) : null;
  }

  async lock(tx: EntityManager, accountId: string, id: string): Promise<MessageRow | null> {
    if (!idForm.test(id)) return null;
    return tx.findOne(MessageRow, { where: { accountId, id }, lock: { mode: 'for_no_key_update' } });
  }

  /**
   * Waits for other transactions that plan messages to many passes of the account, and blocks them until `tx` ends.
   * Call it before locking messages. Never call it after locking a pass, because the transaction that holds it may wait
   * for a message whose sender waits for the pass.
   */
  async lockToMany(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('messages-to-many/' || $1, 4172839))`, [accountId]);
  }

  /**
   * Waits for other transactions that count the unsent messages of the account, and blocks them until `tx` ends. Call
   * it after all other locks, so that a transaction that holds it waits for no other.
   */
  async lockCount(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('messages/' || $1, 4172839))`, [accountId]);
  }

  async insert(tx: EntityManager, message: MessageRow): Promise<void> {
    await tx.insert(MessageRow, message);
  }

  /** Writes the progress of a locked message. */
  async update(tx: EntityManager, { accountId, id, ...columns }: MessageRow): Promise<void> {
    await tx.update(MessageRow, { accountId, id }, columns);
  }

  /** Locks messages in the order of their ids. @returns their counts by outcome at Google */
  async lockOutcomes(
    tx: EntityManager,
    accountId: string,
    ids: readonly string[],
  ): Promise<Map<string, MessageRow['googleOutcomes']>> {
    const rows = await tx.find(MessageRow, {
      select: { id: true, googleOutcomes: true },
      where: { accountId, id: In([...ids]) },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    return new Map(rows.map(({ id, googleOutcomes }) => [id, googleOutcomes]));
  }

  async setOutcomes(
    tx: EntityManager,
    { accountId, id }: MessageKey,
    googleOutcomes: MessageRow['googleOutcomes'],
  ): Promise<void> {
    await tx.update(MessageRow, { accountId, id }, { googleOutcomes });
  }

  /** Cancels a locked message. */
  async cancel(tx: EntityManager, { accountId, id }: MessageKey, now: Date): Promise<void> {
    await tx.update(MessageRow, { accountId, id }, { status: 'cancelled', dueAt: null, finishedAt: now });
  }

  /** Cancels all messages of a template that have not ended. */
  async cancelOfTemplate(tx: EntityManager, accountId: string, templateId: string, now: Date): Promise<void> {
    await tx.query(cancelOfTemplateSql, [accountId, templateId, now]);
  }

  /** Postpones a message if it was not paused or ended meanwhile. */
  async putOff(tx: EntityManager, { accountId, id }: MessageKey, dueAt: Date): Promise<void> {
    await tx.update(MessageRow, { accountId, id, dueAt: LessThan(dueAt) }, { dueAt });
  }

  /** Lists, across all accounts, the messages that ended before a time. */
  endedBefore(before: Date, limit: number): Promise<MessageKey[]> {
    return this.database.reads.query<MessageKey[]>(endedSql, [before, limit]);
  }

  async delete(tx: EntityManager, { accountId, id }: MessageKey): Promise<void> {
    await tx.delete(MessageRow, { accountId, id });
  }

  /** Ends the messages with the same passes, filter and topic that were not sent to any pass yet. */
  async supersede(tx: EntityManager, message: MessageRow, now: Date): Promise<void> {
    const { accountId, templateId, passId, topic, filter } = message;
    const values = [accountId, templateId, now, topic, passId, JSON.stringify(filter)];
    if (topic !== null) await tx.query(supersedeSql, values);
  }

  /**
   * Returns the time until which a message must wait; null if it need not wait. A message waits for earlier messages to
   * the same passes, and for devices that are still fetching prepared passes. It waits even if the returned time is in
   * the past, because an earlier message is then overdue.
   * @param lastPassId the last pass of the message's next batch.
   * @param fetchMs the time in which devices fetch a pass
   */
  async waitsUntil(
    tx: EntityManager,
    { accountId, id, templateId, passId, sendAt, createdAt }: MessageRow,
    lastPassId: string,
    now: Date,
    fetchMs: number,
  ): Promise<Date | null> {
    const values = [accountId, id, templateId, passId, sendAt, createdAt, lastPassId, now, fetchMs / 1000];
    const rows = await tx.query<[{ until: Date | null }]>(waitsUntilSql, values);
    return rows[0].until;
  }

  /** Lists messages, newest first. @throws ValidationFailed for a cursor of another list */
  async list<T>(accountId: string, query: MessagesQuery, toResponse: (message: MessageRow) => T): Promise<Page<T>> {
    const rows = await this.select(accountId, query).getMany();
    return toPage(rows, query.limit, ({ createdAt, id }) => [createdAt.toISOString(), id], toResponse);
  }

  /** Selects the messages of a page and one more, which shows whether another page follows. */
  select(accountId: string, { templateId, status, limit, cursor }: MessagesQuery): SelectQueryBuilder<MessageRow> {
    const select = this.database.reads
      .createQueryBuilder(MessageRow, 'message')
      .where('message.accountId = :accountId', { accountId })
      .orderBy('message.createdAt', 'DESC')
      .addOrderBy('message.id', 'DESC')
      .limit(limit + 1);
    if (templateId) select.andWhere('message.templateId = :templateId', { templateId });
    if (status) select.andWhere('message.status = :status', { status });
    const position = decodeCursor(cursor, isDateTime, (id) => idForm.test(id));
    if (position) {
      const [time = '', id] = position;
      select.andWhere('(message.createdAt, message.id) < (:at, :id)', { at: new Date(time), id });
    }
    return select;
  }

  /** Counts the messages of an account that are planned, paused or being sent, up to a limit. */
  async countOpen(tx: EntityManager, accountId: string, limit: number): Promise<number> {
    const rows = await tx.query<[{ count: number }]>(countOpenSql, [accountId, limit]);
    return rows[0].count;
  }

  /**
   * Returns null if the limits of `most` allow another message. Otherwise, another message is allowed once the returned
   * creation time is before `since`. Counts the messages to the pass since then. Without `passId`, counts the messages
   * to many passes: `sent` for the template, `all` for the account.
   */
  async fullSince(
    tx: EntityManager,
    { accountId, templateId, passId }: Pick<MessageRow, 'accountId' | 'templateId' | 'passId'>,
    since: Date,
    most: MessageRoom,
  ): Promise<Date | null> {
    const values = [accountId, templateId, since, most.sent, most.all];
    const rows = await (passId === null
      ? tx.query<[{ at: Date | null }]>(fullSinceSql('pass_id IS NULL'), values)
      : tx.query<[{ at: Date | null }]>(fullSinceSql('template_id = $2 AND pass_id = $6'), [...values, passId]));
    return rows[0].at;
  }

  /** Lists the due messages of accounts, earliest first. */
  dueOf(accountIds: readonly string[], now: Date): Promise<DueMessage[]> {
    return this.database.lookUp<DueMessage>('messages-due', dueOfSql, [accountIds, now]);
  }

  /** Lists for each account the earliest message that is due. */
  due(now: Date, limit: number): Promise<MessageKey[]> {
    return this.database.reads.query<MessageKey[]>(dueSql, [now, limit]);
  }
}

const endedSql = `
  SELECT account_id AS "accountId", id FROM message WHERE finished_at < $1 ORDER BY finished_at LIMIT $2`;

/** Ends messages. Locks them in the order of their ids, like every other statement that locks several messages. */
const endSql = (status: MessageRow['status'], which: string) => `
  WITH locked AS MATERIALIZED (
    SELECT id FROM message WHERE account_id = $1 AND template_id = $2 AND ${which} ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE message SET status = '${status}', due_at = NULL, finished_at = $3
  FROM locked WHERE message.account_id = $1 AND message.id = locked.id`;

const cancelOfTemplateSql = endSql('cancelled', `status IN ('scheduled', 'sending', 'paused')`);

const supersedeSql = endSql(
  'superseded',
  // Containment in both directions compares the lists of a filter without their order.
  `topic = $4 AND pass_id IS NOT DISTINCT FROM $5 AND filter @> $6::jsonb AND filter <@ $6::jsonb
    AND status IN ('scheduled', 'paused') AND started_at IS NULL`,
);

/**
 * Finds the earlier messages that have not reached the passes yet, and messages that have just prepared passes. A
 * failing message delays other messages for at most 15 minutes.
 */
const waitsUntilSql = `
  SELECT max(until) AS until FROM (
    SELECT due_at AS until, pass_id FROM message
    WHERE account_id = $1 AND template_id = $3 AND id <> $2 AND status IN ('scheduled', 'sending')
      AND (send_at, created_at) < ($5::timestamptz, $6::timestamptz)
      AND NOT (step = 'deliver' AND after_pass_id >= $7)
      AND (due_at <= $8 OR step = 'deliver' AND started_at IS NULL AND prepared > 0
        AND due_at <= $8::timestamptz + $9 * interval '1 second' AND send_at > $8::timestamptz - interval '15 minutes')
    UNION ALL
    SELECT created_at + $9 * interval '1 second', pass_id FROM message
    WHERE account_id = $1 AND template_id = $3 AND id <> $2 AND started_at IS NULL AND prepared > 0
      AND created_at <= $6 AND created_at > $8::timestamptz - $9 * interval '1 second'
  ) AS other WHERE pass_id IS NULL OR $4::text IS NULL OR pass_id = $4`;

const countOpenSql = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM message WHERE account_id = $1 AND status IN ('scheduled', 'sending', 'paused') LIMIT $2
  ) AS open`;

/**
 * @param which an SQL condition for the messages that the limit `all` counts. The limit `sent` counts only some of them
 */
const fullSinceSql = (which: string): string => `
  WITH recent AS MATERIALIZED (
    SELECT created_at,
      template_id = $2 AND (started_at IS NOT NULL OR status NOT IN ('superseded', 'cancelled')) AS counts
    FROM message WHERE account_id = $1 AND ${which} AND created_at > $3 ORDER BY created_at DESC LIMIT $5
  )
  SELECT greatest(
    (SELECT created_at FROM recent WHERE counts ORDER BY created_at DESC OFFSET $4::int - 1 LIMIT 1),
    (SELECT created_at FROM recent ORDER BY created_at DESC OFFSET $5::int - 1 LIMIT 1)
  ) AS at`;

export const dueSql = `
  SELECT account_id AS "accountId", id FROM (
    SELECT account_id, id, due_at, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS place
    FROM message WHERE due_at <= $1
  ) AS due WHERE place = 1 ORDER BY due_at LIMIT $2`;

/**
 * Lists the due messages of accounts. Needs no LIMIT, because an account has at most 100 messages that have not ended.
 */
const dueOfSql = `
  SELECT account_id AS "accountId", id, template_id AS "templateId", pass_id AS "passId" FROM message
  WHERE account_id = ANY($1::text[]) AND status IN ('scheduled', 'sending') AND due_at <= $2 ORDER BY due_at, id`;
