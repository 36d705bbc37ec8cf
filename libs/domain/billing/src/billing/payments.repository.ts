import { Injectable } from '@nestjs/common';
import { Database, deleteSome } from '@passwright/database';
import { In, IsNull, type EntityManager } from 'typeorm';
import { PaymentCustomer } from './payment-customer.entity.js';
import { PaymentSubscription } from './payment-subscription.entity.js';

/** All queries on the payment provider's events, customers and subscriptions. */
@Injectable()
export class PaymentsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores an event. Waits if another transaction is storing the same event. @returns false if the event is already
   * stored
   */
  async insertEvent(tx: EntityManager, id: string, receivedAt: Date): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      'INSERT INTO payment_event (id, received_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
      [id, receivedAt],
    );
    return rows.length === 1;
  }

  /** Locks customers and their subscriptions until `tx` ends. */
  async lockCustomers(tx: EntityManager, ids: readonly string[]): Promise<void> {
    for (const id of [...ids].sort()) {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('payment-customer/' || $1, 4172839))`, [id]);
    }
  }

  /** Prevents other transactions from linking customers to the account until `tx` ends. Call `lockCustomers` first. */
  async lockCustomersOf(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('payment-customers-of/' || $1, 4172839))`, [
      accountId,
    ]);
  }

  findCustomer(tx: EntityManager, id: string): Promise<PaymentCustomer | null> {
    return tx.findOneBy(PaymentCustomer, { id });
  }

  /** Lists the customers that pay for the account, the latest linked first. */
  listCustomers(tx: EntityManager, accountId: string): Promise<PaymentCustomer[]> {
    return tx.find(PaymentCustomer, { where: { accountId }, order: { version: 'DESC' } });
  }

  async upsertCustomer(tx: EntityManager, customer: PaymentCustomer): Promise<void> {
    await tx.upsert(PaymentCustomer, customer, ['id']);
  }

  findSubscription(tx: EntityManager, id: string): Promise<PaymentSubscription | null> {
    return tx.findOneBy(PaymentSubscription, { id });
  }

  /** Lists the subscriptions that name the account, and its customers' subscriptions that name no account. */
  listSubscriptions(
    tx: EntityManager,
    accountId: string,
    customerIds: readonly string[],
  ): Promise<PaymentSubscription[]> {
    const where = [{ accountId }, { accountId: IsNull(), customerId: In([...customerIds]) }];
    return tx.find(PaymentSubscription, { where });
  }

  async upsertSubscription(tx: EntityManager, subscription: PaymentSubscription): Promise<void> {
    await tx.upsert(PaymentSubscription, subscription, ['id']);
  }

  /** Deletes events that were received before this time. */
  deleteEventsBefore(tx: EntityManager, time: Date, limit: number): Promise<number> {
    const received = { table: 'payment_event', key: ['id'], condition: 'old.received_at < $1', values: [time] };
    return deleteSome(this.database, tx, received, limit);
  }

  /** Deletes subscriptions that were received before this time and have no account. */
  deleteSubscriptionsBefore(tx: EntityManager, time: Date, limit: number): Promise<number> {
    const condition = `old.received_at < $1 AND old.account_id IS NULL
      AND NOT EXISTS (SELECT FROM payment_customer c WHERE c.id = old.customer_id AND c.account_id IS NOT NULL)`;
    return deleteSome(
      this.database,
      tx,
      { table: 'payment_subscription', key: ['id'], condition, values: [time] },
      limit,
    );
  }
}
