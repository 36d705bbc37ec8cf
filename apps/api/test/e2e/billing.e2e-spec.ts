import { setTimeout as pause } from 'node:timers/promises';
import type { BillingResponse } from '@passwright/accounts';
import { BillingService } from '@passwright/billing';
import { JobDiscoveryService } from '@passwright/jobs/testing';
import { lockWaitsSql, repeatWhileBusy } from '@passwright/testing';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { RunningService, type Account } from '../support/running-service.js';
import { StripeAccount, deliver, webhookSecret } from '../support/stripe.js';

/* Two nodes of one installation. Stripe sends events to both. */
const newSecret = 'whsec_fedcba9876543210fedcba9876543210';
let first: RunningService;
let second: RunningService;

beforeAll(async () => {
  first = await RunningService.start({ STRIPE_WEBHOOK_SECRET: `${newSecret}, ${webhookSecret}` });
  second = await RunningService.start({ STRIPE_WEBHOOK_SECRET: webhookSecret }, first);
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const received = { status: 200, body: { received: true } };
const billingOf = ({ id }: Account): Promise<BillingResponse> => first.app.get(BillingService).of(id);
const at = (secondsLater: number) => new Date(Date.parse('2026-11-20T10:00:00.000Z') + secondsLater * 1000);
const auditOf = ({ id }: Account) =>
  first.app
    .get(DataSource)
    .query<{ before: object; after: object }[]>(
      `SELECT before, after FROM audit_event WHERE account_id = $1 AND action = 'billing.changed' ORDER BY at, id`,
      [id],
    );

describe('POST /v1/payments/webhook', () => {
  it('a subscription event from Stripe updates the billing of the account', async () => {
    const [account, stripe] = [await first.register(), new StripeAccount()];
    expect(await billingOf(account)).toEqual({ enterpriseConfig: {} });
    expect(await deliver(first, stripe.checkout(account.id, at(0)))).toMatchObject(received);
    const metadata = { maxTemplates: '3', maxPassCreations: '250' };
    expect(await deliver(second, stripe.subscription('created', at(1), { metadata }))).toMatchObject(received);
    expect(await billingOf(account)).toEqual({
      paymentCustomerId: stripe.customer,
      subscription: {
        planId: 'pro',
        status: 'active',
        paymentSubscriptionId: stripe.subscriptionId,
        currentPeriodStart: '2026-11-01T00:00:00.000Z',
        currentPeriodEnd: '2026-12-01T00:00:00.000Z',
        period: 'month',
      },
      enterpriseConfig: { maxTemplates: 3, maxPassCreations: 250 },
    });
    expect(await auditOf(account)).toMatchObject([
      { before: { paymentCustomerId: null }, after: { paymentCustomerId: stripe.customer } },
      { before: { planId: null, maxTemplates: null }, after: { planId: 'pro', maxTemplates: 3 } },
    ]);
  });

  it("a subscription event updates an account even if only the event's metadata names the account", async () => {
    const [account, stripe] = [await first.register(), new StripeAccount()];
    await deliver(first, stripe.subscription('created', at(1), { metadata: { accountId: account.id } }));
    expect(await billingOf(account)).toMatchObject({
      paymentCustomerId: stripe.customer,
      subscription: { planId: 'pro' },
    });
  });

  it("the service stores an event until the event's account is known, and gives the event to no other account", async () => {
    const [account, other] = [await first.register(), await first.register()];
    const [stripe, others] = [new StripeAccount(), new StripeAccount()];
    expect(await deliver(first, stripe.subscription('updated', at(5), { plan: 'enterprise' }))).toMatchObject(received);
    await deliver(first, stripe.subscription('created', at(2)));
    await deliver(first, others.checkout(other.id, at(9)));
    expect(await billingOf(account)).toEqual({ enterpriseConfig: {} });
    await deliver(second, stripe.checkout(account.id, at(3)));
    expect(await billingOf(account)).toMatchObject({ subscription: { planId: 'enterprise' } });
    expect(await billingOf(other)).toEqual({ paymentCustomerId: others.customer, enterpriseConfig: {} });
  });

  it('the service accepts events of unknown accounts, and events that do not concern subscriptions', async () => {
    const stripe = new StripeAccount();
    expect(await deliver(first, stripe.checkout('acc_nobody', at(0)))).toMatchObject(received);
    expect(await deliver(first, stripe.event('invoice.paid', at(0), { customer: stripe.customer }))).toMatchObject(
      received,
    );
    expect(await deliver(first, stripe.event('customer.subscription.updated', at(0), { id: 7 }))).toMatchObject(
      received,
    );
  });

  it("a checkout cannot take over another customer's account; only one of simultaneous checkouts links an account", async () => {
    const [account, own, stranger] = [await first.register(), new StripeAccount(), new StripeAccount()];
    await deliver(first, own.checkout(account.id, at(0)));
    await deliver(first, own.subscription('created', at(1), { metadata: { maxTemplates: '50' } }));
    const before = await billingOf(account);
    const created = 1_795_000_000;
    const cheap = { plan: 'cheap', created, metadata: { maxTemplates: '1' } };
    expect(await deliver(first, stranger.subscription('created', at(2), cheap))).toMatchObject(received);
    expect(await deliver(second, stranger.checkout(account.id, at(3)))).toMatchObject(received);
    expect(await billingOf(account)).toEqual(before);

    const contested = await first.register();
    const payers = Array.from({ length: 8 }, () => new StripeAccount());
    await Promise.all(payers.map((payer, n) => deliver(n % 2 ? first : second, payer.checkout(contested.id, at(n)))));
    expect(await auditOf(contested)).toHaveLength(1);
  });

  it('only the metadata of a checkout can link another customer to an account, because payers cannot set it', async () => {
    const [account, own, next] = [await first.register(), new StripeAccount(), new StripeAccount()];
    await deliver(first, own.checkout(account.id, at(0)));
    const metadata = { accountId: account.id };
    const [client_reference_id, customer] = ['acc_nobody', next.customer];
    await deliver(first, next.event('checkout.session.completed', at(1), { customer, client_reference_id, metadata }));
    expect(await billingOf(account)).toMatchObject({ paymentCustomerId: next.customer });
  });

  it('an event counts once, even if both nodes receive it repeatedly at the same time', async () => {
    const [account, stripe] = [await first.register(), new StripeAccount()];
    await deliver(first, stripe.checkout(account.id, at(0)));
    const event = stripe.subscription('created', at(1));
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => repeatWhileBusy(() => deliver(n % 2 ? first : second, event))),
    );
    for (const response of responses) expect(response).toMatchObject(received);
    expect(await auditOf(account)).toHaveLength(2);
  });

  it('the final state of a subscription is correct even if both nodes receive its events in random order', async () => {
    for (let round = 0; round < 5; round++) {
      const [account, stripe] = [await first.register(), new StripeAccount()];
      const plans = Array.from({ length: 12 }, (_, n) =>
        stripe.subscription('updated', at(n + 1), { plan: `plan ${n}` }),
      );
      const events = [stripe.checkout(account.id, at(0)), stripe.subscription('created', at(0)), ...plans];
      const [shuffled = []] = fc.sample(fc.shuffledSubarray(events, { minLength: events.length }), 1);
      await Promise.all(shuffled.map((event, n) => deliver(n % 2 ? first : second, event)));
      expect(await billingOf(account)).toMatchObject({ subscription: { planId: 'plan 11' } });
    }
  });

  it('an older event changes nothing, and an ended subscription does not become active again', async () => {
    const [account, stripe] = [await first.register(), new StripeAccount()];
    await deliver(first, stripe.checkout(account.id, at(0)));
    await deliver(first, stripe.subscription('updated', at(9), { plan: 'new' }));
    await deliver(second, stripe.subscription('updated', at(8), { plan: 'old' }));
    expect(await billingOf(account)).toMatchObject({ subscription: { planId: 'new', status: 'active' } });
    await deliver(second, stripe.subscription('deleted', at(10), { plan: 'new' }));
    await deliver(first, stripe.subscription('updated', at(10), { plan: 'new' }));
    expect(await billingOf(account)).toMatchObject({ subscription: { planId: 'new', status: 'canceled' } });
    const id = `${stripe.subscriptionId}_2`;
    await deliver(first, stripe.subscription('created', at(5), { id, plan: 'again', created: 1_795_000_000 }));
    expect(await billingOf(account)).toMatchObject({ subscription: { planId: 'again', paymentSubscriptionId: id } });
  });

  it('401 unauthorized for events that are unsigned, signed with another secret, or older than 5 minutes', async () => {
    const [account, stripe] = [await first.register(), new StripeAccount()];
    const event = stripe.checkout(account.id, at(0));
    const post = (headers = {}) => first.request('POST', '/v1/payments/webhook', { body: event, headers });
    const rejected = { status: 401, body: { statusCode: 401, code: 'unauthorized' } };
    expect(await post()).toMatchObject(rejected);
    expect(await post({ 'Stripe-Signature': 't=1,v1=00' })).toMatchObject(rejected);
    expect(await deliver(first, event, Date.now(), 'whsec_somebody_elses_secret')).toMatchObject(rejected);
    const old = await deliver(first, event, Date.now() - 360_000);
    expect(old).toMatchObject(rejected);
    expect(old.body.message).toContain('5 minutes');
    expect(await billingOf(account)).toEqual({ enterpriseConfig: {} });
  });

  it('the service accepts the old and the new signing secret during a replacement', async () => {
    const [account, stripe] = [await first.register(), new StripeAccount()];
    const event = stripe.checkout(account.id, at(0));
    expect(await deliver(second, event, Date.now(), newSecret)).toMatchObject({ status: 401 });
    expect(await deliver(first, event, Date.now(), newSecret)).toMatchObject(received);
    expect(await deliver(first, event, Date.now(), webhookSecret)).toMatchObject(received);
    expect(await billingOf(account)).toMatchObject({ paymentCustomerId: stripe.customer });
  });
});

