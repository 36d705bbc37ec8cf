import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The delivery of one event to one webhook. */
@Entity('webhook_delivery', { synchronize: false })
export class WebhookDelivery {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'webhook_id', type: 'text' })
  webhookId!: string;

  @PrimaryColumn({ name: 'event_id', type: 'text' })
  eventId!: string;

  /** The time of the event. */
  @Column({ name: 'occurred_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  occurredAt!: Date;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** The time of the next attempt; null once the delivery has succeeded or has failed permanently. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /**
   * The number of claims since the last recorded result. More than one means that a process crashed with the claim or
   * lost its database connection.
   */
  @Column({ name: 'open_claims', type: 'smallint', default: 0 })
  openClaims!: number;

  /** The key of the process that made the latest claim (see `Claimant`). */
  @Column({ name: 'claimed_by', type: 'integer', nullable: true })
  claimedBy!: number | null;

  @Column({ name: 'attempted_at', type: 'timestamptz', precision: 3, nullable: true })
  attemptedAt!: Date | null;

  @Column({ name: 'delivered_at', type: 'timestamptz', precision: 3, nullable: true })
  deliveredAt!: Date | null;

  /** The status of the last response; null if there was none. */
  @Column({ name: 'status_code', type: 'integer', nullable: true })
  statusCode!: number | null;

  /** The reason why the last attempt failed, as a sentence. */
  @Column({ type: 'text', nullable: true })
  problem!: string | null;
}
