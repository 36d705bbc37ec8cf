import { randomUUID } from 'node:crypto';
import { randomId } from '@passwright/core';
import { Database } from '@passwright/database';
import { AccountsNode } from '../accounts.fixtures.js';
import { AuditEventsRepository, listQuery, type AuditEventFilter } from './audit-events.repository.js';
import { AuditRetention } from './audit-retention.cron.js';
import { AuditLog } from './audit-log.service.js';

const DAY_SECONDS = 24 * 60 * 60;

let node: AccountsNode;
let database: Database;
let account: Awaited<ReturnType<AccountsNode['register']>>;

beforeAll(async () => {
  node = await AccountsNode.start();
  // Use the real time, because the migration creates partitions for the current and the next month.
  node.clock.set(new Date().toISOString());
  database = node.app.get(Database);
});
afterAll(() => node.stop());
beforeEach(async () => {
  account = await node.register();
});

/** Records one event for each of these actions, at the clock's time. */
async function record(...actions: string[]): Promise<void> {
  const auditLog = node.app.get(AuditLog);
  for (const action of actions) {
    await database.transaction((tx) =>
      auditLog.record(tx, { accountId: account.accountId, action, target: { kind: 'thing', id: `a:${action}` } }),
    );
  }
}

/** Returns the actions that `record` has recorded. Reads the database, because the caller's token may have expired. */
async function recorded(): Promise<string[]> {
  const rows = await database.reads.query<{ action: string }[]>(
    `SELECT action FROM audit_event WHERE account_id = $1 AND target_kind = 'thing' ORDER BY at`,
    [account.accountId],
  );
  return rows.map(({ action }) => action);
}

async function list(query: string, token = account.accessToken) {
  const found: { action: string; [name: string]: unknown }[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path = `/v1/account/events?${query}&limit=2${cursor && `&cursor=${cursor}`}`;
    const response = await node.call('get', path, { token }).expect(200);
    expect(response.body.data.length).toBeLessThanOrEqual(2);
    found.push(...response.body.data);
    cursor = response.body.nextCursor as string | null;
  }
  return found;
}

const actions = async (query: string) => (await list(query)).map(({ action }) => action);

