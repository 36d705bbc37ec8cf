import { Injectable } from '@nestjs/common';
import { Database, deleteSome } from '@passwright/database';
import { MoreThan, type EntityManager } from 'typeorm';
import { AgentPlan } from './agent-plan.entity.js';

/** The exact call that a plan is for. */
export type PlannedCall = Pick<AgentPlan, 'accountId' | 'keyId' | 'tool' | 'callHash'>;

type NewPlan = Omit<AgentPlan, 'confirmedAt' | 'confirmedBy'>;

@Injectable()
export class AgentPlansRepository {
  constructor(private readonly database: Database) {}

  /** Counts the plans of a key that have not expired. */
  count(tx: EntityManager, accountId: string, keyId: string, now: Date): Promise<number> {
    return tx.countBy(AgentPlan, { accountId, keyId, expiresAt: MoreThan(now) });
  }

  /**
   * Stores a plan, or renews the plan of the same call. A confirmation stays only if it has not expired and the plan is
   * the same as before.
   * @returns the id of the plan
   */
  async put(tx: EntityManager, { plan, ...call }: NewPlan): Promise<string> {
    const [row] = await tx.query<[{ id: string }]>(
      `INSERT INTO agent_plan AS old (account_id, id, key_id, tool, call_hash, plan, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (account_id, key_id, call_hash) DO UPDATE
       SET plan = excluded.plan, expires_at = excluded.expires_at,
           confirmed_at = CASE WHEN old.expires_at > $7 AND old.plan = excluded.plan THEN old.confirmed_at END,
           confirmed_by = CASE WHEN old.expires_at > $7 AND old.plan = excluded.plan THEN old.confirmed_by END
       RETURNING id`,
      [
        ...[call.accountId, call.id, call.keyId, call.tool, call.callHash],
        ...[JSON.stringify(plan), call.createdAt, call.expiresAt],
      ],
    );
    return row.id;
  }

  /** Finds the plan of a call, unless it has expired. */
  find(call: PlannedCall, now: Date): Promise<AgentPlan | null> {
    const { accountId, keyId, tool, callHash } = call;
    return this.database.reads.findOneBy(AgentPlan, { accountId, keyId, tool, callHash, expiresAt: MoreThan(now) });
  }

  /** Lists plans that have not expired, newest first. @param after the last plan of the previous page */
  list(
    accountId: string,
    now: Date,
    limit: number,
    after: { createdAt: Date; id: string } | null,
  ): Promise<AgentPlan[]> {
    const query = this.database.reads
      .createQueryBuilder(AgentPlan, 'plan')
      .where('plan.accountId = :accountId AND plan.expiresAt > :now', { accountId, now })
      .orderBy('plan.createdAt', 'DESC')
      .addOrderBy('plan.id', 'DESC')
      .limit(limit);
    if (after) query.andWhere('(plan.createdAt, plan.id) < (:createdAt, :id)', after);
    return query.getMany();
  }

  /** Returns a plan that has not expired, and locks it until `tx` ends. */
  findForUpdate(tx: EntityManager, accountId: string, id: string, now: Date): Promise<AgentPlan | null> {
    const where = { accountId, id, expiresAt: MoreThan(now) };
    return tx.findOne(AgentPlan, { where, lock: { mode: 'pessimistic_write' } });
  }

  async confirm(
    tx: EntityManager,
    { accountId, id }: AgentPlan,
    confirmedBy: string,
    confirmedAt: Date,
  ): Promise<void> {
    await tx.update(AgentPlan, { accountId, id }, { confirmedBy, confirmedAt });
  }

  async delete(tx: EntityManager, { accountId, keyId, callHash }: PlannedCall): Promise<void> {
    await tx.delete(AgentPlan, { accountId, keyId, callHash });
  }

  /** Deletes expired plans of all accounts. Only for the scheduled clean-up. */
  deleteExpired(tx: EntityManager, now: Date, limit: number): Promise<number> {
    const expired = {
      table: 'agent_plan',
      key: ['account_id', 'id'],
      condition: 'old.expires_at <= $1',
      values: [now],
    };
    return deleteSome(tx, expired, limit);
  }
}
