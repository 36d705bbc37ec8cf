import { AccessWatch, Unauthorized, type AuthenticatedRequest } from '@passwright/core';
import { Database } from '@passwright/database';
import { planOf } from '@passwright/testing';
import { EventWatchService } from './event-watch.service.js';
import { adminOf, EventsWorld, filledPartitions } from './events.fixtures.js';
import { RestoredEventsListener } from './restored-events.listener.js';
import { EventsCleanupCron } from './events-cleanup.cron.js';
import { WebhookEventsQuery } from './webhook-event.dto.js';
import { WebhookEventsController } from './webhook-events.controller.js';
import { deleteDeliveriesSql, goneSql, LOOKED_AT, lookedAtSql, newsSql, pageSql } from './webhook-events.repository.js';
import { WebhookEventsService } from './webhook-events.service.js';

let world: EventsWorld;
let account: string;

beforeAll(async () => {
  world = await EventsWorld.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.clock.set(new Date().toISOString());
  account = await world.account();
});

const DAY_MS = 86_400_000;
const jobsOf = async (accountId: string) =>
  (
    await world.db.query<{ payload: unknown }[]>(
      `SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1`,
      [accountId],
    )
  ).length;
/** Reads all events after a cursor. */
async function read(...asked: Parameters<EventsWorld['read']>) {
  await world.settled(asked[0]);
  return world.read(...asked);
}

