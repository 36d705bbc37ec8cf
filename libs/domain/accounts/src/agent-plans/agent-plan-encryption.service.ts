import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newSalt } from '../personal-data/account-key.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import type { AgentPlan, PlannedChanges } from './agent-plan.entity.js';

const COLUMN = 'agent_plan.personal';

type PlanKey = Pick<AgentPlan, 'accountId' | 'id'>;
type ValueColumns = Required<Pick<AgentPlan, 'changes' | 'personal'>>;

/** The stored values of a plan, and the salt of their encryption key. */
export type StoredValues = ValueColumns & { readonly salt: Buffer | null };

/** Encrypts and decrypts the values that plans change, because a value on a pass can be a person's name. */
@Injectable()
export class AgentPlanEncryption {
  constructor(private readonly keys: PersonalData) {}

  /** Returns the decrypted values; null if their key was deleted, for example by an erasure. */
  async open(
    plan: PlanKey,
    { changes, personal, salt }: StoredValues,
    tx?: EntityManager,
  ): Promise<PlannedChanges | null> {
    if (!personal) return changes ?? {};
    const key = salt && (await this.keys.find(plan.accountId, tx));
    const opened = key && key.open<{ changes: PlannedChanges }>({ id: idOf(plan), salt }, COLUMN, personal);
    return opened ? opened.changes : null;
  }

  /** Stores the encryption key of a new plan, and returns the columns to write for its values. */
  async columnsOf(tx: EntityManager, plan: PlanKey, changes: PlannedChanges): Promise<ValueColumns> {
    const key = await this.keys.findForWrite(plan.accountId, tx);
    if (!key) return { changes, personal: null };
    const record = { id: idOf(plan), salt: newSalt() };
    await this.keys.put(tx, plan.accountId, [record]);
    return { changes: null, personal: key.encrypt(record, COLUMN, { changes }) };
  }
}

const idOf = ({ id }: PlanKey) => `plan:${id}`;
