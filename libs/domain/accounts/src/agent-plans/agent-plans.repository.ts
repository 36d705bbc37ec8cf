import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database, deleteSome } from '@passwright/database';
import { IsNull, MoreThan, Not, type EntityManager } from 'typeorm';
import { AgentPlanEncryption, type StoredValues } from './agent-plan-encryption.service.js';
import { AgentPlan, type PlannedChanges, type PlanSummary } from './agent-plan.entity.js';

/** The exact call that a plan is for. */
export type PlannedCall = Pick<AgentPlan, 'accountId' | 'keyId' | 'tool' | 'callHash'>;

/** A plan for the person who confirms it: the effect of the call, its target, and the values that it changes. */
export interface ShownPlan extends PlanSummary {
  readonly templateId?: string;
  readonly passId?: string;
  readonly changes: PlannedChanges;
}

type NewPlan = PlannedCall & Pick<AgentPlan, 'id' | 'createdAt' | 'expiresAt'>;

@Injectable()
export class AgentPlansRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: AgentPlanEncryption,
  ) {}

  /**
   * Locks the API key until `tx` ends, so that no other transaction can store a plan of the key.
   * @returns false if the key does not exist
   */
  async lockKey(tx: EntityManager, { accountId, keyId }: PlannedCall): Promise<boolean> {
    const sql = 'SELECT FROM api_key WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE';
    return (await tx.query<unknown[]>(sql, [accountId, keyId])).length === 1;
  }

  /** Counts the key's unexpired plans, except the plan for this call, and the bytes of their values. */
  async sizeOfOthers(
    tx: EntityManager,
    { accountId, keyId, callHash }: PlannedCall,
    now: Date,
  ): Promise<{ plans: number; bytes: number }> {
    const [size] = await tx.query<[{ plans: number; bytes: number }]>(
      `SELECT count(*)::integer AS plans,
              coalesce(sum(coalesce(octet_length(personal), pg_column_size(changes), 0)), 0)::integer AS bytes
       FROM agent_plan WHERE account_id = $1 AND key_id = $2 AND call_hash <> $3 AND expires_at > $4`,
      [accountId, keyId, callHash, now],
    );
    return size;
  }

  /**
   * Deletes the key's plans for earlier states of the same template or pass, because they can no longer be executed.
   * First locks all plans of the key for this target, in the same order as other transactions, to avoid deadlocks.
   */
  async deleteOutdated(tx: EntityManager, { accountId, keyId }: PlannedCall, plan: ShownPlan): Promise<void> {
    const target = [accountId, keyId, plan.templateId, plan.passId];
    const ofTarget = `FROM agent_plan WHERE account_id = $1 AND key_id = $2
      AND template_id IS NOT DISTINCT FROM $3 AND pass_id IS NOT DISTINCT FROM $4`;
    await tx.query(`SELECT ${ofTarget} ORDER BY id FOR UPDATE`, target);
    await tx.query(`DELETE ${ofTarget} AND plan->>'state' <> $5`, [...target, plan.state]);
  }

  /**
   * Stores a plan. If the call already has an unexpired plan with the same content, keeps it, and extends its expiry if
   * it is unconfirmed. A changed plan gets a new id, because users confirm a plan by its id. The caller must have
   * locked the target first, and then the API key.
   * @returns the time at which the plan expires
   */
  async put(tx: EntityManager, call: NewPlan, shown: ShownPlan): Promise<Date> {
    const { accountId, keyId, callHash, createdAt, expiresAt } = call;
    const lock = { mode: 'pessimistic_write' } as const;
    const old = await tx.findOne(AgentPlan, { where: { accountId, keyId, callHash }, lock });
    if (old && old.expiresAt > createdAt && (await this.isSame(old, shown, tx))) {
      if (old.confirmedAt) return old.expiresAt;
      await tx.update(AgentPlan, { accountId, id: old.id }, { expiresAt });
      return expiresAt;
    }
    if (old) await this.delete(tx, old);
    const { templateId = null, passId = null, changes, ...plan } = shown;
    const values = await this.encryption.columnsOf(tx, call, changes);
    const decision = { confirmedAt: null, confirmedBy: null };
    await this.database.insert(tx, AgentPlan, { ...call, templateId, passId, plan, ...values, ...decision });
    return expiresAt;
  }

  /**
   * Finds the unexpired confirmation of a call. `isSame` is true if the confirmed plan has the same content as `plan`.
   */
  async findConfirmation(call: PlannedCall, plan: ShownPlan, now: Date): Promise<{ isSame: boolean } | null> {
    const { accountId, keyId, tool, callHash } = call;
    const where = { accountId, keyId, tool, callHash, expiresAt: MoreThan(now), confirmedAt: Not(IsNull()) };
    const found = await this.database.reads.findOneBy(AgentPlan, where);
    return found && { isSame: await this.isSame(found, plan) };
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

  /** Returns a plan that has not expired. */
  find(accountId: string, id: string, now: Date): Promise<AgentPlan | null> {
    return this.database.reads.findOneBy(AgentPlan, { accountId, id, expiresAt: MoreThan(now) });
  }

  /** Returns a plan that has not expired, and locks it until `tx` ends. */
  findForUpdate(tx: EntityManager, accountId: string, id: string, now: Date): Promise<AgentPlan | null> {
    const where = { accountId, id, expiresAt: MoreThan(now) };
    return tx.findOne(AgentPlan, { where, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Returns the plans that a user has confirmed and that have not expired. Locks them until `tx` ends, in the same order
   * as deletions do.
   */
  findConfirmedByForUpdate(tx: EntityManager, accountId: string, confirmedBy: string, now: Date): Promise<AgentPlan[]> {
    return tx
      .createQueryBuilder(AgentPlan, 'plan')
      .where('plan.accountId = :accountId AND plan.confirmedBy = :confirmedBy', { accountId, confirmedBy })
      .andWhere('plan.expiresAt > :now', { now })
      .orderBy(`plan.template_id || '/' || plan.pass_id`)
      .addOrderBy('plan.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** Returns the values that a plan changes; null if their encryption key no longer exists. */
  async changesOf(plan: AgentPlan, tx?: EntityManager): Promise<PlannedChanges | null> {
    const [stored] = await (tx ?? this.database.reads).query<StoredValues[]>(
      `SELECT p.changes, p.personal, k.salt FROM agent_plan p
       LEFT JOIN encryption_key k ON k.account_id = p.account_id AND k.id = 'plan:' || p.id
       WHERE p.account_id = $1 AND p.id = $2`,
      [plan.accountId, plan.id],
    );
    return stored ? this.encryption.open(plan, stored, tx) : null;
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
    return deleteSome(this.database, tx, expired, limit);
  }

  /**
   * Deletes encryption keys whose plan no longer exists, across all accounts. Nodes of an earlier version leave such
   * keys. Only for the scheduled clean-up.
   */
  deleteKeysWithoutPlan(tx: EntityManager, limit: number): Promise<number> {
    const keys = { table: 'encryption_key', key: ['account_id', 'id'], condition: withoutPlan, values: [] };
    return deleteSome(this.database, tx, keys, limit);
  }

  private async isSame(stored: AgentPlan, shown: ShownPlan, tx?: EntityManager): Promise<boolean> {
    const { changes, templateId = null, passId = null, ...plan } = asJson(shown);
    const former = [stored.templateId, stored.passId, stored.plan, await this.changesOf(stored, tx)];
    return isDeepStrictEqual(former, [templateId, passId, plan, changes]);
  }
}

/**
 * SQL condition for encryption keys whose plan no longer exists. Selects only ids that begin with `plan:`, as a range,
 * so that Postgres skips the many keys of passes and members.
 */
const withoutPlan = `
  old.account_id IN (SELECT account_id FROM encryption_key WHERE wrapped IS NOT NULL)
  AND old.id > 'plan:' AND old.id < 'plan;'
  AND NOT EXISTS (SELECT FROM agent_plan p WHERE p.account_id = old.account_id AND p.id = substr(old.id, 6))`;

/** Returns the plan as JSON would store it, to compare it with a stored plan. */
function asJson(plan: ShownPlan): ShownPlan {
  return JSON.parse(JSON.stringify(plan)) as ShownPlan;
}