describe('stored Stripe events', () => {
  it('Stripe events are deleted after 30 days, except those that belong to an account', async () => {
    const [account, stripe, stranger] = [await first.register(), new StripeAccount(), new StripeAccount()];
    const events = [
      stripe.checkout(account.id, at(0)),
      stripe.subscription('created', at(1)),
      stranger.subscription('created', at(1)),
    ];
    for (const event of events) await deliver(first, event);
    const ids = [stripe.subscriptionId, stranger.subscriptionId];
    const database = first.app.get(DataSource);
    const { tasks } = first.app.get(JobDiscoveryService, { strict: false }).find();
    const stored = async () => {
      await tasks.get('payments.forget')?.run({}, { signal: new AbortController().signal });
      const sql = 'SELECT id FROM payment_subscription WHERE id = ANY ($1) ORDER BY received_at';
      return (await database.query<{ id: string }[]>(sql, [ids])).map(({ id }) => id);
    };
    const age = (days: number) =>
      database.query(
        'UPDATE payment_subscription SET received_at = now() - make_interval(days => $2) WHERE id = ANY ($1)',
        [ids, days],
      );
    await age(29);
    expect((await stored()).sort()).toEqual([...ids].sort());
    await age(31);
    expect(await stored()).toEqual([stripe.subscriptionId]);
    expect(await billingOf(account)).toMatchObject({ subscription: { planId: 'pro' } });
  });
});

