import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { In, type EntityManager } from 'typeorm';
import { Billing } from './billing.entity.js';

@Injectable()
export class BillingRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string): Promise<Billing | null> {
    return this.database.reads.findOneBy(Billing, { accountId });
  }

  /** Returns the billing rows of the accounts. Omits accounts without a row. The order is undefined. */
  list(accountIds: readonly string[]): Promise<Billing[]> {
    return this.database.reads.findBy(Billing, { accountId: In([...accountIds]) });
  }

  /** Lists the accounts for which a customer of the payment provider pays. */
  async listPaidBy(paymentCustomerId: string): Promise<string[]> {
    const rows = await this.database.reads.find(Billing, { select: { accountId: true }, where: { paymentCustomerId } });
    return rows.map(({ accountId }) => accountId);
  }

  /** Returns the account's row and locks it until `tx` ends. Creates it if needed; the account must exist. */
  async getForUpdate(tx: EntityManager, accountId: string, now: Date): Promise<Billing> {
    await tx.query(
      `INSERT INTO billing (account_id, operator_settings, updated_at) VALUES ($1, '{}', $2) ON CONFLICT DO NOTHING`,
      [accountId, now],
    );
    return tx.findOneOrFail(Billing, { where: { accountId }, lock: { mode: 'pessimistic_write' } });
  }

  async update(tx: EntityManager, accountId: string, changes: Partial<Billing>): Promise<void> {
    await tx.update(Billing, { accountId }, changes);
  }
}
