import type { SubscriptionPeriod, SubscriptionStatus, ReportedSubscription } from '@passwright/core';
import { asLimit, asRecord, asText, atSecond, type Json } from './event-values.js';

/** Maps Stripe's statuses to ours (https://docs.stripe.com/api/subscriptions/object#subscription_object-status). */
const statuses = new Map<unknown, SubscriptionStatus>([
  ['trialing', 'trialing'],
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['canceled', 'canceled'],
  ['unpaid', 'unpaid'],
  // The first payment is pending, or it was not made in time and the subscription never starts.
  ['incomplete', 'unpaid'],
  ['incomplete_expired', 'canceled'],
  // The trial ended without a payment method.
  ['paused', 'unpaid'],
]);

/**
 * Reads a Stripe subscription of any API version. Until 2025-03-31 the subscription had one period, since then each
 * item has its own. Takes the plan from the first item.
 * @param warn called with a description of each ignored value.
 * @returns null if a part is missing or malformed
 */
export function readSubscription(
  object: Json,
  step: ReportedSubscription['step'],
  warn: (what: string) => void,
): ReportedSubscription | null {
  const items = asRecord(object.items).data;
  const item = asRecord(Array.isArray(items) ? items[0] : undefined);
  const price = asRecord(item.price);
  const plan = asRecord(item.plan);
  const id = asText(object.id);
  const status = statuses.get(object.status);
  const planId = asText(price.lookup_key) ?? asText(price.id) ?? asText(plan.id);
  const currentPeriodStart = atSecond(item.current_period_start) ?? atSecond(object.current_period_start);
  const currentPeriodEnd = atSecond(item.current_period_end) ?? atSecond(object.current_period_end);
  const recurring = asRecord(price.recurring ?? plan);
  if (id === null || !status || planId === null || !currentPeriodStart || !currentPeriodEnd) return null;
  const limit = (name: string) => limitOf([object, price, asRecord(price.product)], name, warn);
  return {
    id,
    step,
    startedAt: atSecond(object.created) ?? currentPeriodStart,
    planId,
    status,
    period: periodOf(recurring.interval, currentPeriodStart, currentPeriodEnd),
    currentPeriodStart,
    currentPeriodEnd,
    maxTemplates: limit('maxTemplates'),
    maxPassCreations: limit('maxPassCreations'),
  };
}

/**
 * Returns month or year, whichever is closer to Stripe's period. Stripe also has periods of days, weeks or several
 * months.
 */
function periodOf(interval: unknown, start: Date, end: Date): SubscriptionPeriod {
  if (interval === 'month' || interval === 'year') return interval;
  return end.getTime() - start.getTime() > 180 * 86_400_000 ? 'year' : 'month';
}

/** Returns the limit from the first object that has one. @returns undefined if none has a readable limit */
function limitOf(from: readonly Json[], name: string, warn: (what: string) => void): number | null | undefined {
  const reported = from.map((owner) => asRecord(owner.metadata)[name]).find((value) => typeof value === 'string');
  if (typeof reported !== 'string' || reported === '') return undefined;
  const limit = asLimit(reported);
  if (limit === undefined) warn(`the metadata ${name} is ignored: it must be a whole number or "unlimited"`);
  return limit;
}
