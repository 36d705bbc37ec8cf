import type { SubscriptionPeriod, SubscriptionStatus } from '@passwright/core';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A subscription according to the newest events of the payment provider. Its account may be unknown at first. Each
 * group of columns has a version, because events may arrive in any order: only an event with a higher version changes
 * the group.
 */
@Entity('payment_subscription', { synchronize: false })
export class PaymentSubscription {
  /** The provider's id of the subscription. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'customer_id', type: 'text' })
  customerId!: string;

  /** The account that the subscription itself names; null to use the account of its customer. */
  @Column({ name: 'account_id', type: 'text', nullable: true })
  accountId!: string | null;

  @Column({ name: 'account_version', type: 'text', nullable: true })
  accountVersion!: string | null;

  /** When the subscription began at the provider. */
  @Column({ name: 'started_at', type: 'timestamptz', precision: 3 })
  startedAt!: Date;

  @Column({ name: 'plan_id', type: 'text' })
  planId!: string;

  @Column({ type: 'text' })
  status!: SubscriptionStatus;

  @Column({ name: 'current_period_start', type: 'timestamptz', precision: 3 })
  currentPeriodStart!: Date;

  @Column({ name: 'current_period_end', type: 'timestamptz', precision: 3 })
  currentPeriodEnd!: Date;

  @Column({ type: 'text' })
  period!: SubscriptionPeriod;

  /** The version of all columns above. */
  @Column({ type: 'text' })
  version!: string;

  /** Null means no limit. If the version is also null, the provider has not reported a limit yet. */
  @Column({ name: 'max_templates', type: 'integer', nullable: true })
  maxTemplates!: number | null;

  @Column({ name: 'max_templates_version', type: 'text', nullable: true })
  maxTemplatesVersion!: string | null;

  @Column({ name: 'max_pass_creations', type: 'integer', nullable: true })
  maxPassCreations!: number | null;

  @Column({ name: 'max_pass_creations_version', type: 'text', nullable: true })
  maxPassCreationsVersion!: string | null;

  @Column({ name: 'received_at', type: 'timestamptz', precision: 3 })
  receivedAt!: Date;
}
