import { ValidationFailed, type SubscriptionPeriod, type SubscriptionStatus } from '@passwright/core';
import type { BillingTerms } from './billing-terms.js';
import type { OperatorSettings, StoredSubscription } from './billing.entity.js';

/**
 * A change by an operator. Absent properties do not change; null removes a value. Texts have 1 to 255 characters on one
 * line.
 */
export interface BillingChange {
  readonly paymentCustomerId?: string | null;
  /** Null ends the subscription. */
  readonly planId?: string | null;
  readonly status?: SubscriptionStatus;
  readonly paymentSubscriptionId?: string | null;
  readonly currentPeriodStart?: Date;
  readonly currentPeriodEnd?: Date;
  readonly period?: SubscriptionPeriod;
  /** 0 to 2,147,483,647; null: no limit. */
  readonly maxTemplates?: number | null;
  readonly maxPassCreations?: number | null;
}

const ofSubscription = [
  'planId',
  'status',
  'paymentSubscriptionId',
  'currentPeriodStart',
  'currentPeriodEnd',
  'period',
] as const satisfies readonly (keyof BillingChange)[];

/** Returns the operator's settings after a change. @throws ValidationFailed if the subscription is incomplete */
export function settingsAfter(
  settings: OperatorSettings,
  terms: BillingTerms,
  change: BillingChange,
  now: Date,
): OperatorSettings {
  const at = now.toISOString();
  const isOfSubscription = ofSubscription.some((name) => change[name] !== undefined);
  return {
    ...settings,
    ...(isOfSubscription && { subscription: { at, value: subscriptionAfter(terms, change, now) } }),
    ...(change.maxTemplates !== undefined && { maxTemplates: { at, value: change.maxTemplates } }),
    ...(change.maxPassCreations !== undefined && { maxPassCreations: { at, value: change.maxPassCreations } }),
  };
}

/**
 * Returns the subscription after a change. Omitted values do not change. By default, a new subscription begins now and
 * is active.
 */
function subscriptionAfter(terms: BillingTerms, change: BillingChange, now: Date): StoredSubscription | null {
  const planId = change.planId === undefined ? terms.planId : change.planId;
  if (planId === null) {
    const others = ofSubscription.filter((name) => name !== 'planId' && (change[name] ?? null) !== null);
    if (others.length === 0) return null;
    throw new ValidationFailed(
      `planId must be set as well: without a plan there is no subscription to have ${others[0]}`,
    );
  }
  const period = change.period ?? terms.period ?? 'month';
  const start = change.currentPeriodStart ?? terms.currentPeriodStart ?? now;
  const isStartNew = change.currentPeriodStart !== undefined || change.period !== undefined;
  const end = change.currentPeriodEnd ?? (isStartNew ? null : terms.currentPeriodEnd) ?? periodAfter(start, period);
  if (end <= start) throw new ValidationFailed('currentPeriodEnd must be after currentPeriodStart');
  const { paymentSubscriptionId = terms.paymentSubscriptionId } = change;
  return {
    planId,
    status: change.status ?? terms.status ?? 'active',
    paymentSubscriptionId,
    currentPeriodStart: start.toISOString(),
    currentPeriodEnd: end.toISOString(),
    period,
  };
}

/** Returns the time a month or a year later in UTC: the same day, or the last day of a shorter month. */
function periodAfter(start: Date, period: SubscriptionPeriod): Date {
  const months = start.getUTCMonth() + (period === 'year' ? 12 : 1);
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const end = new Date(start);
  end.setUTCFullYear(start.getUTCFullYear(), months, Math.min(start.getUTCDate(), lastDay));
  return end;
}
