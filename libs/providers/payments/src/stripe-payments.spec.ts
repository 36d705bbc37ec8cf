import { Logger } from '@nestjs/common';
import { PaymentEventRejected } from '@passwright/core';
import { FixedClock } from '@passwright/testing';
import fc from 'fast-check';
import { aStripeEvent, aStripeSubscription, signature } from './stripe-events.fixtures.js';
import { StripePayments } from './stripe-payments.js';

Logger.overrideLogger(false);

const [secret, newSecret] = ['whsec_old_and_soon_gone', 'whsec_new_from_now_on'];
let clock: FixedClock;
let stripe: StripePayments;
beforeEach(async () => {
  clock = new FixedClock();
  stripe = await StripePayments.load([newSecret, secret], clock);
});

const sent = (body: string, header: string | undefined) =>
  stripe.read(Buffer.from(body), header === undefined ? {} : { 'stripe-signature': header });

function read(event: unknown) {
  const body = JSON.stringify(event);
  return sent(body, signature(body, secret, clock.now().getTime()));
}

const subscription = async (changes: object, type = 'customer.subscription.updated') =>
  (await read(aStripeEvent(type, aStripeSubscription(changes))))?.subscription;

describe('signatures', () => {
  const body = JSON.stringify(aStripeEvent('customer.subscription.updated', aStripeSubscription()));
  const rejected = (header: string | undefined, text = body) => expect(sent(text, header)).rejects;
  const now = () => clock.now().getTime();

  it('StripePayments accepts an event signed with either secret at most 5 minutes ago', async () => {
    for (const key of [secret, newSecret]) {
      expect(await sent(body, signature(body, key, now() - 300_000))).toMatchObject({ id: 'evt_1' });
    }
  });

  it('StripePayments rejects an event that is unsigned, altered, too old or signed with another secret', async () => {
    const right = signature(body, secret, now());
    await rejected(undefined).toThrow(new PaymentEventRejected('The header Stripe-Signature is missing'));
    await rejected('').toThrow('is missing');
    for (const header of ['x', 't=1', right.replace('v1=', 'v0='), signature(body, 'whsec_of_somebody_else', now())]) {
      await rejected(header).toThrow(
        new PaymentEventRejected('Stripe-Signature does not fit the body and the webhook secret'),
      );
    }
    await rejected(right, body.replace('active', 'unpaid')).toThrow('does not fit');
    await rejected(right, '').toThrow(PaymentEventRejected);
    for (const key of [secret, newSecret]) {
      await rejected(signature(body, key, now() - 301_000)).toThrow('more than 5 minutes ago');
    }
  });

  it('StripePayments ignores signed content of an unknown shape without failing', async () => {
    expect(await sent('no JSON', signature('no JSON', secret, now()))).toBeNull();
    const names = [
      'id',
      'customer',
      'created',
      'status',
      'metadata',
      'items',
      'current_period_start',
      'client_reference_id',
    ];
    const object = fc.dictionary(fc.constantFrom(...names), fc.jsonValue()).map(aStripeSubscription);
    const types = ['customer.subscription.updated', 'checkout.session.completed', 'invoice.paid', 'constructor'];
    const changes = fc.dictionary(fc.constantFrom('id', 'created', 'data'), fc.jsonValue());
    const event = fc.tuple(fc.constantFrom(...types), object, changes).map((parts) => aStripeEvent(...parts));
    await fc.assert(
      fc.asyncProperty(fc.oneof({ arbitrary: event, weight: 9 }, fc.jsonValue()), async (value) => {
        const reported = await read(value);
        if (reported)
          expect(reported).toMatchObject({
            id: expect.any(String),
            at: expect.any(Date),
            customerId: expect.any(String),
          });
      }),
      { numRuns: 500 },
    );
    const others = ['invoice.paid', 'constructor', 7].map((type) => aStripeEvent(String(type), aStripeSubscription()));
    for (const other of others) expect(await read(other)).toBeNull();
  });
});

