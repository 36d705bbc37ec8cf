import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { Member } from '../members/member.entity.js';

/** Names a member, and its template, which never changes. */
export type MemberKey = Pick<Member, 'accountId' | 'id' | 'templateId'>;

/** The queries on the table `member` for what is to be done by itself. */
@Injectable()
export class DueMembersRepository {
  constructor(private readonly database: Database) {}

  /** Those whose expiry has passed unnoticed, over all accounts, the first due first. */
  findExpired(now: Date, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(expiredSql, [now, limit]);
  }

  /** Those that a reminder is due for, over all accounts, the first due first. */
  findToRemind(now: Date, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(toRemindSql, [now, limit]);
  }

  /** The member, if it is still due and nobody else has it in hand. Lock its settings and template before it. */
  claim(tx: EntityManager, { accountId, id }: MemberKey, now: Date): Promise<Member | null> {
    return tx
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId AND member.id = :id AND member.dueAt <= :now', { accountId, id, now })
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked')
      .getOne();
  }

  /** Writes what time changes of a locked member. */
  async update(tx: EntityManager, { accountId, id, ...member }: Member): Promise<void> {
    const { status, remindersSent, remindedUntil, dueAt, version, updatedAt } = member;
    await tx.update(Member, { accountId, id }, { status, remindersSent, remindedUntil, dueAt, version, updatedAt });
  }

  /** Leaves alone until then whoever is still due, so that those after it have their turn. */
  async putOff(tx: EntityManager, { accountId, id }: MemberKey, now: Date, until: Date): Promise<void> {
    await tx.query('UPDATE member SET due_at = $4 WHERE account_id = $1 AND id = $2 AND due_at <= $3', [
      accountId,
      id,
      now,
      until,
    ]);
  }

  /** Those of an account whose ids come after `afterId`, by id. */
  findPage(accountId: string, afterId: number, limit: number): Promise<MemberKey[]> {
    return this.database.reads.query<MemberKey[]>(pageSql, [accountId, afterId, limit]);
  }

  /** These members, by id. Lock their settings and templates before them. */
  lockPage(tx: EntityManager, accountId: string, ids: readonly number[]): Promise<Member[]> {
    return tx
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId AND member.id = ANY (:ids)', { accountId, ids })
      .orderBy('member.id')
      .setLock('pessimistic_write')
      .getMany();
  }
}

const columns = 'account_id AS "accountId", id, template_id AS "templateId"';

export const expiredSql = `
  SELECT ${columns} FROM member WHERE due_at <= $1 AND expires_at <= $1 ORDER BY due_at LIMIT $2`;

export const toRemindSql = `
  SELECT ${columns} FROM member WHERE due_at <= $1 AND expires_at > $1 ORDER BY due_at LIMIT $2`;

export const pageSql = `SELECT ${columns} FROM member WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`;
