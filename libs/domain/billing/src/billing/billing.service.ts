import { Injectable } from '@nestjs/common';
import { AccountsService, AuditLog, changesBetween, type BillingResponse } from '@passwright/accounts';
import { Clock, InvalidTransition, NotFound, TestAccounts, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { UsageService } from '../usage/usage.service.js';
import { termsFrom, termsOf } from './billing-terms.js';
import { toBillingResponse } from './billing-response.js';
import type { Billing, OperatorSettings } from './billing.entity.js';
import { BillingRepository } from './billing.repository.js';
import { settingsAfter, type BillingChange } from './operator-change.js';
import { PaymentsRepository } from './payments.repository.js';
import { orderOfOperator } from './reported-subscriptions.js';

/** Reads and changes the plans and limits of accounts. */
@Injectable()
export class BillingService {
  constructor(
    private readonly repository: BillingRepository,
    private readonly payments: PaymentsRepository,
    private readonly accounts: AccountsService,
    private readonly testAccounts: TestAccounts,
    private readonly usage: UsageService,
    private readonly auditLog: AuditLog,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns the current billing of an account. */
  async of(accountId: string): Promise<BillingResponse> {
    return toBillingResponse(await this.repository.find(accountId));
  }

  /**
   * Applies an operator's change. Each value stays in effect until the payment provider reports a newer one. @returns
   * the terms that apply now. @throws NotFound for an unknown account. @throws ValidationFailed that names the
   * property. @throws InvalidTransition for a test account
   */
  async set(accountId: string, change: BillingChange): Promise<BillingResponse> {
    if (await this.testAccounts.has(accountId)) {
      throw new InvalidTransition(`"${accountId}" is a test account, which has no plan and no limits.`);
    }
    const now = this.clock.now();
    await this.database.transaction(async (tx) => {
      if (!(await this.accounts.exists(tx, accountId))) throw new NotFound(`There is no account "${accountId}".`);
      if (change.paymentCustomerId !== undefined) await this.setCustomer(tx, accountId, change.paymentCustomerId, now);
      await this.renew(tx, accountId, (billing) => settingsAfter(billing.operatorSettings, billing, change, now));
    });
    return this.of(accountId);
  }

  /** Updates the terms of accounts after events of the payment provider. @param accountIds existing accounts */
  async refresh(tx: EntityManager, accountIds: Iterable<string>): Promise<void> {
    for (const accountId of [...new Set(accountIds)].sort()) {
      await this.renew(tx, accountId, (billing) => billing.operatorSettings);
    }
  }

  /**
   * Recalculates the terms and updates the counters. @param settings returns the operator's settings from the current
   * row
   */
  private renew(tx: EntityManager, accountId: string, settings: (billing: Billing) => OperatorSettings): Promise<void> {
    return this.usage.changeTerms(tx, accountId, async () => {
      const now = this.clock.now();
      const billing = await this.repository.getForUpdate(tx, accountId, now);
      const operatorSettings = settings(billing);
      const customers = (await this.payments.listCustomers(tx, accountId)).map(({ id }) => id);
      const reported = await this.payments.listSubscriptions(tx, accountId, customers);
      const terms = termsFrom(reported, customers[0] ?? null, operatorSettings);
      await this.repository.update(tx, accountId, { ...terms, operatorSettings, updatedAt: now });
      const changes = changesBetween(termsOf(billing), terms);
      if (!changes) return;
      await this.auditLog.record(tx, { accountId, action: 'billing.changed', target: { kind: 'billing' }, ...changes });
    });
  }

  private async setCustomer(tx: EntityManager, accountId: string, id: string | null, now: Date): Promise<void> {
    const version = orderOfOperator(now);
    for (const other of await this.lockCustomers(tx, accountId, id))
      await this.payments.upsertCustomer(tx, { id: other, accountId: null, version });
    if (id === null) return;
    const taken = await this.payments.findCustomer(tx, id);
    if (taken && taken.accountId !== null && taken.accountId !== accountId) {
      throw new ValidationFailed(
        `paymentCustomerId must be free: "${id}" pays for the account ${taken.accountId}; unlink it there first`,
      );
    }
    await this.payments.upsertCustomer(tx, { id, accountId, version });
  }

  /**
   * Locks the customers of an account and another customer. Looks for customers again after locking the account,
   * because an event may have linked one meanwhile. If another event of that customer waits for the account, Postgres
   * reports a deadlock, and the transaction runs again.
   * @returns the ids of the account's customers
   */
  private async lockCustomers(tx: EntityManager, accountId: string, id: string | null): Promise<string[]> {
    const idsOf = async () => (await this.payments.listCustomers(tx, accountId)).map((customer) => customer.id);
    const known = new Set([...(await idsOf()), ...(id === null ? [] : [id])]);
    await this.payments.lockCustomers(tx, [...known]);
    await this.payments.lockCustomersOf(tx, accountId);
    const ids = await idsOf();
    const added = ids.filter((customer) => !known.has(customer));
    await this.payments.lockCustomers(tx, added);
    return ids;
  }
}
