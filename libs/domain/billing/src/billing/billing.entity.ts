import type { SubscriptionPeriod, SubscriptionStatus } from '@passwright/core';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A value that an operator has set manually, or null. `at` is the time in ISO form. */
export interface OperatorSetting<Value> {
  readonly at: string;
  readonly value: Value | null;
}

/** All values that an operator has set manually. */
export interface OperatorSettings {
  readonly subscription?: OperatorSetting<StoredSubscription>;
  readonly maxTemplates?: OperatorSetting<number>;
  readonly maxPassCreations?: OperatorSetting<number>;
}

/** A subscription as JSON. */
export interface StoredSubscription {
  readonly planId: string;
  readonly status: SubscriptionStatus;
  readonly paymentSubscriptionId: string | null;
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  readonly period: SubscriptionPeriod;
}

/**
 * The plan and the limits that apply to an account now. Each value comes from the payment provider's events
 * (`payment_subscription`, `payment_customer`) or from the operator's settings, whichever is newer. An account without
 * events and settings has no row.
 */
@Entity('billing', { synchronize: false })
export class Billing {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @Column({ name: 'payment_customer_id', type: 'text', nullable: true })
  paymentCustomerId!: string | null;

  /** The columns from here to `period` are null for an account without a subscription. */
  @Column({ name: 'plan_id', type: 'text', nullable: true })
  planId!: string | null;

  @Column({ type: 'text', nullable: true })
  status!: SubscriptionStatus | null;

  @Column({ name: 'payment_subscription_id', type: 'text', nullable: true })
  paymentSubscriptionId!: string | null;

  @Column({ name: 'current_period_start', type: 'timestamptz', precision: 3, nullable: true })
  currentPeriodStart!: Date | null;

  @Column({ name: 'current_period_end', type: 'timestamptz', precision: 3, nullable: true })
  currentPeriodEnd!: Date | null;

  @Column({ type: 'text', nullable: true })
  period!: SubscriptionPeriod | null;

  /** Null means no limit. */
  @Column({ name: 'max_templates', type: 'integer', nullable: true })
  maxTemplates!: number | null;

  @Column({ name: 'max_pass_creations', type: 'integer', nullable: true })
  maxPassCreations!: number | null;

  @Column({ name: 'operator_settings', type: 'jsonb' })
  operatorSettings!: OperatorSettings;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
