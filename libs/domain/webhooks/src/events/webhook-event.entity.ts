import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event, written by the transaction that caused it. */
@Entity('webhook_event')
export class WebhookEvent {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  occurredAt!: Date;

  @Column({ type: 'jsonb' })
  data!: Record<string, unknown>;
}