describe('limits set by Stripe', () => {
  it('limits from Stripe apply to new resources until Stripe removes the limits', async () => {
    const [account, stripe] = [await first.register(), new StripeAccount()];
    await account.saveTemplate('offer');
    await deliver(first, stripe.checkout(account.id, at(0)));
    await deliver(first, stripe.subscription('created', at(1), { metadata: { maxPassCreations: '1' } }));
    expect(await account.post('/v1/pass/offer')).toMatchObject({ status: 201 });
    expect(await account.post('/v1/pass/offer')).toMatchObject({ status: 403, body: { code: 'limit_exceeded' } });
    await deliver(second, stripe.subscription('updated', at(2), { metadata: { maxPassCreations: 'unlimited' } }));
    expect(await account.post('/v1/pass/offer')).toMatchObject({ status: 201 });
  });
});

describe('limits set by an operator', () => {
  it("an operator's setting applies until Stripe sends newer data", async () => {
    const [account, stripe] = [await first.register(), new StripeAccount()];
    const billing = first.app.get(BillingService);
    const [before, after] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    await deliver(first, stripe.checkout(account.id, before));
    await billing.set(account.id, { planId: 'by hand', maxTemplates: 7 });
    await deliver(second, stripe.subscription('updated', before, { metadata: { maxTemplates: '2' } }));
    expect(await billingOf(account)).toMatchObject({
      subscription: { planId: 'by hand' },
      enterpriseConfig: { maxTemplates: 7 },
    });
    await deliver(second, stripe.subscription('updated', after, { metadata: { maxTemplates: '2' } }));
    expect(await billingOf(account)).toMatchObject({
      subscription: { planId: 'pro', paymentSubscriptionId: stripe.subscriptionId },
      enterpriseConfig: { maxTemplates: 2 },
    });
  });

  it("the operator's customer is the only one of the account, even if an event links another customer meanwhile", async () => {
    const [account, others] = [await first.register(), new StripeAccount()];
    const chosen = new StripeAccount().customer;
    const source = first.app.get(DataSource);
    const waiting = async (count: number) => {
      while ((await source.query<unknown[]>(lockWaitsSql)).length < count) await pause(5);
    };
    let both: Promise<unknown> = Promise.resolve();
    await source.transaction(async (tx) => {
      const lock = `SELECT pg_advisory_xact_lock(hashtextextended('payment-customers-of/' || $1, 4172839))`;
      await tx.query(lock, [account.id]);
      // Postgres grants the lock in the order of the requests: first to the event, then to the operator.
      const event = deliver(first, others.checkout(account.id, at(0)));
      await waiting(1);
      both = Promise.all([event, second.app.get(BillingService).set(account.id, { paymentCustomerId: chosen })]);
      await waiting(2);
    });
    await both;
    const customers = 'SELECT id FROM payment_customer WHERE account_id = $1';
    expect(await source.query(customers, [account.id])).toEqual([{ id: chosen }]);
    expect(await billingOf(account)).toMatchObject({ paymentCustomerId: chosen });
  });

  it("the operator can link a customer after the customer's first event, but not the customer of another account", async () => {
    const [account, other, stripe] = [await first.register(), await first.register(), new StripeAccount()];
    const billing = first.app.get(BillingService);
    await deliver(first, stripe.subscription('created', new Date()));
    await billing.set(account.id, { paymentCustomerId: stripe.customer });
    expect(await billingOf(account)).toMatchObject({
      paymentCustomerId: stripe.customer,
      subscription: { planId: 'pro' },
    });
    await expect(billing.set(other.id, { paymentCustomerId: stripe.customer })).rejects.toThrow(account.id);
    await billing.set(account.id, { paymentCustomerId: null });
    expect(await billingOf(account)).toEqual({ enterpriseConfig: {} });
    await billing.set(other.id, { paymentCustomerId: stripe.customer });
    expect(await billingOf(other)).toMatchObject({ subscription: { planId: 'pro' } });
  });
});