const numbered = (type: string, prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${type} ${prefix}${n + 1}`);

describe('recording events', () => {
  it('the service records an event only if the account has an enabled webhook that receives its type', async () => {
    const [none, disabled, other] = [await world.account(), await world.account(), await world.account()];
    await world.webhook(disabled, { disabled: true });
    await world.webhook(other, { types: ['pass.deleted'] });
    const reported = await world.webhook(account, { types: ['pass.created'] });
    await world.issue([none, disabled, other, account], 'p', 2);
    for (const id of [none, disabled, other]) expect(await world.count('webhook_event', id)).toBe(0);
    expect((await read(account, reported)).reported).toEqual(numbered('pass.created', 'p', 2));
  });

  it('a rollback of a change also removes the events of that change', async () => {
    const webhook = await world.webhook(account, { url: 'https://crm.example' });
    const { tx, rollback } = await world.begin();
    await world.issue(account, 'p', 3, tx);
    await rollback();
    expect((await read(account, webhook)).reported).toEqual([]);
    expect(await jobsOf(account)).toBe(0);
  });

  it('a statement that issues a thousand passes adds a thousand events per subscribed webhook, but only one job', async () => {
    const receiver = await world.webhook(account, { url: 'https://crm.example' });
    await world.webhook(account, { url: 'https://bi.example', types: ['pass.voided'] });
    const fetched = await world.webhook(account);
    await world.issue(account, 'p', 1000);
    expect([await world.count('webhook_delivery', account), await jobsOf(account)]).toEqual([1000, 1]);
    for (const id of [receiver, fetched]) {
      expect((await read(account, id)).reported.sort()).toEqual(numbered('pass.created', 'p', 1000).sort());
    }
    await world.db.query(
      `UPDATE pass SET voided_at = now(), primary_value = id, updated_at = updated_at + interval '1 s' WHERE account_id = $1`,
      [account],
    );
    expect([await world.count('webhook_delivery', account), await jobsOf(account)]).toEqual([4000, 2]);
  });

  it('an event about a save at Google reports at most 1,000 installations, as the API document says', async () => {
    const webhook = await world.webhook(account, { types: ['pass.installed'] });
    await world.issue(account, 'p');
    await world.db.query(
      `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, saves, created_at)
       VALUES ($1, '3388', 'object', 't', 'offer', $2, 999, now())`,
      [account, `p1${account}`],
    );
    for (const _ of [1, 2]) {
      await world.db.query('UPDATE google_resource SET saves = saves + 1 WHERE account_id = $1', [account]);
    }
    await world.settled(account);
    const { data } = await world.list(account, webhook);
    expect(data.map((event) => event.data.installations)).toEqual([1000, 1000]);
  });

  it('the service deletes the deliveries of a deleted webhook', async () => {
    const webhook = await world.webhook(account, { url: 'https://crm.example' });
    await world.issue(account, 'p');
    await world.db.query('DELETE FROM webhook WHERE account_id = $1 AND id = $2', [account, webhook]);
    expect(await world.count('webhook_delivery', account)).toBe(0);
  });
});

describe('the list of events', () => {
  it('an event of a transaction that began early and commits late is listed exactly once', async () => {
    const webhook = await world.webhook(account);
    const late = await world.begin();
    await world.issue(account, 'early', 1, late.tx);
    await world.issue(account, 'between');
    const before = await world.read(account, webhook);
    await late.commit();
    const after = await read(account, webhook, before.cursor);
    expect([...before.reported, ...after.reported]).toEqual(['pass.created early1', 'pass.created between1']);
    expect((await read(account, webhook, after.cursor)).reported).toEqual([]);
  });

  it('the events of one pass are listed in order, even if the last transaction began first', async () => {
    const webhook = await world.webhook(account);
    await world.issue(account, 'a');
    const late = await world.begin();
    await late.tx.query('SELECT pg_current_xact_id()');
    const set = (voidedAt: string) => `UPDATE pass SET voided_at = ${voidedAt} WHERE account_id = '${account}'`;
    await world.db.query(set('now()'));
    await late.tx.query(set('NULL'));
    await late.commit();
    expect((await read(account, webhook)).reported).toEqual(['pass.created a1', 'pass.voided a1', 'pass.unvoided a1']);
  });

  it('a list in pages of any size contains all events of the webhook’s types', async () => {
    const [all, few] = [await world.webhook(account), await world.webhook(account, { types: ['pass.deleted'] })];
    await world.issue(account, 'p', LOOKED_AT + 10);
    await world.db.query(`DELETE FROM pass WHERE account_id = $1 AND id IN ('p7', 'p8', 'p9')`, [account]);
    expect((await read(account, few, undefined, 2)).reported.sort()).toEqual(
      ['p7', 'p8', 'p9'].map((id) => `pass.deleted ${id}`),
    );
    expect((await read(account, all, undefined, 100)).reported).toHaveLength(LOOKED_AT + 13);
    const first = await world.list(account, few, {});
    expect([first.data, first.nextCursor]).toEqual([[], first.cursor]);
  });

  it('the list contains all events even if old events are deleted while a page is read', async () => {
    const webhook = await world.webhook(account, { types: ['pass.deleted'] });
    await world.webhook(account);
    await world.issue(account, 'old', 10);
    await world.issue(account, 'new', LOOKED_AT - 10);
    await world.db.query(`DELETE FROM pass WHERE account_id = $1 AND id LIKE 'old%'`, [account]);
    await world.delay(account, 45, `(e.type = 'pass.deleted' OR e.data->>'passId' LIKE 'new%')`);
    await world.liveUntil(53);
    world.clock.advance((50 * DAY_MS) / 1000);
    await world.settled(account);
    const database = world.get(Database);
    const lookUp = database.lookUp.bind(database);
    const between = jest.spyOn(database, 'lookUp').mockImplementation(async (name, sql, values) => {
      if (name === 'webhook-events-looked-at')
        await world.get(EventsCleanupCron).forget({ signal: new AbortController().signal });
      return lookUp(name, sql, values);
    });
    const { reported } = await world.read(account, webhook);
    between.mockRestore();
    expect(reported.sort()).toEqual(numbered('pass.deleted', 'old', 10).sort());
  });

  it('each event is listed exactly once, even when transaction numbers get another digit', async () => {
    const few = await world.webhook(account, { types: ['pass.deleted'] });
    await world.webhook(account);
    const remove = (id: string) => world.db.query('DELETE FROM pass WHERE account_id = $1 AND id = $2', [account, id]);
    await world.issue(account, 'a', 100);
    await world.issue(account, 'b', LOOKED_AT - 200);
    await remove('a1');
    await world.issue(account, 'c', 150);
    // The first page does not examine this event, because the event comes after the first `LOOKED_AT` events.
    await remove('a2');
    await world.issue(account, 'd', 300);
    await world.db.query(
      `UPDATE webhook_event SET recorded_in = CASE WHEN type = 'pass.created' AND data->>'passId' LIKE 'a%' THEN '9' ELSE '10' END::xid8
       WHERE account_id = $1`,
      [account],
    );
    expect((await read(account, few)).reported).toEqual(['pass.deleted a1', 'pass.deleted a2']);
  });

  it('a request with `from=now` gets a list without earlier events', async () => {
    const webhook = await world.webhook(account);
    await world.issue(account, 'before');
    await world.settled(account);
    const { cursor, data } = await world.list(account, webhook, { from: 'now' });
    await world.issue(account, 'after');
    expect([data, (await read(account, webhook, cursor)).reported]).toEqual([[], ['pass.created after1']]);
  });

  it('400 validation_failed for a cursor from before a restore or a failover of the database', async () => {
    const webhook = await world.webhook(account);
    await world.issue(account, 'p');
    const { cursor } = await read(account, webhook);
    const [, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
    const foreign = Buffer.from(JSON.stringify(['0123456789', ...rest])).toString('base64url');
    await expect(world.list(account, webhook, { cursor: foreign })).rejects.toThrow(/start again without it/);
    expect((await read(account, webhook)).reported).toEqual(['pass.created p1']);
  });

  it('400 validation_failed for a cursor that is ahead of the database', async () => {
    const webhook = await world.webhook(account);
    await world.issue(account, 'p');
    const { cursor } = await read(account, webhook);
    const [epoch, recordedIn, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
    const ahead = [epoch, String(BigInt(recordedIn!) + 1_000_000n), ...rest];
    const future = Buffer.from(JSON.stringify(ahead)).toString('base64url');
    await expect(world.list(account, webhook, { cursor: future })).rejects.toThrow(/start again without it/);
    expect(await world.list(account, webhook, { cursor })).toMatchObject({ data: [] });
  });

  it('the list contains the earlier events and then the new ones after a restore from another server', async () => {
    const webhook = await world.webhook(account);
    await world.issue(account, 'old', 2);
    // Simulates the transaction numbers of a server that is further ahead.
    await world.db.query(
      `UPDATE webhook_event SET recorded_in = (recorded_in::text::numeric + 1000000000)::text::xid8 WHERE account_id = $1`,
      [account],
    );
    expect((await world.read(account, webhook)).reported).toEqual([]);
    const restored = world.get(RestoredEventsListener);
    for (let at: object | null = {}; at !== null;) {
      const position: object = at;
      at = (await world.get(Database).transaction((tx) => restored.incarnationStep(tx, position))).next;
    }
    await world.issue(account, 'new');
    expect((await read(account, webhook)).reported).toEqual([
      'pass.created old1',
      'pass.created old2',
      'pass.created new1',
    ]);
  });

  it('400 validation_failed for a cursor that is more than 30 days old, because later events may have been deleted', async () => {
    const webhook = await world.webhook(account);
    const { cursor } = await world.list(account, webhook);
    world.clock.advance((30 * DAY_MS) / 1000);
    expect(await world.list(account, webhook, { cursor })).toMatchObject({ data: [] });
    world.clock.advance(3700);
    await expect(world.list(account, webhook, { cursor })).rejects.toThrow(/start again without it/);
  });

  it('404 not_found for a webhook of another account', async () => {
    const webhook = await world.webhook(account);
    await expect(world.list(await world.account(), webhook)).rejects.toThrow(/no webhook/);
    await expect(world.list(account, '\0')).rejects.toThrow(/no webhook/);
  });
});

describe('waiting for events', () => {
  it('the next event ends the wait of every request that waits for events of its type', async () => {
    const [all, few] = [await world.webhook(account), await world.webhook(account, { types: ['pass.deleted'] })];
    const waiting = [all, few, all].map((id) => world.list(account, id, { wait: 20 }));
    await world.issue(account, 'p');
    await world.db.query('DELETE FROM pass WHERE account_id = $1', [account]);
    const reported = (await Promise.all(waiting)).map(({ data }) => data.map(({ type }) => type).at(-1));
    expect(reported).toEqual([expect.stringMatching(/^pass/), 'pass.deleted', expect.stringMatching(/^pass/)]);
  });

  it('a wait ends in time or when the client disconnects, with a cursor for the next request', async () => {
    const webhook = await world.webhook(account);
    const inTime = await world.list(account, webhook, { wait: 1 });
    const gone = new AbortController();
    const left = world.list(account, webhook, { wait: 30 }, gone);
    gone.abort();
    for (const { data, nextCursor, cursor } of [inTime, await left]) {
      expect([data, nextCursor, cursor]).toEqual([[], null, expect.any(String)]);
    }
  });

  it('401 unauthorized instead of the awaited events for a caller who lost access before the events came', async () => {
    const webhook = await world.webhook(account);
    const controller = new WebhookEventsController(world.get(WebhookEventsService));
    const lookedUp = jest.fn(() => Promise.reject(new Unauthorized('The key was revoked.')));
    const request = { recheckAccess: lookedUp } as AuthenticatedRequest;
    const list = (wait: number) => {
      const query = Object.assign(new WebhookEventsQuery(), { wait });
      return controller.list(adminOf(account), webhook, query, new AbortController().signal, request);
    };
    const news = jest.spyOn(world.get(EventWatchService), 'news');
    const waiting = list(20);
    waiting.catch(() => undefined);
    while (news.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    news.mockRestore();
    await world.issue(account, 'p');
    await expect(waiting).rejects.toThrow('The key was revoked.');
    await world.settled(account);
    lookedUp.mockClear();
    expect([(await list(20)).data.length, lookedUp.mock.calls]).toEqual([1, []]);
  });

  it('the service stops rechecking a credential if the client disconnects before the handler runs', async () => {
    const webhook = await world.webhook(account);
    const stop = jest.spyOn(AccessWatch.prototype, 'stop');
    const controller = new WebhookEventsController(world.get(WebhookEventsService));
    const request = { recheckAccess: () => Promise.resolve() } as AuthenticatedRequest;
    await controller.list(adminOf(account), webhook, new WebhookEventsQuery(), AbortSignal.abort(), request);
    expect(stop).toHaveBeenCalledTimes(1);
    stop.mockRestore();
  });

  it('the service queries events for at most a hundred waiting requests per account, without delaying other accounts', async () => {
    const [webhook, stranger] = [await world.webhook(account), await world.account()];
    const strangers = await world.webhook(stranger);
    const gone = new AbortController();
    const news = jest.spyOn(world.get(EventWatchService), 'news');
    let ended = 0;
    const request = async () => {
      const { data } = await world.list(account, webhook, { wait: 30 }, gone);
      ended++;
      return data.length;
    };
    const requests: Promise<number>[] = [];
    // Start each request before the event, because a request that finds an event on its first page does not wait.
    while (requests.length < 300) {
      requests.push(request());
      while (news.mock.calls.length < requests.length) await new Promise((resolve) => setImmediate(resolve));
    }
    news.mockRestore();
    const waiting = world.list(stranger, strangers, { wait: 20 });
    await world.issue([account, stranger], 'p');
    expect((await waiting).data).toHaveLength(1);
    while (ended < 100) await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(100);
    gone.abort();
    expect(await Promise.all(requests)).toEqual(Array(300).fill(1));
  });

  it('the service ends a wait when the node stops', async () => {
    const node = await EventsWorld.start();
    const webhook = await node.webhook(account);
    const waiting = node.list(account, webhook, { wait: 30 });
    node.get(EventWatchService).onModuleDestroy();
    expect(await waiting).toMatchObject({ data: [], nextCursor: null });
    await node.stop();
  });
});

it('the service deletes events older than 30 days with their deliveries, and the deliveries of deleted webhooks', async () => {
  const webhook = await world.webhook(account, { url: 'https://crm.example' });
  await world.issue(account, 'new');
  await world.delay(account, 45);
  await world.issue(account, 'old', 2500);
  const stored = await world.db.query<{ id: string }[]>(
    `SELECT id FROM webhook_event WHERE account_id = $1 AND data->>'passId' = 'new1'`,
    [account],
  );
  await world.db.query(
    `INSERT INTO webhook_delivery (account_id, webhook_id, event_id, occurred_at) VALUES ($1, 'gone', $2, now())`,
    [account, stored[0]!.id],
  );
  await world.liveUntil(53);
  world.clock.advance((50 * DAY_MS) / 1000);
  // Old events are unreadable even before they are dropped.
  expect((await read(account, webhook)).reported).toEqual(['pass.created new1']);
  for (let time = 0; time < 2; time++) {
    await world.get(EventsCleanupCron).forget({ signal: new AbortController().signal });
    const rows = [await world.count('webhook_event', account), await world.count('webhook_delivery', account)];
    expect(rows).toEqual([1, 1]);
  }
  world.clock.set(new Date().toISOString());
  expect((await read(account, webhook)).reported).toEqual(['pass.created new1']);
});

it('deleting a webhook deletes some of its deliveries immediately, and the clean-up deletes the remaining ones', async () => {
  const webhook = await world.webhook(account, { url: 'https://crm.example' });
  await world.db.query(
    `INSERT INTO webhook_delivery (account_id, webhook_id, event_id) SELECT $1, $2, n FROM generate_series(1, 7500) n`,
    [account, webhook],
  );
  await world.db.query('DELETE FROM webhook WHERE account_id = $1 AND id = $2', [account, webhook]);
  expect(await world.count('webhook_delivery', account)).toBe(2500);
  await world.get(EventsCleanupCron).forget({ signal: new AbortController().signal });
  expect(await world.count('webhook_delivery', account)).toBe(0);
});

describe('plans on tables with many accounts', () => {
  const now = new Date();

  beforeAll(async () => {
    for (let i = 0; i < 5; i++) {
      account = await world.account();
      await world.webhook(account, { url: 'https://crm.example' });
      await world.issue(account, 'p', 4000);
    }
    await world.get(EventsCleanupCron).forget({ signal: new AbortController().signal });
    await world.db.query('ANALYZE webhook, webhook_event, webhook_delivery');
  });

  const many = (value: string) => Array.from({ length: 50 }, () => value);

  const order = /^webhook_event_.*(order_idx|_recorded_in_position_idx\d*)$/;

  it.each<[string, string, () => unknown[], RegExp]>([
    ['a page', pageSql, () => [account, 'w', 20, null, null, 'oldest', null, now], order],
    ['the last examined event', lookedAtSql, () => [account, '5', '9', '9999', now], order],
    ['the readers with unread events', newsSql, () => [many(account), many('5'), many('7')], order],
    ['the deleted webhooks that still have deliveries', goneSql, () => [], /^webhook/],
    ['the deliveries of a deleted webhook', deleteDeliveriesSql, () => [account, 'w', 2000], /^webhook_delivery/],
  ])('the service finds %s through an index in each partition that has rows', async (_name, sql, values, index) => {
    const steps = await planOf(world.db, sql, values());
    const scanned = steps.filter((step) => step['Node Type'] === 'Seq Scan').map((step) => step['Relation Name']);
    const filled = await filledPartitions(world.db);
    expect(filled.length).toBeGreaterThan(0);
    expect(scanned.filter((table) => filled.includes(table ?? ''))).toEqual([]);
    const used = steps.flatMap((step) => step['Index Name'] ?? []);
    expect(used.filter((name) => index.test(name)).length).toBeGreaterThan(0);
  });
});
