import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One event on its way to one webhook. */
@Entity('webhook_delivery')
export class WebhookDelivery {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  webhookId!: string;

  @PrimaryColumn({ type: 'text' })
  eventId!: string;

  /** The event's. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  occurredAt!: Date;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** When it is tried next; null once it has arrived or was given up. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** Claims since the last recorded result. More than one: a process died with the claim, or lost the database. */
  @Column({ type: 'smallint', default: 0 })
  openClaims!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  attemptedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deliveredAt!: Date | null;

  /** Of the last answer; null when there was none. */
  @Column({ type: 'integer', nullable: true })
  statusCode!: number | null;

  /** Why the last attempt failed, in words. */
  @Column({ type: 'text', nullable: true })
  problem!: string | null;
}
