import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A change of a property. An absent value is not set. */
export interface ShownChange {
  readonly from?: unknown;
  readonly to?: unknown;
  /** True if the values are too long to show. They are absent then. */
  readonly isLong?: true;
}

/** The description of a plan for the person who confirms it. Contains nothing that a pass shows. */
export interface ShownPlan {
  readonly does: string;
  readonly templateId?: string;
  readonly passId?: string;
  /** The numbers of passes and devices that the call changes. */
  readonly reaches?: Readonly<Record<string, number>>;
  /** The changed properties. Changes of a pass have no values. */
  readonly changes?: Readonly<Record<string, ShownChange>>;
  /** The entity tag of the resource that the call changes. No response has it. */
  readonly state?: string;
}

/** A call of a supervised API key's agent, which a person has to confirm. */
@Entity('agent_plan')
export class AgentPlan {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'key_id', type: 'text' })
  keyId!: string;

  @Column({ type: 'text' })
  tool!: string;

  /** A keyed hash of the exact call and of the state that it starts from. */
  @Column({ name: 'call_hash', type: 'bytea' })
  callHash!: Buffer;

  @Column({ type: 'jsonb' })
  plan!: ShownPlan;

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
