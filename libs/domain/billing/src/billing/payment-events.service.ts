import { Injectable, Logger } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import {
  Clock,
  NotFound,
  PaymentEventRejected,
  PaymentProvider,
  TestAccounts,
  Unauthorized,
  type PaymentEvent,
} from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { BillingService } from './billing.service.js';
import { PaymentsRepository } from './payments.repository.js';
import { orderOf, withReported } from './reported-subscriptions.js';

/**
 * Applies each event of the payment provider once. Events may arrive in any order, even before their account is known.
 */
@Injectable()
export class PaymentEventsService {
  private readonly logger = new Logger('Payments');

  constructor(
    private readonly provider: PaymentProvider,
    private readonly payments: PaymentsRepository,
    private readonly accounts: AccountsService,
    private readonly testAccounts: TestAccounts,
    private readonly billing: BillingService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an event, even if its customer is unknown, because the provider would keep resending a rejected event.
   * @throws NotFound if no provider is configured. @throws Unauthorized if the event is not from the provider
   */
  async receive(body: Buffer, headers: Readonly<Record<string, string | string[] | undefined>>): Promise<void> {
    if (!this.provider.isConfigured) {
      throw new NotFound('No payment provider is configured; the operator sets STRIPE_WEBHOOK_SECRET.');
    }
    const event = await this.provider.read(body, headers).catch((error: unknown) => {
      throw error instanceof PaymentEventRejected ? new Unauthorized(`${error.message}.`) : error;
    });
    if (event) await this.database.transaction((tx) => this.apply(tx, event));
  }

  private async apply(tx: EntityManager, event: PaymentEvent): Promise<void> {
    const { id, customerId, subscription } = event;
    if (!(await this.payments.insertEvent(tx, id, this.clock.now()))) return;
    await this.payments.lockCustomers(tx, [customerId]);
    const accountId = await this.accountOf(tx, event);
    const accounts = await this.link(tx, event, accountId);
    if (subscription) {
      const known = await this.payments.findSubscription(tx, subscription.id);
      const next = withReported(known, { ...event, subscription }, accountId, this.clock.now());
      await this.payments.upsertSubscription(tx, next);
      accounts.push(known?.accountId ?? null, next.accountId);
    }
    const affected = accounts.filter((account) => account !== null);
    if (affected.length === 0)
      this.logger.warn(`Event ${id}: customer ${customerId} is not linked to an account yet; the event is stored`);
    await this.billing.refresh(tx, affected);
  }

  /** Returns the account that the event names, if it exists and is not a test account. */
  private async accountOf(tx: EntityManager, { id, accountId }: PaymentEvent): Promise<string | null> {
    if (accountId === null) return null;
    const isTest = await this.testAccounts.has(accountId);
    if (!isTest && (await this.accounts.exists(tx, accountId))) return accountId;
    this.logger.warn(`Event ${id} names the ${isTest ? 'test' : 'unknown'} account ${accountId}`);
    return null;
  }

  /** Links the customer of the event to the account. @returns the accounts that the customer paid for before and pays for now */
  private async link(tx: EntityManager, event: PaymentEvent, accountId: string | null): Promise<(string | null)[]> {
    const known = await this.payments.findCustomer(tx, event.customerId);
    const version = orderOf(event);
    if (accountId === null || (known && known.version >= version)) return [known?.accountId ?? null];
    await this.payments.lockCustomersOf(tx, accountId);
    if (event.isPayersWord && (await this.isOthers(tx, event, accountId))) return [known?.accountId ?? null];
    await this.payments.upsertCustomer(tx, { id: event.customerId, accountId, version });
    return [known?.accountId ?? null, accountId];
  }

  /**
   * Returns true if another customer pays for the account. A customer can name any account, but must not change the
   * plan of an account that is not theirs.
   */
  private async isOthers(tx: EntityManager, { id, customerId }: PaymentEvent, accountId: string): Promise<boolean> {
    const others = (await this.payments.listCustomers(tx, accountId)).filter((customer) => customer.id !== customerId);
    if (others.length === 0) return false;
    this.logger.warn(
      `Event ${id}: customer ${customerId} named the account ${accountId}, but ${others[0]?.id} already pays for it; ` +
        'the customer is not linked. To link it: operator accounts set --customer',
    );
    return true;
  }
}
