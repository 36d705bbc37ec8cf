import type { INestApplicationContext } from '@nestjs/common';
import { AccountDirectory, type ListedAccount } from '@passwright/accounts';
import { BillingService, UsageService } from '@passwright/billing';
import { OperatorFailed } from './operator-session.js';
import type { Outcome } from './operator-command.js';
import { list } from './table.js';

/** Returns the account. @throws OperatorFailed if it does not exist */
export async function getAccount(services: INestApplicationContext, accountId: string): Promise<ListedAccount> {
  const account = await services.get(AccountDirectory).find(accountId);
  if (account) return account;
  throw new OperatorFailed(`There is no account "${accountId}"; "accounts list" shows which there are.`);
}

/** Describes an account with its usage and its plan. */
export async function accountOutcome(services: INestApplicationContext, accountId: string): Promise<Outcome> {
  const [{ id, name, industry, test, createdAt, users }, usage, billing] = await Promise.all([
    getAccount(services, accountId),
    services.get(UsageService).now(accountId),
    services.get(BillingService).of(accountId),
  ]);
  const { paymentCustomerId, subscription, enterpriseConfig } = billing;
  const { maxTemplates = 'no limit', maxPassCreations = 'no limit' } = enterpriseConfig;
  const text = list({
    account: id,
    name,
    industry,
    kind: test ? 'test' : 'live',
    created: createdAt,
    users,
    customer: paymentCustomerId,
    plan: subscription?.planId,
    status: subscription?.status,
    subscription: subscription?.paymentSubscriptionId,
    period: subscription?.period,
    'period start': subscription?.currentPeriodStart,
    'period end': subscription?.currentPeriodEnd,
    'max templates': maxTemplates,
    'max pass creations': maxPassCreations,
    'pass creations': usage.passCreations,
    'active passes': usage.activePasses,
  });
  return { text, data: { id, name, industry, test, createdAt, users, usage, billing } };
}
