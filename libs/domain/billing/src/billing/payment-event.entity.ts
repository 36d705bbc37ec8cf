import { Column, Entity, PrimaryColumn } from 'typeorm';

/** That the payment provider has told something, so that it is not done twice. */
@Entity('payment_event')
export class ReceivedPaymentEvent {
  /** The provider's id of it. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  receivedAt!: Date;
}
