import type { BillingTerms } from './billing-terms.js';
import { settingsAfter, type BillingChange } from './operator-change.js';

const now = new Date('2028-01-31T10:00:00.000Z');
const none: BillingTerms = {
  paymentCustomerId: null,
  planId: null,
  status: null,
  paymentSubscriptionId: null,
  currentPeriodStart: null,
  currentPeriodEnd: null,
  period: null,
  maxTemplates: null,
  maxPassCreations: null,
};
const some: BillingTerms = {
  ...none,
  planId: 'pro',
  status: 'past_due',
  paymentSubscriptionId: 'sub_1',
  currentPeriodStart: new Date('2028-01-01T00:00:00.000Z'),
  currentPeriodEnd: new Date('2028-02-01T00:00:00.000Z'),
  period: 'month',
};
const after = (terms: BillingTerms, change: BillingChange) => settingsAfter({}, terms, change, now);
const subscription = (terms: BillingTerms, change: BillingChange) => after(terms, change).subscription?.value;

it('a change that sets only the plan starts a monthly subscription, which ends earlier in a shorter month', () => {
  expect(after(none, { planId: 'pro' })).toEqual({
    subscription: {
      at: now.toISOString(),
      value: {
        planId: 'pro',
        status: 'active',
        paymentSubscriptionId: null,
        currentPeriodStart: '2028-01-31T10:00:00.000Z',
        currentPeriodEnd: '2028-02-29T10:00:00.000Z',
        period: 'month',
      },
    },
  });
  const leapDay = new Date('2028-02-29T00:00:00.000Z');
  expect(subscription(none, { planId: 'pro', period: 'year', currentPeriodStart: leapDay })?.currentPeriodEnd).toBe(
    '2029-02-28T00:00:00.000Z',
  );
});

it('an operator’s change leaves omitted properties unchanged', () => {
  expect(subscription(some, { status: 'active' })).toEqual({
    planId: 'pro',
    status: 'active',
    paymentSubscriptionId: 'sub_1',
    currentPeriodStart: '2028-01-01T00:00:00.000Z',
    currentPeriodEnd: '2028-02-01T00:00:00.000Z',
    period: 'month',
  });
  expect(subscription(some, { period: 'year' })?.currentPeriodEnd).toBe('2029-01-01T00:00:00.000Z');
  const settings = { maxTemplates: { at: now.toISOString(), value: 4 } };
  expect(settingsAfter(settings, some, { maxPassCreations: null }, now)).toEqual({
    ...settings,
    maxPassCreations: { at: now.toISOString(), value: null },
  });
});

it('settingsAfter ends the subscription if the new plan is null', () => {
  expect(after(some, { planId: null }).subscription).toEqual({ at: now.toISOString(), value: null });
});

it('settingsAfter rejects an incomplete subscription and names the missing or wrong property', () => {
  expect(() => after(none, { status: 'active' })).toThrow('planId must be set as well');
  expect(() => after(some, { planId: null, period: 'year' })).toThrow('planId must be set as well');
  expect(() => after(some, { currentPeriodEnd: new Date('2027-12-31T00:00:00.000Z') })).toThrow(
    'currentPeriodEnd must',
  );
});
