import { Injectable } from '@nestjs/common';
import { ClearRows, KeyMissing } from '@passwright/accounts';
import { decodeCursor, isDateTime, type Page, type PageQuery, toPage } from '@passwright/core';
import { Database, deleteSome, lockedPage } from '@passwright/database';
import type { PassAddress } from '@passwright/passes';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { MailEncryptionService } from './mail-encryption.service.js';
import { PassMailRow, saltSql } from './pass-mail.entity.js';

export type MailKey = Pick<PassMailRow, 'accountId' | 'id'>;

/** All queries on the table `pass_mail`. */
@Injectable()
export class PassMailsRepository extends ClearRows<PassMailRow> {
  constructor(
    private readonly database: Database,
    private readonly encryption: MailEncryptionService,
  ) {
    super();
  }

  async insert(tx: EntityManager, mail: PassMailRow): Promise<void> {
    await tx.insert(PassMailRow, await this.encryption.encrypted(tx, mail));
  }

  /** Returns the time of the `count`th latest mail about the locked pass; null if there are fewer. */
  async nthLast(tx: EntityManager, { accountId, templateId, passId }: PassAddress, count: number, end: Date) {
    const values = [accountId, templateId, passId, count - 1, end];
    const [row] = await tx.query<{ createdAt: Date }[]>(nthLastSql, values);
    return row?.createdAt ?? null;
  }

  /** Lists mails, newest first. @throws ValidationFailed for a cursor of another list */
  async list<T>(address: PassAddress, query: PageQuery, toResponse: (mail: PassMailRow) => T): Promise<Page<T>> {
    const rows = await this.encryption.openAll(await this.select(address, query).getMany());
    return toPage(rows, query.limit, ({ createdAt, id }) => [createdAt.toISOString(), id], toResponse);
  }

  /** Selects one row more than the page contains, which shows if there is another page. */
  select(
    { accountId, templateId, passId }: PassAddress,
    { limit, cursor }: PageQuery,
  ): SelectQueryBuilder<PassMailRow> {
    const select = this.database.reads
      .createQueryBuilder(PassMailRow, 'mail')
      .where('mail.accountId = :accountId AND mail.templateId = :templateId AND mail.passId = :passId', {
        accountId,
        templateId,
        passId,
      })
      .orderBy('mail.createdAt', 'DESC')
      .addOrderBy('mail.id', 'DESC')
      .limit(limit + 1);
    const position = decodeCursor(cursor, isDateTime, (id) => /^[0-9A-Za-z]{22}$/.test(id));
    if (!position) return select;
    const [time = '', id] = position;
    return select.andWhere('(mail.createdAt, mail.id) < (:at, :id)', { at: new Date(time), id });
  }

  /** Locks unencrypted mails of all accounts that have a key. Only the scheduled encryption uses this. */
  override lockInClear(tx: EntityManager, after: MailKey | null, limit: number): Promise<PassMailRow[]> {
    const from = after ?? { accountId: '', id: '' };
    const read = (account?: string) =>
      tx
        .createQueryBuilder(PassMailRow, 'mail')
        .where('(mail.accountId, mail.id) > (:accountId, :id) AND mail.personal IS NULL', from)
        .andWhere(this.hasKey('mail', account), { account })
        .orderBy('mail.accountId')
        .addOrderBy('mail.id')
        .limit(limit);
    return lockedPage(this.database, read, (rows) => rows.setLock('pessimistic_write').setOnLocked('skip_locked'));
  }

  /** Encrypts a locked mail. */
  override async encrypt(tx: EntityManager, mail: PassMailRow): Promise<null> {
    const { accountId, id } = mail;
    const { recipient, subject, replyTo, message, personal, personalMessage } = await this.encryption.encrypted(
      tx,
      mail,
    );
    const encrypted = { recipient, subject, replyTo, message, personal, personalMessage };
    await tx.update(PassMailRow, { accountId, id }, encrypted);
    return null;
  }

  /**
   * Counts an attempt.
   * @returns null if the mail was sent, has failed or was deleted
   * @throws KeyMissing if the mail cannot be read
   */
  async begin(tx: EntityManager, { accountId, id }: MailKey): Promise<PassMailRow | null> {
    const [rows] = await tx.query<[PassMailRow[], number]>(beginSql, [accountId, id]);
    const [mail] = await this.encryption.openAll(rows, tx);
    if (mail?.recipient === '') throw new KeyMissing();
    return mail ?? null;
  }

  /** Deletes the mails of all accounts that were requested before this time, with their keys. */
  deleteBefore(tx: EntityManager, before: Date, limit: number): Promise<number> {
    const old = { table: 'pass_mail', key: ['account_id', 'id'], condition: 'old.created_at < $1', values: [before] };
    return deleteSome(this.database, tx, old, limit);
  }

  async noteProblem(tx: EntityManager, { accountId, id }: MailKey, problem: string): Promise<void> {
    await tx.update(PassMailRow, { accountId, id, status: 'queued' }, { problem });
  }

  /** Marks a mail as sent and deletes its message. */
  async markSent(tx: EntityManager, { accountId, id }: MailKey, sentAt: Date): Promise<void> {
    const sent = {
      status: 'sent',
      sentAt,
      problem: null,
      message: null,
      replyTo: null,
      personalMessage: null,
    } as const;
    await tx.update(PassMailRow, { accountId, id }, sent);
  }

  /** Marks a mail as failed and deletes its message. A mail that was sent in the meantime stays `sent`. */
  async markFailed(tx: EntityManager, { accountId, id }: MailKey, problem: string): Promise<void> {
    const failed = { status: 'failed', problem, message: null, replyTo: null, personalMessage: null } as const;
    await tx.update(PassMailRow, { accountId, id, status: 'queued' }, failed);
  }
}

export const nthLastSql = `
  SELECT created_at AS "createdAt" FROM pass_mail
  WHERE account_id = $1 AND template_id = $2 AND pass_id = $3 AND created_at < $5
  ORDER BY created_at DESC, id DESC OFFSET $4 LIMIT 1`;

export const beginSql = `
  UPDATE pass_mail SET attempts = attempts + 1
  WHERE account_id = $1 AND id = $2 AND status = 'queued'
  RETURNING account_id AS "accountId", id, template_id AS "templateId", pass_id AS "passId", recipient,
    reply_to AS "replyTo", lang, subject, message, status, attempts, problem, created_at AS "createdAt", sent_at AS "sentAt",
    personal, personal_message AS "personalMessage", (${saltSql('pass_mail')}) AS salt`;
