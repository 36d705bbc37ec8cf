import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event. The transaction that causes an event also writes it. */
@Entity('webhook_event', { synchronize: false })
export class WebhookEvent {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  type!: string;

  @Column({ name: 'occurred_at', type: 'timestamptz', precision: 3 })
  occurredAt!: Date;

  @Column({ type: 'jsonb' })
  data!: Record<string, unknown>;
}