describe('the audit trail', () => {
  it('the audit trail rejects every attempt to change, delete or truncate audit events or a monthly partition', async () => {
    await record('thing.made');
    await node.app.get(AuditRetention).dropOld();
    const rejected = (sql: string) => expect(database.reads.query(sql)).rejects.toThrow('append-only');
    await rejected(`UPDATE audit_event SET action = 'x' WHERE account_id = '${account.accountId}'`);
    await rejected(`DELETE FROM audit_event WHERE account_id = '${account.accountId}'`);
    await rejected('TRUNCATE audit_event');
    const partitions = await database.reads.query<{ name: string; rows: number }[]>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_event'::regclass`,
    );
    // The migration has created two partitions. Also test one of the later ones, because each needs its own triggers
    // against TRUNCATE.
    expect(partitions.length).toBeGreaterThan(2);
    for (const { name } of partitions) await rejected(`TRUNCATE ${name}`);
    const [{ name }] = await database.reads.query(
      `SELECT tableoid::regclass::text AS name FROM audit_event WHERE account_id = $1 LIMIT 1`,
      [account.accountId],
    );
    await rejected(`UPDATE ${name} SET action = 'x' WHERE account_id = '${account.accountId}'`);
    await rejected(`DELETE FROM ${name} WHERE account_id = '${account.accountId}'`);
    await rejected('TRUNCATE account CASCADE');
    expect(await actions('action=thing.made')).toEqual(['thing.made']);
  });

  it('the audit trail keeps audit events for 400 days and then drops whole months', async () => {
    const today = node.clock.now().toISOString();
    await record('thing.old');
    node.clock.advance(399 * DAY_SECONDS);
    await node.app.get(AuditRetention).dropOld();
    expect(await recorded()).toEqual(['thing.old']);
    // Record events in two consecutive months: only then does the service believe that an old month has passed.
    for (let days = 0; days < 63; days += 9) {
      node.clock.advance(9 * DAY_SECONDS);
      await record('thing.new');
    }
    await node.app.get(AuditRetention).dropOld();
    expect(new Set(await recorded())).toEqual(new Set(['thing.new']));
    const [partition] = await database.reads.query(
      `SELECT tableoid::regclass::text AS name FROM audit_event WHERE account_id = $1 LIMIT 1`,
      [account.accountId],
    );
    expect(partition.name).not.toBe('audit_event_default');
    node.clock.set(today);
  });

  it('the audit trail does not contain events of a transaction that was rolled back', async () => {
    const auditLog = node.app.get(AuditLog);
    const entry = { accountId: account.accountId, action: 'thing.failed', target: { kind: 'thing' } };
    const failing = database.transaction(async (tx) => {
      await auditLog.record(tx, entry);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await actions('target=thing')).toEqual([]);
  });

  it('the audit trail lists each event once, newest first, even if events have the same millisecond', async () => {
    await record('thing.a', 'thing.b');
    node.clock.advance(1);
    const later = Array.from({ length: 41 }, (_, n) => `thing.c${n}`);
    await record(...later);
    expect(await actions('target=thing')).toEqual([...later.reverse(), 'thing.b', 'thing.a']);
  });

  it('the audit trail reads only a few more events than a page contains, even if the events are large', async () => {
    const entry = { accountId: account.accountId, action: 'thing.large', target: { kind: 'large' } };
    const after = { text: 'x'.repeat(100_000) };
    const entries = new Array(40).fill({ ...entry, after });
    await database.transaction((tx) => node.app.get(AuditLog).recordMany(tx, entries));
    const read = jest.spyOn(node.app.get(AuditEventsRepository), 'list');
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/v1/account/events?target=large&limit=100${cursor && `&cursor=${cursor}`}`;
      const { body } = await node.call('get', path, { token: account.accessToken }).expect(200);
      expect(body.data.length).toBeLessThanOrEqual(2);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor as string | null;
    }
    expect(new Set(found).size).toBe(40);
    const counts = await Promise.all(read.mock.results.map(({ value }) => value));
    expect(Math.max(...counts.map((events) => events.length))).toBeLessThanOrEqual(6);
    read.mockRestore();
  });

  it('the audit trail can be filtered by action, actor, target and time, and by several of them together', async () => {
    await record('thing.a');
    node.clock.advance(60);
    const half = node.clock.now().toISOString();
    await record('thing.b');
    expect(await actions('action=thing.a')).toEqual(['thing.a']);
    expect(await actions('actor=system')).toEqual(['thing.b', 'thing.a']);
    expect(await actions('target=thing:a:thing.b')).toEqual(['thing.b']);
    expect(await actions(`target=thing&since=${half}`)).toEqual(['thing.b']);
    expect(await actions(`target=thing&until=${half}`)).toEqual(['thing.a']);
    expect(await actions(`actor=system&action=thing.a&since=${half}`)).toEqual([]);
  });

  it.each(['pass:offer:customer-7', 'template:offer', 'member:7', 'plan:x'])(
    '403 forbidden for events of the target %s if the API key may not read that target',
    async (target) => {
      const { key } = await node.createKey(account, { scopes: ['account:write'] });
      const read = (filter: string, token: string) =>
        node.call('get', `/v1/account/events?target=${filter}`, { token });
      expect((await read(target, key)).body).toMatchObject({ statusCode: 403, code: 'forbidden' });
      expect((await read(target.split(':')[0] ?? '', key)).status).toBe(200);
      expect((await read(target, account.accessToken)).status).toBe(200);
    },
  );

  it('the audit trail does not show audit events of another account', async () => {
    await record('thing.a');
    const stranger = await node.register();
    expect((await list('', stranger.accessToken)).map(({ action }) => action)).not.toContain('thing.a');
  });

  const forged = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
  it.each([
    'limit=0',
    'action=',
    'target=:x',
    'target=thing:',
    'since=yesterday',
    'until=2026-11-20',
    'unknown=1',
    'cursor=x',
    `cursor=${forged('now()', 'a')}`,
    `cursor=${forged('2026-11-20T10:00:00.000Z', 'a\u0000')}`,
  ])('400 validation_failed for the query %s', async (query) => {
    const { body } = await node.call('get', `/v1/account/events?${query}`, { token: account.accessToken }).expect(400);
    expect(body.code).toBe('validation_failed');
  });
});

describe('one page out of 100,000 audit events', () => {
  const rows = `
    INSERT INTO audit_event
    SELECT $1, lpad(n::text, 22, '0'), $2::timestamptz + n / 3 * interval '1 s', 'user',
      CASE WHEN n % 9 > 0 THEN 'usr_' || n % 50 END,
      CASE WHEN n % 5000 = 7 THEN 'rare.done' ELSE 'common.done' END,
      CASE WHEN n % 5000 = 7 THEN 'rare' ELSE 'common' END, 'id' || n % 1000
    FROM generate_series(1, 100000) n`;
  const indexColumns = {
    list: 'pkey',
    action: '(action_idx|account_id_action_at_id_idx)',
    actor: '(actor_idx|account_id_actor_id_at_id_idx)',
    kind: '(kind_idx|account_id_target_kind_at_id_idx)',
    target: '(target_idx|account_id_target_kind_target_\\w+_idx)',
  };
  const filters: [string, AuditEventFilter, keyof typeof indexColumns][] = [
    ['nothing', {}, 'list'],
    ['an action', { action: 'rare.done' }, 'action'],
    ['an action that most events have', { action: 'common.done' }, 'action'],
    ['an actor', { actor: 'usr_7' }, 'actor'],
    ['the system', { actor: 'system' }, 'actor'],
    ['a kind of target', { target: { kind: 'rare' } }, 'kind'],
    ['a target', { target: { kind: 'common', id: 'id77' } }, 'target'],
    ['a time', { since: new Date('2026-11-20T11:00:00Z'), until: new Date('2026-11-20T12:00:00Z') }, 'list'],
  ];

  beforeAll(async () => {
    account = await node.register({ email: `${randomUUID()}@example.com` });
    await database.reads.query(rows, [account.accountId, node.clock.now()]);
    await database.reads.query('ANALYZE audit_event');
  });

  it.each(filters)(
    'a page of the audit trail filtered by %s uses an index and reads few blocks',
    async (_, filter, index) => {
      const [{ account_id: accountId }] = await database.reads.query(
        'SELECT account_id FROM audit_event GROUP BY account_id ORDER BY count(*) DESC LIMIT 1',
      );
      const rows = await database.reads.query<{ name: string }[]>(
        `SELECT relname AS name FROM pg_class WHERE relname LIKE 'audit_event%' AND reltuples > 1000`,
      );
      const filled = rows.map(({ name }) => name);
      expect(filled.length).toBeGreaterThan(0);
      for (const after of [null, { at: new Date('2026-11-20T11:30:00Z'), id: randomId() }]) {
        const { sql, values } = listQuery(accountId, filter, after, 21);
        const [reply] = await database.reads.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, values);
        const [{ Plan: plan }] = reply['QUERY PLAN'];
        const text = JSON.stringify(plan);
        // An index in time order is just as fast if many events match the filter.
        const used = [indexColumns[index], indexColumns.list, indexColumns.kind].join('|');
        expect(text).toMatch(new RegExp(`"Index Name":"audit_event_\\w+_(${used})"`));
        // Sequential scans are fine only on almost empty partitions.
        for (const [, table] of text.matchAll(/"Node Type":"Seq Scan".*?"Relation Name":"(\w+)"/g)) {
          expect(filled).not.toContain(table);
        }
        expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(400);
      }
    },
  );
});
