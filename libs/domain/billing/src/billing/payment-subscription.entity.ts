import type { SubscriptionPeriod, SubscriptionStatus } from '@passwright/core';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A subscription by the newest events of the payment provider, also before its account is known. Each part has a version,
 * which orders the events about it: they may arrive in any order.
 */
@Entity('payment_subscription')
export class PaymentSubscription {
  /** The provider's id of the subscription. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  customerId!: string;

  /** The account that the subscription itself names; null for the account of its customer. */
  @Column({ type: 'text', nullable: true })
  accountId!: string | null;

  @Column({ type: 'text', nullable: true })
  accountVersion!: string | null;

  /** The time when the subscription began at the provider. */
  @Column({ type: 'timestamptz', precision: 3 })
  startedAt!: Date;

  @Column({ type: 'text' })
  planId!: string;

  @Column({ type: 'text' })
  status!: SubscriptionStatus;

  @Column({ type: 'timestamptz', precision: 3 })
  currentPeriodStart!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  currentPeriodEnd!: Date;

  @Column({ type: 'text' })
  period!: SubscriptionPeriod;

  /** The version of all columns above. */
  @Column({ type: 'text' })
  version!: string;

  /** Null with a version: no limit. Null without a version: the provider has not named one. */
  @Column({ type: 'integer', nullable: true })
  maxTemplates!: number | null;

  @Column({ type: 'text', nullable: true })
  maxTemplatesVersion!: string | null;

  @Column({ type: 'integer', nullable: true })
  maxPassCreations!: number | null;

  @Column({ type: 'text', nullable: true })
  maxPassCreationsVersion!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  receivedAt!: Date;
}
