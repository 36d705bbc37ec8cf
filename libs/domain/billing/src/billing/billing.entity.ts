import type { SubscriptionPeriod, SubscriptionStatus } from '@passwright/core';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Something that an operator has set by hand; `at` is when, in ISO form, and null is none. */
export interface OperatorSetting<Value> {
  readonly at: string;
  readonly value: Value | null;
}

/** What an operator has set by hand. */
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
 * What an account pays for, and its limits: what holds at present. It follows from what the payment provider has told
 * (`payment_subscription`, `payment_customer`) and what an operator has set, whichever is newer. No row: nothing of either.
 */
@Entity('billing')
export class Billing {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @Column({ type: 'text', nullable: true })
  paymentCustomerId!: string | null;

  /** Null: no subscription, and what follows up to `period` is null too. */
  @Column({ type: 'text', nullable: true })
  planId!: string | null;

  @Column({ type: 'text', nullable: true })
  status!: SubscriptionStatus | null;

  @Column({ type: 'text', nullable: true })
  paymentSubscriptionId!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  currentPeriodStart!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  currentPeriodEnd!: Date | null;

  @Column({ type: 'text', nullable: true })
  period!: SubscriptionPeriod | null;

  /** Null: no limit. */
  @Column({ type: 'integer', nullable: true })
  maxTemplates!: number | null;

  @Column({ type: 'integer', nullable: true })
  maxPassCreations!: number | null;

  @Column({ type: 'jsonb' })
  operatorSettings!: OperatorSettings;

  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
