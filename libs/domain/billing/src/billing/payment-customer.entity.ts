import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A customer of the payment provider and the account that the customer pays for. */
@Entity('payment_customer', { synchronize: false })
export class PaymentCustomer {
  /** The provider's id of the customer. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** Null after an operator has unlinked the customer. */
  @Column({ name: 'account_id', type: 'text', nullable: true })
  accountId!: string | null;

  /**
   * The version of the row, from the latest event about the customer. Only an event with a higher version changes the
   * row.
   */
  @Column({ type: 'text' })
  version!: string;
}
