import type { PaymentEvent, SubscriptionStatus, ReportedSubscription } from '@passwright/core';
import type { PaymentSubscription } from './payment-subscription.entity.js';

/*
 * Applies events of the payment provider. The result does not depend on the order in which events arrive, or on
 * repetitions: each group of columns stores the event with the highest version.
 */

const stepOrder = { begun: '0', changed: '1', ended: '2' } as const;

/** The order of statuses in events of the same second: a paid status counts as later than an unpaid one. */
const statusOrder: Readonly<Record<SubscriptionStatus, string>> = {
  unpaid: '0',
  trialing: '1',
  past_due: '2',
  active: '3',
  canceled: '4',
};

/**
 * Returns the version of an event: its position among its customer's events, as sortable text that begins with the
 * time.
 */
export function orderOf({ id, at, subscription }: PaymentEvent): string {
  const within = subscription
    ? [stepOrder[subscription.step], subscription.currentPeriodEnd.toISOString(), statusOrder[subscription.status]]
    : [];
  return [at.toISOString(), ...within, id].join('/');
}

/** Returns the version of an operator's change, which is higher than that of any event of the same time. */
export function orderOfOperator(at: Date): string {
  return `${at.toISOString()}/~`;
}

/** Returns the time that a version begins with. */
export function timeOf(version: string): string {
  const [first = '', second = ''] = version.split('/');
  return first.length > 1 ? first : second;
}

/** Returns a subscription after an event about it. @param accountId the account that the event names, if it exists */
export function withReported(
  known: PaymentSubscription | null,
  event: PaymentEvent & { readonly subscription: ReportedSubscription },
  accountId: string | null,
  receivedAt: Date,
): PaymentSubscription {
  const { subscription: reported } = event;
  const order = orderOf(event);
  // An ended subscription stays ended, because Stripe creates a new subscription instead of resuming one.
  const isOver = reported.step === 'ended' || reported.status === 'canceled';
  const version = `${isOver ? 1 : 0}/${order}`;
  const latest = <Value>(given: Value | undefined, stored: Value, of: string | null = null): [Value, string | null] =>
    given !== undefined && (of === null || order > of) ? [given, order] : [stored, of];
  const [account, accountVersion] = latest(accountId ?? undefined, known?.accountId ?? null, known?.accountVersion);
  const [maxTemplates, maxTemplatesVersion] = latest(
    reported.maxTemplates,
    known?.maxTemplates ?? null,
    known?.maxTemplatesVersion,
  );
  const [maxPassCreations, maxPassCreationsVersion] = latest(
    reported.maxPassCreations,
    known?.maxPassCreations ?? null,
    known?.maxPassCreationsVersion,
  );
  return {
    ...(known && known.version >= version ? known : snapshot(reported, event.customerId, version, isOver)),
    accountId: account,
    accountVersion,
    maxTemplates,
    maxTemplatesVersion,
    maxPassCreations,
    maxPassCreationsVersion,
    receivedAt,
  };
}

function snapshot(reported: ReportedSubscription, customerId: string, version: string, isOver: boolean) {
  return {
    id: reported.id,
    customerId,
    startedAt: reported.startedAt,
    planId: reported.planId,
    status: isOver ? ('canceled' as const) : reported.status,
    currentPeriodStart: reported.currentPeriodStart,
    currentPeriodEnd: reported.currentPeriodEnd,
    period: reported.period,
    version,
  };
}

/**
 * Returns the subscription that applies: the newest active one, else the newest unpaid one, else the newest ended one.
 */
export function currentOf(subscriptions: readonly PaymentSubscription[]): PaymentSubscription | null {
  const rank = ({ status, startedAt, id }: PaymentSubscription) =>
    [status === 'canceled' ? 0 : status === 'unpaid' ? 1 : 2, startedAt.toISOString(), id].join('/');
  return subscriptions.reduce<PaymentSubscription | null>(
    (best, next) => (best && rank(best) >= rank(next) ? best : next),
    null,
  );
}
