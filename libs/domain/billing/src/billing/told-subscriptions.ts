import type { PaymentEvent, SubscriptionStatus, ToldSubscription } from '@passwright/core';
import type { PaymentSubscription } from './payment-subscription.entity.js';

/*
 * What the payment provider has told, so that any order of its events, with any of them repeated, ends in the same: of each
 * part the event that is last in one order of all events holds, whichever arrived last.
 */

const stepOrder = { begun: '0', changed: '1', ended: '2' } as const;

/** Of one second: what has been paid is later than what has not. */
const statusOrder: Readonly<Record<SubscriptionStatus, string>> = {
  unpaid: '0',
  trialing: '1',
  past_due: '2',
  active: '3',
  canceled: '4',
};

/** Where an event stands among those of its customer: text that compares as they happened. It begins with the time. */
export function orderOf({ id, at, subscription }: PaymentEvent): string {
  const within = subscription
    ? [stepOrder[subscription.step], subscription.currentPeriodEnd.toISOString(), statusOrder[subscription.status]]
    : [];
  return [at.toISOString(), ...within, id].join('/');
}

/** After all that the provider tells of the same moment. */
export function orderOfOperator(at: Date): string {
  return `${at.toISOString()}/~`;
}

/** When what was told had happened, from its order or version. */
export function timeOf(version: string): string {
  const [first = '', second = ''] = version.split('/');
  return first.length > 1 ? first : second;
}

/** What is known of a subscription once an event has told of it. @param accountId that the event names and that is there */
export function withTold(
  known: PaymentSubscription | null,
  event: PaymentEvent & { readonly subscription: ToldSubscription },
  accountId: string | null,
  receivedAt: Date,
): PaymentSubscription {
  const { subscription: told } = event;
  const order = orderOf(event);
  // Its end is final: Stripe begins another one instead.
  const isOver = told.step === 'ended' || told.status === 'canceled';
  const version = `${isOver ? 1 : 0}/${order}`;
  const isNewer = (than: string | null | undefined) => than === null || than === undefined || order > than;
  const before = known ?? unknown;
  return {
    ...(known && known.version >= version ? known : snapshot(told, event.customerId, version, isOver)),
    ...(accountId !== null && isNewer(before.accountVersion)
      ? { accountId, accountVersion: order }
      : { accountId: before.accountId, accountVersion: before.accountVersion }),
    ...(told.maxTemplates !== undefined && isNewer(before.maxTemplatesVersion)
      ? { maxTemplates: told.maxTemplates, maxTemplatesVersion: order }
      : { maxTemplates: before.maxTemplates, maxTemplatesVersion: before.maxTemplatesVersion }),
    ...(told.maxPassCreations !== undefined && isNewer(before.maxPassCreationsVersion)
      ? { maxPassCreations: told.maxPassCreations, maxPassCreationsVersion: order }
      : { maxPassCreations: before.maxPassCreations, maxPassCreationsVersion: before.maxPassCreationsVersion }),
    receivedAt,
  };
}

const unknown = {
  accountId: null,
  accountVersion: null,
  maxTemplates: null,
  maxTemplatesVersion: null,
  maxPassCreations: null,
  maxPassCreationsVersion: null,
};

function snapshot(told: ToldSubscription, customerId: string, version: string, isOver: boolean) {
  return {
    id: told.id,
    customerId,
    startedAt: told.startedAt,
    planId: told.planId,
    status: isOver ? ('canceled' as const) : told.status,
    currentPeriodStart: told.currentPeriodStart,
    currentPeriodEnd: told.currentPeriodEnd,
    period: told.period,
    version,
  };
}

/** The one that counts of all that an account has: one that goes on, else one that may yet, else an ended one; the newest of them. */
export function currentOf(subscriptions: readonly PaymentSubscription[]): PaymentSubscription | null {
  const rank = ({ status, startedAt, id }: PaymentSubscription) =>
    [status === 'canceled' ? 0 : status === 'unpaid' ? 1 : 2, startedAt.toISOString(), id].join('/');
  return subscriptions.reduce<PaymentSubscription | null>(
    (best, next) => (best && rank(best) >= rank(next) ? best : next),
    null,
  );
}
