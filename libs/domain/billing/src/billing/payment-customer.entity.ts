import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which account a customer of the payment provider pays for. */
@Entity('payment_customer')
export class PaymentCustomer {
  /** The provider's id of the customer. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** Null: an operator has said that it is none's any more. */
  @Column({ type: 'text', nullable: true })
  accountId!: string | null;

  /** Orders what was told of it; only a higher one changes it. */
  @Column({ type: 'text' })
  version!: string;
}