describe('a subscription', () => {
  it('StripePayments reads a subscription with its plan, period and start', async () => {
    const event = await read(aStripeEvent('customer.subscription.created', aStripeSubscription()));
    expect(event).toEqual({
      id: 'evt_1',
      at: new Date('2025-11-20T00:55:00.000Z'),
      accountId: null,
      isPayersWord: false,
      customerId: 'cus_1',
      subscription: {
        id: 'sub_1',
        step: 'begun',
        startedAt: new Date(1_763_600_000_000),
        planId: 'pro',
        status: 'active',
        period: 'month',
        currentPeriodStart: new Date(1_763_600_000_000),
        currentPeriodEnd: new Date(1_766_192_000_000),
        maxTemplates: undefined,
        maxPassCreations: undefined,
      },
    });
  });

  it('StripePayments reads the period and price of a subscription in the format of an older API version', async () => {
    const items = { data: [{ price: { id: 'price_7', lookup_key: null, recurring: { interval: 'year' } } }] };
    const own = { current_period_start: 1_763_600_000, current_period_end: 1_795_136_000 };
    expect(await subscription({ items, ...own, customer: { id: 'cus_1' } })).toMatchObject({
      planId: 'price_7',
      period: 'year',
      currentPeriodEnd: new Date(1_795_136_000_000),
    });
  });

  it.each([
    ['trialing', 'trialing'],
    ['active', 'active'],
    ['past_due', 'past_due'],
    ['canceled', 'canceled'],
    ['unpaid', 'unpaid'],
    ['incomplete', 'unpaid'],
    ['incomplete_expired', 'canceled'],
    ['paused', 'unpaid'],
  ])('the status "%s" at Stripe becomes the status "%s"', async (status, here) => {
    expect((await subscription({ status }))?.status).toBe(here);
  });

  it.each([
    ['customer.subscription.created', 'begun'],
    ['customer.subscription.updated', 'changed'],
    ['customer.subscription.paused', 'changed'],
    ['customer.subscription.resumed', 'changed'],
    ['customer.subscription.deleted', 'ended'],
  ])('the Stripe event %s becomes the step "%s" of a subscription', async (type, step) => {
    expect((await subscription({}, type))?.step).toBe(step);
  });

  it('StripePayments ignores a subscription with an unknown status, without an item or with a malformed id', async () => {
    for (const changes of [{ status: 'dormant' }, { items: { data: [] } }, { items: null }, { id: 'x\u0000' }]) {
      expect(await subscription(changes)).toBeUndefined();
    }
  });

  it('StripePayments reads the account id from the metadata of the subscription', async () => {
    const named = aStripeSubscription({ metadata: { accountId: 'acc_1' } });
    expect(await read(aStripeEvent('customer.subscription.updated', named))).toMatchObject({ accountId: 'acc_1' });
    const strange = aStripeSubscription({ metadata: { accountId: 'acc_\u0000' } });
    expect(await read(aStripeEvent('customer.subscription.updated', strange))).toMatchObject({ accountId: null });
  });

  it.each([
    ['0', 0],
    [' 250 ', 250],
    ['2147483647', 2_147_483_647],
    ['unlimited', null],
    ['2147483648', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['many', undefined],
    ['', undefined],
  ])('StripePayments reads the text "%s" in the metadata as the limit %p', async (text, limit) => {
    const reported = await subscription({ metadata: { maxTemplates: text, maxPassCreations: text } });
    expect([reported?.maxTemplates, reported?.maxPassCreations]).toEqual([limit, limit]);
  });

  it('StripePayments reads a limit from the subscription, from its price or from its product, in this order', async () => {
    const product = { id: 'prod_1', metadata: { maxTemplates: '1', maxPassCreations: '1' } };
    const price = { id: 'price_1', metadata: { maxTemplates: '2' }, product, recurring: { interval: 'month' } };
    const item = { current_period_start: 1_763_600_000, current_period_end: 1_766_192_000, price };
    const items = { data: [item] };
    expect(await subscription({ items })).toMatchObject({ maxTemplates: 2, maxPassCreations: 1 });
    expect(await subscription({ items, metadata: { maxTemplates: '3' } })).toMatchObject({ maxTemplates: 3 });
  });
});

describe('a completed checkout', () => {
  const checkout = (object: object) => read(aStripeEvent('checkout.session.completed', object));

  it('StripePayments links the customer to the account that started the checkout', async () => {
    const linked = { accountId: 'acc_1', customerId: 'cus_1', subscription: null };
    const metadata = { accountId: 'acc_1' };
    expect(await checkout({ customer: 'cus_1', client_reference_id: 'acc_1' })).toMatchObject(linked);
    expect(await checkout({ customer: 'cus_1', metadata })).toMatchObject(linked);
  });

  it('StripePayments marks the account id of a checkout as chosen by the payer if the metadata has no account id', async () => {
    const metadata = { accountId: 'acc_1' };
    const payers = { customer: 'cus_1', client_reference_id: 'acc_2' };
    expect(await checkout(payers)).toMatchObject({ accountId: 'acc_2', isPayersWord: true });
    expect(await checkout({ ...payers, metadata })).toMatchObject({ accountId: 'acc_1', isPayersWord: false });
  });

  it('StripePayments ignores a checkout without a customer or an account', async () => {
    expect(await checkout({ customer: null, client_reference_id: 'acc_1' })).toBeNull();
    expect(await checkout({ customer: 'cus_1', client_reference_id: 'order 7' })).toBeNull();
  });
});
