import { Injectable } from '@nestjs/common';
import { Database, deleteSome } from '@passwright/database';
import { MoreThan, Not, type EntityManager } from 'typeorm';
import { AgentPlan, type ShownPlan } from './agent-plan.entity.js';

/** The exact call that a plan is for. */
export type PlannedCall = Pick<AgentPlan, 'accountId' | 'keyId' | 'tool' | 'callHash'>;

type NewPlan = Omit<AgentPlan, 'confirmedAt' | 'confirmedBy'>;

@Injectable()
export class AgentPlansRepository {
  constructor(private readonly database: Database) {}

  /** Returns false if the key does not exist. Until `tx` ends, no other transaction can store a plan of the key. */
  async lockKey(tx: EntityManager, { accountId, keyId }: PlannedCall): Promise<boolean> {
    const sql = 'SELECT FROM api_key WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE';
    return (await tx.query<unknown[]>(sql, [accountId, keyId])).length === 1;
  }

  /** Counts the plans of the key for other calls that have not expired. */
  countOthers(tx: EntityManager, { accountId, keyId, callHash }: PlannedCall, now: Date): Promise<number> {
    return tx.countBy(AgentPlan, { accountId, keyId, callHash: Not(callHash), expiresAt: MoreThan(now) });
  }

  /** Deletes the key's plans for earlier states of the same template or pass: they can no longer be executed. */
  async deleteOutdated(tx: EntityManager, { accountId, keyId }: PlannedCall, plan: ShownPlan): Promise<void> {
    await tx.query(
      `DELETE FROM agent_plan
       WHERE account_id = $1 AND key_id = $2 AND plan->>'templateId' IS NOT DISTINCT FROM $3
         AND plan->>'passId' IS NOT DISTINCT FROM $4 AND plan->>'state' <> $5`,
      [accountId, keyId, plan.templateId, plan.passId, plan.state],
    );
  }

  /**
   * Stores a plan, or renews the plan of the same call. A confirmation stays, with its end, only if it has not expired
   * and the plan is the same as before. A plan that says something else has a new id, because the id is what a user
   * confirms.
   * @returns the time at which the plan expires
   */
  async put(tx: EntityManager, { plan, ...call }: NewPlan): Promise<Date> {
    const same = 'old.expires_at > $7 AND old.plan = excluded.plan';
    const [row] = await tx.query<[{ expiresAt: Date }]>(
      `INSERT INTO agent_plan AS old (account_id, id, key_id, tool, call_hash, plan, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (account_id, key_id, call_hash) DO UPDATE
       SET plan = excluded.plan,
           id = CASE WHEN ${same} THEN old.id ELSE excluded.id END,
           created_at = CASE WHEN ${same} THEN old.created_at ELSE excluded.created_at END,
           confirmed_at = CASE WHEN ${same} THEN old.confirmed_at END,
           confirmed_by = CASE WHEN ${same} THEN old.confirmed_by END,
           expires_at = CASE WHEN ${same} AND old.confirmed_at IS NOT NULL
                             THEN old.expires_at ELSE excluded.expires_at END
       RETURNING expires_at AS "expiresAt"`,
      [
        ...[call.accountId, call.id, call.keyId, call.tool, call.callHash],
        ...[JSON.stringify(plan), call.createdAt, call.expiresAt],
      ],
    );
    return row.expiresAt;
  }

  /** Finds a call's confirmation that has not expired. `isSame` is true if the call's plan is still what was confirmed. */
  async findConfirmation(call: PlannedCall, plan: ShownPlan, now: Date): Promise<{ isSame: boolean } | null> {
    const [row] = await this.database.reads.query<{ isSame: boolean }[]>(
      `SELECT plan = $5::jsonb AS "isSame" FROM agent_plan
       WHERE account_id = $1 AND key_id = $2 AND tool = $3 AND call_hash = $4 AND expires_at > $6
         AND confirmed_at IS NOT NULL`,
      [call.accountId, call.keyId, call.tool, call.callHash, JSON.stringify(plan), now],
    );
    return row ?? null;
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
