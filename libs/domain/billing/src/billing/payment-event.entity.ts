import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A received event of the payment provider, stored so that it is not applied twice. */
@Entity('payment_event', { synchronize: false })
export class ReceivedPaymentEvent {
  /** The provider's id of the event. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'received_at', type: 'timestamptz', precision: 3 })
  receivedAt!: Date;
}
