import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { SecretsCleanupCron } from '../webhooks/secrets-cleanup.cron.js';
import { DeliveryClockRepairCron } from './delivery-clock-repair.cron.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { DeliveriesHandlers } from './deliveries.handlers.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DueDeliveriesCron } from './due-deliveries.cron.js';
import { adminOf, WebhooksWorld, type Received } from './deliveries.fixtures.js';
import { disabledAfterMs, pausesSeconds } from './delivery-retry-policy.js';
import { WebhookSenderService } from './webhook-sender.service.js';
import { WebhookTestsService } from './webhook-tests.service.js';

let world: WebhooksWorld;
beforeAll(async () => (world = await WebhooksWorld.start()));
afterAll(() => world.stop());
beforeEach(() => {
  world.receiver.received.length = 0;
  world.receiver.status(204);
  world.clock.set(new Date());
});

type Made = Awaited<ReturnType<WebhooksWorld['webhook']>>;

const verified = ({ headers, body }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
const deliveries = async (ref: Made, status?: 'pending' | 'delivered' | 'failed') =>
  (await world.get(DeliveriesService).list(ref, { limit: 100, status })).data;
const read = ({ accountId, webhookId }: Made) => world.get(WebhooksService).get(accountId, webhookId);
const bodies = () => world.receiver.received.map(({ body }) => body);
const minutes = (count: number) => world.clock.advance(count * 60);

describe('a webhook delivery', () => {
  it('the service signs a delivery according to Standard Webhooks, with the type and time of the event', async () => {
    const hook = await world.webhook();
    const [id] = await world.happen(hook);
    const at = world.clock.now();
    await world.send(hook);
    const [received] = world.receiver.received as [Received];
    expect(verified(received, hook.secret)).toEqual({
      id,
      type: 'pass.created',
      timestamp: at.toISOString(),
      data: { passId: 'ada', 1: 2 },
    });
    expect(received.headers).toMatchObject({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'content-type': 'application/json',
      'user-agent': 'Passwright',
    });
    expect(await deliveries(hook)).toEqual([
      expect.objectContaining({ eventId: id, status: 'delivered', attempts: 1, statusCode: 204, problem: null }),
    ]);
  });

  it('the service retries a failed delivery on schedule with the same bytes, without delaying other deliveries', async () => {
    const hook = await world.webhook();
    const [id] = await world.happen(hook);
    world.receiver.status(500);
    await world.send(hook);
    const [failed] = await deliveries(hook, 'pending');
    expect(failed).toMatchObject({ attempts: 1, statusCode: 500, problem: 'It responded with status 500.' });
    const pause = Date.parse(failed!.nextAttemptAt!) - world.clock.now().getTime();
    expect(pause).toBeGreaterThanOrEqual(5000);
    expect(pause).toBeLessThanOrEqual(5500);
    expect(await world.jobsFor(hook)).toEqual(expect.arrayContaining([new Date(failed!.nextAttemptAt!)]));
    expect((await read(hook)).failingSince).not.toBeNull();

    world.receiver.status(200);
    const [later] = await world.happen(hook);
    await world.send(hook);
    expect(world.receiver.received.at(-1)!.headers['webhook-id']).toBe(later);
    world.clock.advance(6);
    await world.send(hook);
    const attempts = world.receiver.received.filter(({ headers }) => headers['webhook-id'] === id);
    expect(attempts.map(({ body }) => body)).toEqual([attempts[0]!.body, attempts[0]!.body]);
    expect(attempts[1]!.headers['webhook-signature']).not.toBe(attempts[0]!.headers['webhook-signature']);
    expect(await read(hook)).toMatchObject({ failingSince: null, pending: 0 });
  });

  it('a delivery fails permanently after ten attempts, but can be replayed', async () => {
    const hook = await world.webhook();
    const [id] = await world.happen(hook);
    world.receiver.status(404);
    for (const pause of [...pausesSeconds, 0, 0]) {
      await world.send(hook);
      world.clock.advance(pause * 1.1 + 1);
    }
    expect(world.receiver.received).toHaveLength(10);
    world.receiver.status(204);
    const [failed] = await deliveries(hook);
    expect(failed).toMatchObject({ status: 'failed', attempts: 10, statusCode: 404 });
    await world.get(DeliveriesService).replay(adminOf(hook.accountId), hook.id, id!);
    await world.send(hook);
    expect(await deliveries(hook)).toEqual([expect.objectContaining({ status: 'delivered', attempts: 1 })]);
  });

  it.each<[string, (response: ServerResponse) => void, RegExp, number | null]>([
    ['a redirect', (response) => response.writeHead(302, { location: '/other' }).end(), /a redirect \(302\)/, 302],
    ['a connection that breaks', (response) => response.socket!.destroy(), /No response arrived within 0.3 s/, null],
    ['no response in time', () => undefined, /No response arrived within 0.3 s/, null],
  ])('the service records the failure and its reason for %s', async (_, reply, problem, statusCode) => {
    const hook = await world.webhook();
    const sender = world.get(WebhookSenderService) as WebhookSenderService & { timeoutMs: number };
    const usual = sender.timeoutMs;
    world.receiver.respond = reply;
    if (statusCode === null) sender.timeoutMs = 300;
    const result = await world.get(WebhookTestsService).send(hook);
    sender.timeoutMs = usual;
    expect(result).toMatchObject({ delivered: false, statusCode, problem: expect.stringMatching(problem) });
    expect(world.receiver.received).toHaveLength(1);
  });

  it('a delivery succeeds whatever the response body contains; the service reads only its beginning', async () => {
    const hook = await world.webhook();
    let written = 0;
    world.receiver.respond = (response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && written < 64 * 2 ** 20 && response.write(Buffer.alloc(65_536))) written += 65_536;
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    };
    expect(await world.get(WebhookTestsService).send(hook)).toMatchObject({ delivered: true, statusCode: 200 });
    expect(written).toBeLessThan(32 * 2 ** 20);
  });

  it('the service does not send a delivery to a host name that resolves to a private address', async () => {
    const hook = await world.webhook();
    await world.happen(hook);
    // Write the URL directly, because a webhook with a private address cannot be saved.
    await world.db.query('UPDATE webhook SET url = $2 WHERE id = $1', [hook.id, 'https://localhost:1/']);
    await world.send(hook);
    expect((await deliveries(hook))[0]).toMatchObject({
      statusCode: null,
      problem: 'Its host localhost has no public address, and no other one is called.',
    });
  });
});

