import type { Billing, OperatorSettings, StoredSubscription } from './billing.entity.js';
import type { PaymentSubscription } from './payment-subscription.entity.js';
import { currentOf, timeOf } from './reported-subscriptions.js';

const names = [
  'paymentCustomerId',
  'planId',
  'status',
  'paymentSubscriptionId',
  'currentPeriodStart',
  'currentPeriodEnd',
  'period',
  'maxTemplates',
  'maxPassCreations',
] as const;

/** The plan and the limits of an account. */
export type BillingTerms = Pick<Billing, (typeof names)[number]>;

/** Returns only the plan and the limits of a row. */
export function termsOf(billing: BillingTerms): BillingTerms {
  return Object.fromEntries(names.map((name) => [name, billing[name]])) as BillingTerms;
}

/**
 * Returns the terms that apply. The subscription and each limit come from the payment provider or from the operator,
 * whichever is newer.
 * @param reported the account's subscriptions at the payment provider.
 * @param customerId the account's customer id at the payment provider
 */
export function termsFrom(
  reported: readonly PaymentSubscription[],
  customerId: string | null,
  operator: OperatorSettings,
): BillingTerms {
  const current = currentOf(reported);
  const isOperators = operator.subscription && (!current || operator.subscription.at >= timeOf(current.version));
  const subscription = isOperators ? fromOperator(operator.subscription.value) : fromProvider(current);
  return {
    paymentCustomerId: isOperators ? customerId : (current?.customerId ?? customerId),
    ...subscription,
    maxTemplates: limit(operator.maxTemplates, current?.maxTemplates, current?.maxTemplatesVersion),
    maxPassCreations: limit(operator.maxPassCreations, current?.maxPassCreations, current?.maxPassCreationsVersion),
  };
}

function limit(
  set: OperatorSettings['maxTemplates'],
  reported: number | null | undefined,
  version: string | null | undefined,
): number | null {
  const isNotified = version !== null && version !== undefined;
  if (isNotified && (!set || timeOf(version) > set.at)) return reported ?? null;
  return set?.value ?? null;
}

function fromProvider(current: PaymentSubscription | null) {
  if (!current) return noSubscription;
  const { planId, status, id, currentPeriodStart, currentPeriodEnd, period } = current;
  return { planId, status, paymentSubscriptionId: id, currentPeriodStart, currentPeriodEnd, period };
}

function fromOperator(set: StoredSubscription | null) {
  if (!set) return noSubscription;
  const { planId, status, paymentSubscriptionId, period } = set;
  const [currentPeriodStart, currentPeriodEnd] = [new Date(set.currentPeriodStart), new Date(set.currentPeriodEnd)];
  return { planId, status, paymentSubscriptionId, currentPeriodStart, currentPeriodEnd, period };
}

const noSubscription = {
  planId: null,
  status: null,
  paymentSubscriptionId: null,
  currentPeriodStart: null,
  currentPeriodEnd: null,
  period: null,
} as const;
