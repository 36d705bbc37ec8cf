import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Something that has happened, as it is told: written by the transaction in which it did. */
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
