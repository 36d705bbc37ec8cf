import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The delivery of one event to one webhook. */
@Entity('webhook_delivery')
export class WebhookDelivery {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  webhookId!: string;

  @PrimaryColumn({ type: 'text' })
  eventId!: string;

  /** The time of the event. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  occurredAt!: Date;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** The time of the next attempt; null once the delivery has succeeded or was given up. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /**
   * Claims since the last recorded result. More than one means that a process died with the claim or lost the database.
   */
  @Column({ type: 'smallint', default: 0 })
  openClaims!: number;

  /** The key of the process that made the latest claim (see `Claimant`). */
  @Column({ type: 'integer', nullable: true })
  claimedBy!: number | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  attemptedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deliveredAt!: Date | null;

  /** The status of the last response; null if there was none. */
  @Column({ type: 'integer', nullable: true })
  statusCode!: number | null;

  /** Why the last attempt failed, in words. */
  @Column({ type: 'text', nullable: true })
  problem!: string | null;
}
