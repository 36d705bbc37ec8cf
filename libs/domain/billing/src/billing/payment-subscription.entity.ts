import type { SubscriptionPeriod, SubscriptionStatus } from '@passwright/core';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The newest that the payment provider has told of a subscription, whether or not its account is known yet. Each part has
 * a version, which orders the events that told it: events may arrive in any order.
 */
@Entity('payment_subscription')
export class PaymentSubscription {
  /** The provider's id of it. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  customerId!: string;

  /** The account that the subscription itself names; null: its customer's. */
  @Column({ type: 'text', nullable: true })
  accountId!: string | null;

  @Column({ type: 'text', nullable: true })
  accountVersion!: string | null;

  /** When it was begun at the provider. */
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

  /** Of the event that told the above. */
  @Column({ type: 'text' })
  version!: string;

  /** Null: no limit, where there is a version; else not told. */
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
