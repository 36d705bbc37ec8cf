import { Injectable } from '@nestjs/common';
import { Database, firstAccountOfJson, lockedRows, perAccount } from '@passwright/database';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { MemberEncryptionService } from '../members/member-encryption.service.js';
import { Member } from '../members/member.entity.js';

/** The key of a member, and its template, which never changes. */
export type MemberKey = Pick<Member, 'accountId' | 'id' | 'templateId'>;

/** The key of a member, and the properties that timed changes modify. */
export type TimedMember = Pick<
  Member,
  'accountId' | 'id' | 'status' | 'remindersSent' | 'remindedUntil' | 'dueAt' | 'version' | 'updatedAt'
>;

/** All queries on the table `member` for timed changes. */
@Injectable()
export class DueMembersRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MemberEncryptionService,
  ) {}

  /** Finds members of all accounts whose expiry has passed but is not stored yet. The accounts take turns. */
  findExpired(now: Date, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(expiredSql, [now, limit]);
  }

  /** Finds members of all accounts with a due reminder. The accounts take turns. */
  findToRemind(now: Date, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(toRemindSql, [now, limit]);
  }

  /**
   * Locks a member if it is still due and not locked by another transaction. Lock the settings and the template first.
   */
  async claim(tx: EntityManager, { accountId, id }: MemberKey, now: Date): Promise<Member | null> {
    const due = () =>
      tx
        .createQueryBuilder(Member, 'member')
        .where('member.accountId = :accountId AND member.id = :id AND member.dueAt <= :now', { accountId, id, now });
    const [member] = await lockedRows(this.database, due, lockFree);
    return this.encryption.open(member ?? null, tx);
  }

  /** Locks expired members of one account like `claim`, ordered by id. */
  async claimExpired(tx: EntityManager, accountId: string, ids: readonly number[], now: Date): Promise<Member[]> {
    const expired = () =>
      tx
        .createQueryBuilder(Member, 'member')
        .where('member.accountId = :accountId AND member.id = ANY (:ids)', { accountId, ids })
        .andWhere('member.dueAt <= :now AND member.expiresAt <= :now', { now })
        .orderBy('member.id');
    return this.encryption.openAll(await lockedRows(this.database, expired, lockFree), tx);
  }

  /** Writes the timed changes of locked members in one statement. */
  async updateMany(tx: EntityManager, members: readonly TimedMember[]): Promise<void> {
    if (members.length === 0) return;
    await perAccount(this.database, members, (some, write) =>
      tx.query<never[]>(write(updateSql, firstAccountOfJson), [JSON.stringify(some.map(toColumns))]),
    );
  }

  /** Postpones a member that is still due, so that the next members are processed. */
  async putOff(tx: EntityManager, { accountId, id }: MemberKey, now: Date, until: Date): Promise<void> {
    await tx.query('UPDATE member SET retry_at = $4 WHERE account_id = $1 AND id = $2 AND due_at <= $3', [
      accountId,
      id,
      now,
      until,
    ]);
  }

  /** Finds pending, active and suspended members of an account with ids greater than `afterId`, ordered by id. */
  findPage(accountId: string, afterId: number, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(pageSql, [accountId, afterId, limit]);
  }

  /** Locks these members in the order of their ids. Lock the settings and the templates first. */
  async lockPage(tx: EntityManager, accountId: string, ids: readonly number[]): Promise<Member[]> {
    const page = () =>
      tx
        .createQueryBuilder(Member, 'member')
        .where('member.accountId = :accountId AND member.id = ANY (:ids)', { accountId, ids })
        .orderBy('member.id');
    const locked = await lockedRows(this.database, page, (rows) => rows.setLock('pessimistic_write'));
    return this.encryption.openAll(locked, tx);
  }
}

/** Locks the members that no other transaction has locked. */
const lockFree = (rows: SelectQueryBuilder<Member>) => rows.setLock('pessimistic_write').setOnLocked('skip_locked');

function toColumns(member: TimedMember): object {
  return {
    account_id: member.accountId,
    id: member.id,
    status: member.status,
    reminders_sent: member.remindersSent,
    reminded_until: member.remindedUntil,
    due_at: member.dueAt,
    version: member.version,
    updated_at: member.updatedAt,
  };
}

const updateSql = `
  UPDATE member SET status = m.status, reminders_sent = m.reminders_sent, reminded_until = m.reminded_until,
    due_at = m.due_at, version = m.version, updated_at = m.updated_at
  FROM json_to_recordset($1::json) AS m(account_id text, id integer, status text, reminders_sent jsonb,
    reminded_until timestamptz, due_at timestamptz, version integer, updated_at timestamptz)
  WHERE member.account_id = m.account_id AND member.id = m.id`;

const columns = 'account_id AS "accountId", id, template_id AS "templateId"';
/**
 * SQL condition for members that are due and not postponed. Ignores a delay of more than an hour, which comes from a
 * wrong clock. Few members are postponed at a time, so no index excludes them.
 */
const isDue = "due_at <= $1 AND (retry_at IS NULL OR retry_at <= $1 OR retry_at > $1::timestamptz + interval '1 hour')";

/**
 * The number of due members, earliest first, among which the accounts take turns. It limits the cost of a run. An
 * account whose members are all due later waits until earlier members are processed.
 */
const mostSorted = 20_000;

/** SQL: due members, first the earliest of each account, so that no account waits for all members of another. */
const inTurn = (which: string) => `
  SELECT ${columns} FROM (
    SELECT account_id, id, template_id, due_at, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS place
    FROM (
      SELECT account_id, id, template_id, due_at FROM member WHERE ${isDue} AND ${which}
      ORDER BY due_at LIMIT ${mostSorted}
    ) AS earliest
  ) AS due ORDER BY place, due_at LIMIT $2`;

export const expiredSql = inTurn('expires_at <= $1');

export const toRemindSql = inTurn('expires_at > $1');

export const pageSql = `
  SELECT ${columns} FROM member WHERE account_id = $1 AND id > $2 AND status IN ('pending', 'active', 'suspended')
  ORDER BY id LIMIT $3`;
