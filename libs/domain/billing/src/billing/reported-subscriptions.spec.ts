import type { PaymentEvent, ReportedSubscription } from '@passwright/core';
import fc from 'fast-check';
import { termsFrom } from './billing-terms.js';
import type { PaymentSubscription } from './payment-subscription.entity.js';
import { aHistory, type Reported } from './payment-history.fixtures.js';
import { currentOf, withReported } from './reported-subscriptions.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const second = (seconds: number) => new Date(now.getTime() + seconds * 1000);

function reported(changes: Partial<ReportedSubscription> = {}, at = now, id = 'evt_1'): Reported {
  const subscription: ReportedSubscription = {
    id: 'sub_1',
    step: 'changed',
    startedAt: now,
    planId: 'pro',
    status: 'active',
    period: 'month',
    currentPeriodStart: now,
    currentPeriodEnd: second(2_592_000),
    maxTemplates: undefined,
    maxPassCreations: undefined,
    ...changes,
  };
  return { id, at, accountId: null, isPayersWord: false, customerId: 'cus_1', subscription };
}

/** Returns the subscriptions after these events, in this order. */
function after(events: readonly PaymentEvent[]): PaymentSubscription[] {
  const known = new Map<string, PaymentSubscription>();
  for (const event of events) {
    const { subscription, accountId } = event;
    if (!subscription) continue;
    known.set(
      subscription.id,
      withReported(known.get(subscription.id) ?? null, { ...event, subscription }, accountId, now),
    );
  }
  return [...known.values()];
}

const terms = (...events: Reported[]) => termsFrom(after(events), null, {});

it('events give the same terms in any order, even if some events are repeated', () => {
  fc.assert(
    fc.property(
      aHistory.chain((history) => {
        const again = fc.subarray(history).map((repeated) => [...history, ...repeated]);
        const shuffled = again.chain((events) => fc.shuffledSubarray(events, { minLength: events.length }));
        return fc.tuple(fc.constant(history), shuffled);
      }),
      ([history, events]) => {
        expect(termsFrom(after(events), null, {})).toEqual(termsFrom(after(history), null, {}));
      },
    ),
    { numRuns: 2000 },
  );
});

describe('the terms from one subscription', () => {
  it('the terms come from the event that happened last', () => {
    const [early, late] = [reported({ planId: 'basic' }), reported({ planId: 'pro' }, second(1), 'evt_0')];
    expect(terms(late, early)).toMatchObject({
      planId: 'pro',
      paymentCustomerId: 'cus_1',
      paymentSubscriptionId: 'sub_1',
    });
  });

  it('a subscription stays ended if an earlier event arrives after its end', () => {
    expect(terms(reported({ status: 'canceled', step: 'ended' }), reported({}, second(9), 'evt_2')).status).toBe(
      'canceled',
    );
    expect(terms(reported({}, second(9), 'evt_2'), reported({ step: 'ended' })).status).toBe('canceled');
  });

  it.each([
    [
      'the beginning of a subscription comes before its changes',
      { step: 'begun', status: 'unpaid' },
      { step: 'changed', status: 'active' },
    ],
    [
      'the event with the later end of the period comes last',
      { planId: 'x' },
      { planId: 'y', currentPeriodEnd: second(5_184_000) },
    ],
    ['the event with the paid status comes last', { status: 'past_due' }, { status: 'active' }],
  ] as const)(
    'events of the same second have a fixed order: %s',
    (_, first: Partial<ReportedSubscription>, last: Partial<ReportedSubscription>) => {
      for (const [id, otherId] of [
        ['evt_1', 'evt_2'],
        ['evt_2', 'evt_1'],
      ] as const) {
        const [one, other] = [reported(first, now, id), reported(last, now, otherId)];
        expect(terms(one, other)).toMatchObject({ status: last.status ?? 'active', planId: last.planId ?? 'pro' });
        expect(terms(other, one)).toEqual(terms(one, other));
      }
    },
  );

  it('a later event without a limit keeps the former limit, and a later event with the limit null removes it', () => {
    const limited = reported({ maxTemplates: 5, maxPassCreations: 7 });
    const later = reported({ maxPassCreations: null }, second(1), 'evt_2');
    for (const events of [
      [limited, later],
      [later, limited],
    ]) {
      expect(terms(...events)).toMatchObject({ maxTemplates: 5, maxPassCreations: null });
    }
  });
});

describe('the terms from several subscriptions', () => {
  const current = (...changes: Partial<ReportedSubscription>[]) => {
    const events = changes.map((change, index) =>
      reported({ id: `sub_${index}`, ...change }, second(index), `evt_${index}`),
    );
    expect(currentOf(after(events.reverse()))).toEqual(currentOf(after(events.reverse())));
    return currentOf(after(events))?.id;
  };

  it('the terms come from the subscription that began last', () => {
    expect(current({ startedAt: second(-5) }, { startedAt: second(-3) }, { startedAt: second(-4) })).toBe('sub_1');
  });

  it('active subscriptions take precedence over unpaid subscriptions, and unpaid over ended subscriptions', () => {
    expect(current({ status: 'past_due' }, { status: 'unpaid', startedAt: second(9) })).toBe('sub_0');
    expect(current({ status: 'unpaid' }, { status: 'canceled', startedAt: second(9) })).toBe('sub_0');
    expect(current({ status: 'canceled' }, { status: 'canceled', startedAt: second(9) })).toBe('sub_1');
  });
});

describe('the terms from operator settings and events', () => {
  const value = {
    planId: 'by hand',
    status: 'active' as const,
    paymentSubscriptionId: null,
    currentPeriodStart: now.toISOString(),
    currentPeriodEnd: second(60).toISOString(),
    period: 'month' as const,
  };
  const at = second(10).toISOString();

  it('the newer of the operator’s and the provider’s values applies to the subscription and to each limit', () => {
    const settings = {
      subscription: { at, value },
      maxTemplates: { at, value: 3 },
      maxPassCreations: { at, value: null },
    };
    const before = after([reported({ maxTemplates: 5, maxPassCreations: 7 }, second(9))]);
    const later = after([reported({ maxTemplates: 5 }, second(11))]);
    expect(termsFrom(before, 'cus_2', settings)).toMatchObject({
      paymentCustomerId: 'cus_2',
      planId: 'by hand',
      paymentSubscriptionId: null,
      maxTemplates: 3,
      maxPassCreations: null,
    });
    expect(termsFrom(later, 'cus_2', settings)).toMatchObject({
      planId: 'pro',
      maxTemplates: 5,
      paymentCustomerId: 'cus_1',
    });
  });

  it('the operator’s limit applies if the provider does not report a limit', () => {
    const settings = { maxTemplates: { at, value: 3 } };
    expect(termsFrom(after([reported({}, second(11))]), null, settings)).toMatchObject({
      planId: 'pro',
      maxTemplates: 3,
    });
  });

  it('a subscription that an operator has ended stays ended until the next event about it', () => {
    const settings = { subscription: { at, value: null } };
    expect(termsFrom(after([reported()]), null, settings)).toMatchObject({ planId: null, status: null, period: null });
    expect(termsFrom(after([reported({}, second(11))]), null, settings).planId).toBe('pro');
  });
});
