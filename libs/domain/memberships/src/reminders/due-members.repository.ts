import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { MemberEncryptionService } from '../members/member-encryption.service.js';
import { Member } from '../members/member.entity.js';

/** Names a member, and its template, which never changes. */
export type MemberKey = Pick<Member, 'accountId' | 'id' | 'templateId'>;

/** What time changes of a member, and its key. */
export type TimedMember = Pick<
  Member,
  'accountId' | 'id' | 'status' | 'remindersSent' | 'remindedUntil' | 'dueAt' | 'version' | 'updatedAt'
>;

/** The queries on the table `member` for what is to be done by itself. */
@Injectable()
export class DueMembersRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MemberEncryptionService,
  ) {}

  /** Those whose expiry has passed unnoticed, over all accounts, the first due first. */
  findExpired(now: Date, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(expiredSql, [now, limit]);
  }

  /** Those that a reminder is due for, over all accounts, the first due first. */
  findToRemind(now: Date, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(toRemindSql, [now, limit]);
  }

  /** The member, if it is still due and nobody else has it in hand. Lock its settings and template before it. */
  async claim(tx: EntityManager, { accountId, id }: MemberKey, now: Date): Promise<Member | null> {
    const claimed = tx
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId AND member.id = :id AND member.dueAt <= :now', { accountId, id, now })
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked');
    return this.encryption.open(await claimed.getOne(), tx);
  }

  /** As `claim`, of those of one account whose expiry has passed, by id. */
  async claimExpired(tx: EntityManager, accountId: string, ids: readonly number[], now: Date): Promise<Member[]> {
    const claimed = tx
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId AND member.id = ANY (:ids)', { accountId, ids })
      .andWhere('member.dueAt <= :now AND member.expiresAt <= :now', { now })
      .orderBy('member.id')
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked');
    return this.encryption.openAll(await claimed.getMany(), tx);
  }

  /** Writes what time changes of locked members, in one statement. */
  async updateMany(tx: EntityManager, members: readonly TimedMember[]): Promise<void> {
    if (members.length > 0) await tx.query(updateSql, [JSON.stringify(members.map(toColumns))]);
  }

  /** Leaves alone until then whoever is still due, so that those after it have their turn. */
  async putOff(tx: EntityManager, { accountId, id }: MemberKey, now: Date, until: Date): Promise<void> {
    await tx.query('UPDATE member SET retry_at = $4 WHERE account_id = $1 AND id = $2 AND due_at <= $3', [
      accountId,
      id,
      now,
      until,
    ]);
  }

  /** Those of an account who are members or may become so, whose ids come after `afterId`, by id. */
  findPage(accountId: string, afterId: number, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(pageSql, [accountId, afterId, limit]);
  }

  /** These members, by id. Lock their settings and templates before them. */
  async lockPage(tx: EntityManager, accountId: string, ids: readonly number[]): Promise<Member[]> {
    const locked = tx
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId AND member.id = ANY (:ids)', { accountId, ids })
      .orderBy('member.id')
      .setLock('pessimistic_write');
    return this.encryption.openAll(await locked.getMany(), tx);
  }
}

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
/** Few are put off at a time, so they are passed over where they are. None is for an hour: the clock was wrong then. */
const isDue = "due_at <= $1 AND (retry_at IS NULL OR retry_at <= $1 OR retry_at > $1::timestamptz + interval '1 hour')";

export const expiredSql = `
  SELECT ${columns} FROM member WHERE ${isDue} AND expires_at <= $1 ORDER BY due_at LIMIT $2`;

export const toRemindSql = `
  SELECT ${columns} FROM member WHERE ${isDue} AND expires_at > $1 ORDER BY due_at LIMIT $2`;

export const pageSql = `
  SELECT ${columns} FROM member WHERE account_id = $1 AND id > $2 AND status IN ('pending', 'active', 'suspended')
  ORDER BY id LIMIT $3`;
