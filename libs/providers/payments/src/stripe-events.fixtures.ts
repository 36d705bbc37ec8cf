import Stripe from 'stripe';

/** Signs a body as Stripe does. @param at the signing time in ms */
export function signature(body: string, secret: string, at: number): string {
  const { webhooks } = new Stripe('sk_none');
  return webhooks.generateTestHeaderString({ payload: body, secret, timestamp: Math.floor(at / 1000) });
}

/** Builds a subscription in the format of Stripe's API since 2025; `changes` override its properties. */
export function aStripeSubscription(changes: object = {}): object {
  return {
    id: 'sub_1',
    object: 'subscription',
    customer: 'cus_1',
    created: 1_763_600_000,
    status: 'active',
    metadata: {},
    items: {
      object: 'list',
      data: [
        {
          id: 'si_1',
          current_period_start: 1_763_600_000,
          current_period_end: 1_766_192_000,
          price: {
            id: 'price_1',
            lookup_key: 'pro',
            metadata: {},
            product: 'prod_1',
            recurring: { interval: 'month' },
          },
        },
      ],
    },
    ...changes,
  };
}

/** Builds an event as Stripe sends it. */
export function aStripeEvent(type: string, object: object, changes: object = {}): object {
  return { id: 'evt_1', object: 'event', type, created: 1_763_600_100, livemode: true, data: { object }, ...changes };
}
