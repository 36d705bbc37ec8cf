import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The changes that a call makes, by property. An absent value means that the property has no value. */
export type PlannedChanges = Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>;

/** The description of a plan for the person who confirms it, without the values. */
export interface PlanSummary {
  readonly does: string;
  /** The numbers of passes and devices that the call changes. */
  readonly reaches?: Readonly<Record<string, number>>;
  /** The names of the changed properties. */
  readonly changed: readonly string[];
  /** The entity tag of the resource that the call changes. No response contains it. */
  readonly state?: string;
}

/** A call that an agent has planned with a supervised API key. A person has to confirm it. */
@Entity('agent_plan', { synchronize: false })
export class AgentPlan {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'key_id', type: 'text' })
  keyId!: string;

  @Column({ type: 'text' })
  tool!: string;

  /** A keyed hash of the exact call and of its target's state before the call. */
  @Column({ name: 'call_hash', type: 'bytea' })
  callHash!: Buffer;

  @Column({ name: 'template_id', type: 'text', nullable: true })
  templateId!: string | null;

  /** Deleting the pass deletes the plan. */
  @Column({ name: 'pass_id', type: 'text', nullable: true })
  passId!: string | null;

  @Column({ type: 'jsonb' })
  plan!: PlanSummary;

  /** The unencrypted values; null if they are encrypted. Only `AgentPlansRepository` reads them, one plan at a time. */
  @Column({ type: 'jsonb', nullable: true, select: false })
  changes?: PlannedChanges | null;

  /** The encrypted values. */
  @Column({ type: 'bytea', nullable: true, select: false })
  personal?: Buffer | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'confirmed_at', type: 'timestamptz', precision: 3, nullable: true })
  confirmedAt!: Date | null;

  /** The uid of the user who confirmed the plan. */
  @Column({ name: 'confirmed_by', type: 'text', nullable: true })
  confirmedBy!: string | null;
}
