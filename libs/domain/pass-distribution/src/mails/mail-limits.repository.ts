import { Injectable } from '@nestjs/common';
import { Database, deleteSome } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { PassMailRecipientRow } from './mail-limits.entities.js';

/** A mail to count towards the daily limit. */
export interface MailOfDay {
  readonly accountId: string;
  /** The account and the other accounts that share its limit. */
  readonly together: readonly string[];
  readonly day: Date;
  readonly most: number;
}

/** All queries on the tables `pass_mail_day` and `pass_mail_recipient`. */
@Injectable()
export class MailLimitsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Locks the daily count of a founder's accounts until `tx` ends.
   * @param oldest the id of the founder's oldest account
   */
  async lockDay(tx: EntityManager, oldest: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`pass-mail-day ${oldest}`]);
  }

  /**
   * Counts a mail of an account for a day, under `lockDay`.
   * @returns false, without counting, if the accounts have already sent `most` mails in total
   */
  async countOfDay(tx: EntityManager, { accountId, day, most, together }: MailOfDay): Promise<boolean> {
    const rows = await tx.query<unknown[]>(countOfDaySql, [accountId, day, most, together]);
    return rows.length > 0;
  }

  /** Locks a recipient until `tx` ends, so that mails to the recipient are counted one after another. */
  async lockRecipient(tx: EntityManager, accountId: string, hash: Buffer): Promise<void> {
    const key = `pass-mail ${accountId} ${hash.toString('base64')}`;
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
  }

  /** Returns the time of the `count`th latest mail to a recipient before `end`; null if there are fewer. */
  async nthLastTo(tx: EntityManager, accountId: string, hash: Buffer, count: number, end: Date): Promise<Date | null> {
    const [row] = await tx.query<{ sentAt: Date }[]>(nthLastToSql, [accountId, hash, count - 1, end]);
    return row?.sentAt ?? null;
  }

  async insertRecipient(tx: EntityManager, row: PassMailRecipientRow): Promise<void> {
    await tx.insert(PassMailRecipientRow, row);
  }

  async deleteRecipient(tx: EntityManager, accountId: string, recipientHash: Buffer): Promise<void> {
    await tx.delete(PassMailRecipientRow, { accountId, recipientHash });
  }

  /** Deletes recipients of mails before this time. */
  deleteRecipients(tx: EntityManager, before: Date, limit: number): Promise<number> {
    const key = ['account_id', 'recipient_hash', 'sent_at', 'mail_id'];
    return deleteSome(
      this.database,
      tx,
      { table: 'pass_mail_recipient', key, condition: 'old.sent_at < $1', values: [before] },
      limit,
    );
  }
}

/**
 * Adds a mail to the count of an account. If the stored day is at most a day ahead, counts for that day, because this
 * node's clock may be slow. Ignores a later stored day, which comes from a wrong clock. The SELECT computes the new
 * row, because Citus accepts only `excluded` after ON CONFLICT. The lock on the day prevents changes in between.
 */
const countOfDaySql = `
  INSERT INTO pass_mail_day (account_id, begins_at, mails)
  SELECT $1::text, coalesce(min(begins_at) FILTER (WHERE account_id = $1), $2::timestamptz),
    coalesce(sum(mails) FILTER (WHERE account_id = $1), 0) + 1
  FROM pass_mail_day
  WHERE account_id = ANY ($4::text[])
    AND begins_at BETWEEN $2::timestamptz AND $2::timestamptz + interval '24 hours'
  HAVING coalesce(sum(mails), 0) < $3::integer
  ON CONFLICT (account_id) DO UPDATE SET begins_at = excluded.begins_at, mails = excluded.mails
  RETURNING mails`;

export const nthLastToSql = `
  SELECT sent_at AS "sentAt" FROM pass_mail_recipient
  WHERE account_id = $1 AND recipient_hash = $2 AND sent_at < $4
  ORDER BY sent_at DESC, mail_id DESC OFFSET $3 LIMIT 1`;