it('the service combines 3,000 jobs of recorded events into one sending job per webhook', async () => {
  const hooks = [await world.webhook(), await world.webhook()];
  for (const hook of hooks) for (let count = 0; count < 3; count++) await world.happen(hook);
  await world.db.query(
    `SELECT graphile_worker.add_job('webhooks.recorded', json_build_object('accountId', $1::text)) FROM generate_series(1, 3000)`,
    [hooks[0]!.accountId],
  );
  await world.get(DeliveriesHandlers).recorded({ accountId: hooks[0]!.accountId });
  for (const hook of hooks) {
    expect(await world.jobsFor(hook, 'webhooks.recorded')).toEqual([]);
    expect(await world.jobsFor(hook)).toHaveLength(1);
  }
});

describe('many deliveries', () => {
  it('two nodes that send many deliveries at the same time send each delivery once', async () => {
    const hook = await world.webhook();
    const ids = await world.happen(hook, 250);
    const other = await world.node();
    await Promise.all([world.send(hook), world.send(hook, other), world.send(hook)]);
    expect(world.receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(ids.sort());
    expect((await read(hook)).pending).toBe(0);
  });

  it('another process sends the deliveries of a killed process after their claim has expired', async () => {
    const hook = await world.webhook();
    const [id] = await world.happen(hook);
    const now = world.clock.now();
    const until = new Date(now.getTime() + 90_000);
    // Claim the deliveries like a process that crashes afterwards.
    await world.db.transaction((tx) => world.get(DeliveriesRepository).claim(tx, hook, { now, until, limit: 100 }));
    await world.send(hook);
    expect(world.receiver.received).toHaveLength(0);
    world.clock.advance(90);
    await world.get(DueDeliveriesCron).look();
    expect(await world.jobsFor(hook)).not.toEqual([]);
    await world.send(hook);
    expect(world.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
  });

  it('deliveries become due again after the clock was 400 days ahead, and the webhook stays enabled', async () => {
    const hook = await world.webhook();
    const [id] = await world.happen(hook);
    const wrong = new Date(world.clock.now().getTime() + 400 * 86_400_000);
    await world.db.query('UPDATE webhook_delivery SET due_at = $2 WHERE account_id = $1', [hook.accountId, wrong]);
    await world.db.query('UPDATE webhook SET held_until = $2, failing_since = $2 WHERE account_id = $1', [
      hook.accountId,
      wrong,
    ]);
    await world.get(DeliveryClockRepairCron).run();
    await world.send(hook);
    expect(world.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
    expect(await read(hook)).toMatchObject({ enabled: true, failingSince: null });
  });

  it('unclaimed deliveries become due again once a clock that was an hour ahead has been corrected', async () => {
    const hook = await world.webhook();
    const [id, claimed] = await world.happen(hook, 2);
    const ahead = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000);
    const due = 'UPDATE webhook_delivery SET due_at = $2 WHERE account_id = $1 AND ($3::text IS NULL OR event_id = $3)';
    await world.db.query(due, [hook.accountId, ahead(3600), null]);
    await world.db.query(due, [hook.accountId, ahead(90), claimed]);
    await world.db.query('UPDATE webhook SET held_until = $2 WHERE account_id = $1', [hook.accountId, ahead(3600)]);
    await world.get(DeliveryClockRepairCron).repair();
    expect(await world.jobsFor(hook)).not.toEqual([]);
    await world.send(hook);
    expect(world.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
  });

  it('an attempt that a shutdown aborts does not count', async () => {
    const hook = await world.webhook();
    await world.happen(hook, 20);
    const stop = new AbortController();
    world.receiver.respond = () => stop.abort();
    await world.send(hook, undefined, stop.signal);
    const left = await deliveries(hook, 'pending');
    expect(left.map(({ attempts }) => attempts)).toEqual(new Array(20).fill(0));
    world.receiver.status(204);
    await world.send(hook);
    expect((await deliveries(hook, 'delivered')).length).toBe(20);
  });

  it('the service pauses all deliveries of a webhook when the receiver sends Retry-After', async () => {
    const hook = await world.webhook();
    await world.happen(hook, 50);
    world.receiver.status(429, { 'retry-after': '30' });
    await world.send(hook);
    const asked = world.receiver.received.length;
    expect(asked).toBeLessThanOrEqual(8);
    await world.send(hook);
    expect(world.receiver.received).toHaveLength(asked);
    expect(await world.jobsFor(hook)).toContainEqual(new Date(world.clock.now().getTime() + 30_000));
    world.clock.advance(36);
    world.receiver.status(204);
    await world.send(hook);
    expect((await deliveries(hook, 'delivered')).length).toBe(50);
  });
});

describe('sending to webhooks', () => {
  it('receivers that hang do not delay other webhooks, even if they belong to two accounts', async () => {
    const accounts = [await world.account(), await world.account()];
    const made = accounts.flatMap(({ accountId }) => Array.from({ length: 20 }, () => world.webhook({}, accountId)));
    const [slow, quick] = [await Promise.all(made), await world.webhook()];
    for (const account of accounts) await world.happen(account);
    const [awaited] = await world.happen(quick);
    let ends: (() => void)[] | null = [];
    world.receiver.respond = (response, { headers }) => {
      if (headers['webhook-id'] === awaited) {
        for (const end of ends ?? []) end();
        ends = null;
      }
      if (ends) ends.push(() => response.end());
      else response.end();
    };
    // All jobs share one run. The slow receivers respond only after the quick receiver has got its request.
    await Promise.all([...slow, quick].map((hook) => world.send(hook)));
    expect(world.receiver.received).toHaveLength(41);
    expect((await Promise.all([...slow, quick].map(read))).map(({ pending }) => pending)).toEqual(
      new Array(41).fill(0),
    );
  });

  it('the service disables a webhook whose receiver is gone, and sends pending deliveries once it is enabled again', async () => {
    const { accountId, email } = await world.account();
    const hook = await world.webhook({ name: 'CRM' }, accountId);
    await world.happen(hook, 3);
    world.receiver.status(410);
    await world.send(hook);
    expect(await read(hook)).toMatchObject({
      enabled: false,
      disabledBecause: expect.stringContaining('410'),
      pending: 3,
    });
    const [event] = await world.db.query<{ after: object; actor_kind: string }[]>(
      `SELECT actor_kind, after FROM audit_event WHERE account_id = $1 AND action = 'webhook.disabled'`,
      [accountId],
    );
    expect(event).toEqual({ actor_kind: 'system', after: { because: expect.stringContaining('410') } });
    const [job] = await world.db.query<{ payload: never }[]>(
      `SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'webhookId' = $1 AND payload->>'uid' IS NOT NULL`,
      [hook.id],
    );
    await world.get(DeliveriesHandlers).tell(job!.payload);
    expect(world.mailer.to(email)).toEqual([
      expect.objectContaining({
        subject: 'Webhook CRM of Engines is disabled',
        text: expect.stringContaining('410 Gone'),
      }),
    ]);

    world.receiver.status(204);
    world.receiver.received.length = 0;
    minutes(10);
    await world.get(DueDeliveriesCron).look();
    await world.send(hook);
    expect(world.receiver.received).toEqual([]);
    await world.get(WebhooksService).update(adminOf(accountId), hook.id, { enabled: true }, null);
    await world.send(hook);
    expect(await read(hook)).toMatchObject({ enabled: true, disabledBecause: null, failingSince: null, pending: 0 });
    await world.get(DeliveriesHandlers).tell(job!.payload);
    expect(world.mailer.to(email)).toHaveLength(1);
  });

  it('the service disables a webhook after five days of failures, and not earlier', async () => {
    const hook = await world.webhook();
    world.receiver.status(500);
    await world.happen(hook);
    await world.send(hook);
    minutes(5 * 24 * 60 - 1);
    await world.happen(hook);
    await world.send(hook);
    expect((await read(hook)).enabled).toBe(true);
    minutes(1);
    await world.happen(hook);
    await world.send(hook);
    expect((await read(hook)).disabledBecause).toMatch(/^Nothing has arrived for 5 days, since .*status 500/);
  });

  it('the service does not disable a failing webhook if another node has just delivered an event to it', async () => {
    const hook = await world.webhook();
    await world.happen(hook);
    const since = new Date(world.clock.now().getTime() - disabledAfterMs);
    await world.db.query('UPDATE webhook SET failing_since = $2 WHERE id = $1', [hook.id, since]);
    world.receiver.respond = (response) =>
      void world.db
        .query('UPDATE webhook SET failing_since = NULL WHERE id = $1', [hook.id])
        .finally(() => response.writeHead(500).end());
    await world.send(hook);
    expect(await read(hook)).toMatchObject({ enabled: true, failingSince: world.clock.now().toISOString() });
  });

  it('the service waits for a pending deletion of a webhook before it records delivery results', async () => {
    const hook = await world.webhook();
    await world.happen(hook, 5);
    const deletion = world.get(DataSource).createQueryRunner();
    await deletion.startTransaction();
    await deletion.query('SELECT FROM webhook WHERE account_id = $1 AND id = $2 FOR UPDATE', [hook.accountId, hook.id]);
    const sent = world.send(hook);
    expect(await Promise.race([sent, world.waitsForLock()])).toBe('waits');
    await deletion.query('DELETE FROM webhook WHERE account_id = $1 AND id = $2', [hook.accountId, hook.id]);
    await deletion.commitTransaction();
    await deletion.release();
    await sent;
    expect(world.receiver.received).toHaveLength(5);
    expect(await world.db.query('SELECT FROM webhook_delivery WHERE webhook_id = $1', [hook.id])).toEqual([]);
  });

  it('the service deletes the pending deliveries of a deleted webhook', async () => {
    const hook = await world.webhook();
    await world.happen(hook, 5);
    await world.get(WebhooksService).delete(hook.accountId, hook.id);
    await world.send(hook);
    expect(bodies()).toEqual([]);
    expect(await world.db.query('SELECT FROM webhook_delivery WHERE webhook_id = $1', [hook.id])).toEqual([]);
  });

  it('the job of a recorded event adds a sending job for the webhook', async () => {
    const hook = await world.webhook();
    await world.happen(hook);
    expect(await world.jobsFor(hook, 'webhooks.recorded')).toHaveLength(1);
    await world.get(DeliveriesHandlers).recorded(hook);
    expect(await world.jobsFor(hook)).toHaveLength(1);
  });

  it('the service signs with both secrets during a rotation, and later only with the new secret', async () => {
    const hook = await world.webhook();
    const rotated = await world.get(WebhooksService).rotate(hook.accountId, hook.id, 0.01);
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await world.get(WebhookTestsService).send(hook);
    world.clock.advance(37);
    await world.get(WebhookTestsService).send(hook);
    const [both, alone] = world.receiver.received as [Received, Received];
    for (const secret of [hook.secret, rotated.secret])
      expect(verified(both, secret)).toMatchObject({ type: 'webhook.test' });
    expect(verified(alone, rotated.secret)).toMatchObject({ data: { webhookId: hook.id } });
    expect(() => verified(alone, hook.secret)).toThrow('No matching signature');
  });

  it('the service deletes a replaced secret once it no longer signs with it', async () => {
    const hook = await world.webhook();
    await world.get(WebhooksService).rotate(hook.accountId, hook.id, 1);
    const stored = async () => {
      await world.get(SecretsCleanupCron).forget();
      const { previousSecret, previousSecretUntil } = await world.get(WebhooksService).find(hook.accountId, hook.id);
      return [previousSecret !== null, previousSecretUntil !== null];
    };
    minutes(59);
    expect(await stored()).toEqual([true, true]);
    minutes(1);
    expect(await stored()).toEqual([false, false]);
  });

  it('the service reports a webhook whose master key is lost, and sends to it again with a new secret', async () => {
    const hook = await world.webhook();
    await world.happen(hook);
    const node = await world.node('second');
    const there = node.get(WebhooksService);
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    expect((await there.get(hook.accountId, hook.id)).problem).toMatch(/master key .*rotate/);
    await world.send(hook, node);
    log.mockRestore();
    expect(bodies()).toEqual([]);
    const { secret, problem } = await there.rotate(hook.accountId, hook.id, 24);
    expect(problem).toBeNull();
    await world.send(hook, node);
    expect(verified(world.receiver.received[0]!, secret)).toMatchObject({ type: 'pass.created' });
  });

  it('the service allows at most twenty webhooks per account, even in simultaneous requests', async () => {
    const { accountId } = await world.account();
    const made = await Promise.allSettled(Array.from({ length: 25 }, () => world.webhook({}, accountId)));
    const rejected = made.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(rejected).toHaveLength(5);
    expect(rejected[0]!.reason).toMatchObject({ code: 'limit_exceeded', statusCode: 403 });
  });
});

describe('replaying events', () => {
  it('the service replays the failed, delivered or missed events of a period', async () => {
    const hook = await world.webhook({ types: ['pass.created', 'pass.voided'] });
    const service = world.get(DeliveriesService);
    const since = world.clock.now().toISOString();
    await world.happen(hook, 3);
    await world.send(hook);
    minutes(1);
    const until = world.clock.now().toISOString();
    const [late] = await world.happen(hook);
    await world.db.query('UPDATE webhook_delivery SET due_at = NULL WHERE event_id = $1', [late]);
    const update = (enabled: boolean) =>
      world.get(WebhooksService).update(adminOf(hook.accountId), hook.id, { enabled }, null);
    await world.webhook({}, hook.accountId);
    await update(false);
    await world.happen(hook, 2, 'pass.voided');
    await world.happen(hook, 1, 'pass.deleted');
    await expect(service.replayMany(adminOf(hook.accountId), hook.id, { since })).rejects.toThrow(/disabled/);
    await update(true);
    minutes(1);
    expect(await service.replayMany(adminOf(hook.accountId), hook.id, { since, until })).toBe(0);
    expect(await service.replayMany(adminOf(hook.accountId), hook.id, { since })).toBe(1);
    expect(await service.replayMany(adminOf(hook.accountId), hook.id, { since, until, status: 'delivered' })).toBe(3);
    expect(await service.replayMany(adminOf(hook.accountId), hook.id, { since, status: 'missed' })).toBe(2);
    world.receiver.received.length = 0;
    await world.send(hook);
    expect(world.receiver.received).toHaveLength(6);
    await expect(service.replayMany(adminOf(hook.accountId), hook.id, { since: until, until: since })).rejects.toThrow(
      /since must be before/,
    );
  });

  it('400 validation_failed, without any replay, for a period with too many events', async () => {
    const hook = await world.webhook();
    const since = world.clock.now().toISOString();
    await world.happen(hook, 4);
    await world.send(hook);
    minutes(1);
    const service = world.get(DeliveriesService) as DeliveriesService & { replayedAtMost: number };
    const { replayedAtMost } = service;
    service.replayedAtMost = 3;
    const rejected = expect(
      service.replayMany(adminOf(hook.accountId), hook.id, { since, status: 'delivered' }),
    ).rejects;
    await rejected.toThrow(/^since and until must be closer .* more than 3 /);
    expect((await read(hook)).pending).toBe(0);
    service.replayedAtMost = 4;
    expect(await service.replayMany(adminOf(hook.accountId), hook.id, { since, status: 'delivered' })).toBe(4);
    service.replayedAtMost = replayedAtMost;
  });

  it('the list contains each delivery once, newest first, page by page', async () => {
    const hook = await world.webhook();
    for (let count = 0; count < 3; count++) {
      await world.happen(hook, 3);
      world.clock.advance(1);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await world.get(DeliveriesService).list(hook, { limit: 4, cursor });
      seen.push(...page.data.map(({ timestamp, eventId }) => `${timestamp} ${eventId}`));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toHaveLength(9);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
  });
});
