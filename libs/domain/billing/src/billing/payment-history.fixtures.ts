import { subscriptionStatuses, type PaymentEvent, type ReportedSubscription } from '@passwright/core';
import fc from 'fast-check';

/** An event about a subscription. */
export type Reported = PaymentEvent & { readonly subscription: ReportedSubscription };

const start = Date.parse('2026-11-20T10:00:00.000Z');
const within = (seconds: number) => fc.integer({ min: 0, max: seconds }).map((s) => new Date(start + s * 1000));
const limit = fc.constantFrom(undefined, null, 0, 5, 100);

const subscription = fc.record({
  id: fc.constantFrom('sub_1', 'sub_2', 'sub_3'),
  step: fc.constantFrom('begun' as const, 'changed' as const, 'changed' as const, 'ended' as const),
  startedAt: fc.constant(new Date(start)),
  planId: fc.constantFrom('basic', 'pro', 'enterprise'),
  status: fc.constantFrom(...subscriptionStatuses),
  period: fc.constantFrom('month' as const, 'year' as const),
  currentPeriodStart: within(2),
  currentPeriodEnd: within(4).map((time) => new Date(time.getTime() + 2_592_000_000)),
  maxTemplates: limit,
  maxPassCreations: limit,
});

/** Generates events of two customers within a few seconds, many of them about the same subscription. */
export const aHistory: fc.Arbitrary<PaymentEvent[]> = fc
  .array(
    fc.record({
      at: within(4),
      accountId: fc.constant(null),
      isPayersWord: fc.constant(false),
      customerId: fc.constantFrom('cus_1', 'cus_2'),
      subscription: fc.option(subscription, { freq: 8 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((events) => events.map((event, index) => ({ ...event, ...ownedBy(event), id: `evt_${index}` })));

/** Gives each subscription one customer and one start time. */
function ownedBy({ subscription, customerId }: { subscription: ReportedSubscription | null; customerId: string }) {
  if (!subscription) return { customerId };
  const number = Number(subscription.id.at(-1));
  return {
    customerId: number === 3 ? 'cus_2' : 'cus_1',
    subscription: { ...subscription, startedAt: new Date(start + (number % 2) * 1000) },
  };
}
