import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PassMailRecipientRow } from './mail-limits.entities.js';

/** Every query on the tables `pass_mail_day` and `pass_mail_recipient`. */
@Injectable()
export class MailLimitsRepository {
  /**
   * One more of an account on a day. Whoever counts next waits until `tx` ends.
   * @returns false, and counts nothing, when there are `most` already
   */
  async countOfDay(tx: EntityManager, accountId: string, day: Date, most: number): Promise<boolean> {
    const rows = await tx.query<unknown[]>(countOfDaySql, [accountId, day, most]);
    return rows.length > 0;
  }

  /** Has those wait until `tx` ends who send to the same recipient. */
  async lockRecipient(tx: EntityManager, accountId: string, hash: Buffer): Promise<void> {
    const key = `pass-mail ${accountId} ${hash.toString('base64')}`;
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
  }

  /** When the `count`th last was sent to a recipient; null when there are fewer. */
  async nthLastTo(tx: EntityManager, accountId: string, hash: Buffer, count: number): Promise<Date | null> {
    const [row] = await tx.query<{ sentAt: Date }[]>(nthLastToSql, [accountId, hash, count - 1]);
    return row?.sentAt ?? null;
  }

  async insertRecipient(tx: EntityManager, row: PassMailRecipientRow): Promise<void> {
    await tx.insert(PassMailRecipientRow, row);
  }

  async deleteRecipient(tx: EntityManager, accountId: string, recipientHash: Buffer): Promise<void> {
    await tx.delete(PassMailRecipientRow, { accountId, recipientHash });
  }

  /** Forgets to whom mails were sent before. */
  async deleteRecipients(tx: EntityManager, before: Date): Promise<void> {
    await tx.query('DELETE FROM pass_mail_recipient WHERE sent_at < $1', [before]);
  }
}

// A node whose clock is a little behind does not begin the day before anew.
export const countOfDaySql = `
  INSERT INTO pass_mail_day AS known (account_id, begins_at, mails) VALUES ($1, $2, 1)
  ON CONFLICT (account_id) DO UPDATE SET
    begins_at = greatest(known.begins_at, excluded.begins_at),
    mails = CASE WHEN known.begins_at < excluded.begins_at THEN 1 ELSE known.mails + 1 END
  WHERE known.begins_at < excluded.begins_at OR known.mails < $3
  RETURNING mails`;

export const nthLastToSql = `
  SELECT sent_at AS "sentAt" FROM pass_mail_recipient
  WHERE account_id = $1 AND recipient_hash = $2
  ORDER BY sent_at DESC, mail_id DESC OFFSET $3 LIMIT 1`;
