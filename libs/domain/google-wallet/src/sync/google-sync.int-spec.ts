import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { GoogleCallback } from '@passwright/core';
import { Database } from '@passwright/database';
import { findPassesSql, PassExpiryCron } from '@passwright/passes/testing';
import { lockWaitsSql } from '@passwright/testing';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import {
  accountsWaitingSql,
  claimDueSql,
  clearLeftSql,
  findLeftSql,
  findSql,
  markAccountSql,
  markPassesSql,
  markPassSql,
  markTemplateSql,
  notifyHoldersSql,
} from './google-resource-statements.js';
import { ownerInAccountSql, ownerSql } from '../callbacks/google-callbacks.repository.js';
import { GoogleMessageEndings } from '../messages/google-message-endings.service.js';
import type { LeftResource } from './google-resource.js';
import { GoogleClockRepairCron } from './google-clock-repair.cron.js';
import { GoogleSyncQueue } from './google-sync-queue.handlers.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { RestoredGoogleResources } from './restored-google-resources.listener.js';
import { GoogleWorld, running } from '../google-world.fixtures.js';

/** Skips a test of query plans if PARTITIONS is set, because Postgres scans small partitions completely. */
const itWithoutPartitions = process.env.PARTITIONS ? it.skip : it;

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;
let serial: string;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
afterEach(() => jest.restoreAllMocks());
beforeEach(async () => {
  app.google.reset();
  account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
  await world.link(account, 'offer/ada').expect(200);
  serial = await world.serialOf(account, 'ada');
  app.google.reset();
});

const state = () => app.google.objectOf(serial)?.state;

describe('updates of a pass at Google', () => {
  it.each([
    ['a change of what a pass shows', () => account.patch('offer/ada', { code: 'NEW' }), { barcode: { value: 'NEW' } }],
    ['the voiding of a pass', () => account.post('offer/ada/void'), { state: 'INACTIVE' }],
    ['a redemption', () => account.post('offer/ada/redeem'), { state: 'COMPLETED' }],
    ['a deletion, which clears the content of the holder', () => account.delete('offer/ada'), { state: 'INACTIVE' }],
  ])('the service sends %s with one write', async (_, change, expected) => {
    expect((await change()).status).toBeLessThan(300);
    await world.send();
    expect(app.google.writesOf(account.id)).toEqual(['object background']);
    expect(app.google.objectOf(serial)).toMatchObject(expected);
    if (_.includes('deletion')) expect(app.google.objectOf(serial)).not.toHaveProperty('barcode');
  });

  it('the service writes each class and object once more after a restore of the database', async () => {
    let position: object | null = {};
    while (position !== null) {
      const after: object = position;
      const restored = app.get(RestoredGoogleResources);
      ({ next: position } = await app.get(Database).transaction((tx) => restored.incarnationStep(tx, after)));
    }
    await world.send();
    await world.send();
    expect(app.google.writesOf(account.id)).toEqual(['class background', 'object background']);
  });

  it('the service updates a pass at Google when it expires', async () => {
    await account.patch('offer/ada', { expiry: '2026-11-20T11:00:00.000Z' }).expect(200);
    await world.send();
    expect(state()).toBe('ACTIVE');
    app.clock.set('2026-11-20T11:00:30.000Z');
    await app.get(PassExpiryCron).expire(running());
    await world.send();
    expect(state()).toBe('EXPIRED');
    app.clock.set('2026-11-20T10:00:00.000Z');
  });

  it('the service updates an expired pass at Google when it is voided or un-voided', async () => {
    await account.patch('offer/ada', { expiry: '2026-11-20T09:00:00.000Z' }).expect(200);
    await world.send();
    expect(state()).toBe('EXPIRED');
    await account.post('offer/ada/void').expect(200);
    await world.send();
    expect(state()).toBe('INACTIVE');
    await account.patch('offer/ada', { voided: false }).expect(200);
    await world.send();
    expect(state()).toBe('EXPIRED');
  });

  it('the service updates a pass at Google when its template is archived or un-archived', async () => {
    await account.archive('offer');
    await world.sendTemplate(account.id, 'offer');
    expect([app.google.writesOf(account.id), state()]).toEqual([['object background'], 'INACTIVE']);
    await account.unarchive('offer');
    await world.sendTemplate(account.id, 'offer');
    expect(state()).toBe('ACTIVE');
  });

  it('the service updates only the class after a change of the template’s title', async () => {
    const { reads } = app.get(Database);
    await reads.query(`UPDATE template SET title = 'Another' WHERE account_id = $1`, [account.id]);
    await world.sendTemplate(account.id, 'offer');
    expect(app.google.writesOf(account.id)).toEqual(['class background']);
  });
});

it('the service updates all objects, but not the class, after a change of a generic template’s title', async () => {
  await account.template('generic');
  for (const id of ['ada', 'bob']) {
    await account.post(`generic/${id}`, { primaryValue: id }).expect(200);
    await world.link(account, `generic/${id}`).expect(200);
  }
  const before = app.google.writesOf(account.id).length;
  await app.get(Database).reads.query(`UPDATE template SET title = 'Another' WHERE account_id = $1`, [account.id]);
  await world.sendTemplate(account.id, 'generic');
  expect(app.google.writesOf(account.id).slice(before)).toEqual(['object background', 'object background']);
  const [body] = app.google.writes
    .filter(({ accountId }) => accountId === account.id)
    .slice(before)
    .map((one) => one.body);
  expect(body).toMatchObject({ cardTitle: { defaultValue: { value: 'Another' } } });
});

it.each([
  ['event', [undefined, 'NOTIFY_ON_UPDATE', undefined]],
  ['offer', [undefined, undefined, undefined]],
] as const)(
  'the class of a changed template of type %s is sent with the notify preferences %j',
  async (type, expected) => {
    const other = await app.account();
    await other.template(type);
    await other.post(`${type}/ada`, {}).expect(200);
    await world.link(other, `${type}/ada`).expect(200);
    const { reads } = app.get(Database);
    await reads.query(`UPDATE template SET title = 'Another' WHERE account_id = $1`, [other.id]);
    await world.sendTemplate(other.id, type);
    // After a restore, the service does not know the content at Google.
    await reads.query(`UPDATE google_resource SET sent_hash = '' WHERE account_id = $1`, [other.id]);
    await world.sendTemplate(other.id, type);
    const classes = app.google.writes.filter(({ accountId, part }) => accountId === other.id && part === 'class');
    expect(classes.map(({ body }) => body.notifyPreference)).toEqual(expected);
  },
);

describe('changes that send nothing to Google', () => {
  it('the service does not send metadata', async () => {
    await account.patch('offer/ada', { metadata: { note: 'hush' } }).expect(200);
    await world.send();
    expect(app.google.writesOf(account.id)).toEqual([]);
  });

  it('the service does not send a change that is undone before it is sent', async () => {
    await account.post('offer/ada/void').expect(200);
    await account.post('offer/ada/unvoid').expect(200);
    await account.archive('offer');
    await account.unarchive('offer');
    await world.sendTemplate(account.id, 'offer');
    expect(app.google.writesOf(account.id)).toEqual([]);
    expect(await world.rows(account)).toMatchObject([{ dueAt: null }, { dueAt: null }]);
  });

  it('the service does not send a pass whose link was never requested', async () => {
    await account.post('offer/bob', {}).expect(200);
    await account.post('offer/bob/void').expect(200);
    await world.send();
    expect(app.google.writesOf(account.id)).toEqual([]);
  });
});

it('the service sends a change that is made during a write as soon as the write ends', async () => {
  await account.patch('offer/ada', { code: 'FIRST' }).expect(200);
  app.google.result = async () => {
    app.google.result = () => ({});
    await account.patch('offer/ada', { code: 'SECOND' }).expect(200);
    return {};
  };
  await world.send();
  await world.send();
  expect(app.google.writes.map(({ body }) => body.barcode)).toMatchObject([{ value: 'FIRST' }, { value: 'SECOND' }]);
});

it('the service retries a temporary failure after the time in Retry-After, with only the last of several changes', async () => {
  app.google.result = () => ({ outcome: 'retry', status: 503, reason: 'backendError', retryAfterSeconds: 30 });
  await account.patch('offer/ada', { code: 'A' }).expect(200);
  await world.send();
  await world.send();
  expect(app.google.writes).toHaveLength(1);
  expect((await world.rows(account))[1]).toMatchObject({ failures: 1, problem: 'backendError' });
  await account.patch('offer/ada', { code: 'B' }).expect(200);
  await account.patch('offer/ada', { code: 'C' }).expect(200);
  app.google.result = () => ({});
  app.clock.advance(31);
  await world.send();
  expect(app.google.writes.map(({ body }) => body.barcode)).toMatchObject([{ value: 'A' }, { value: 'C' }]);
  expect((await world.rows(account))[1]).toMatchObject({ failures: 0, problem: null, dueAt: null });
});

it('the pause after each temporary failure is longer than the previous pause', async () => {
  app.google.result = () => ({ outcome: 'retry', status: 503, reason: 'backendError' });
  await account.patch('offer/ada', { code: 'A' }).expect(200);
  const pauses: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    await world.send();
    const { dueAt } = (await world.rows(account))[1] as { dueAt: Date };
    pauses.push(dueAt.getTime() - app.clock.now().getTime());
    app.clock.set(dueAt);
  }
  // The pause doubles each time, but each pause is randomly shortened by up to half.
  expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
  expect(pauses[4]! / pauses[0]!).toBeGreaterThanOrEqual(8);
  app.google.result = () => ({});
  await world.send();
  expect((await world.rows(account))[1]).toMatchObject({ failures: 0, dueAt: null });
});

it('another process sends the resources of a killed process after their lease has expired', async () => {
  await account.patch('offer/ada', { code: 'A' }).expect(200);
  const lease = 'UPDATE google_resource SET leased_until = $2 WHERE account_id = $1';
  await app.get(Database).reads.query(lease, [account.id, new Date(app.clock.now().getTime() + 60_000)]);
  await world.send();
  expect(app.google.writes).toEqual([]);
  app.clock.advance(61);
  await world.send();
  expect(app.google.objectOf(serial)).toMatchObject({ barcode: { value: 'A' } });
});

it('resources that were claimed while the clock was an hour ahead are sent once their due times are repaired', async () => {
  await account.patch('offer/ada', { code: 'A' }).expect(200);
  const ahead = new Date(app.clock.now().getTime() + 3_600_000);
  const wait = 'UPDATE google_resource SET leased_until = $2, due_at = $2 WHERE account_id = $1';
  await app.get(Database).reads.query(wait, [account.id, ahead]);
  await app.get(GoogleClockRepairCron).repair();
  await world.send();
  expect(app.google.objectOf(serial)).toMatchObject({ barcode: { value: 'A' } });
});

it('the service alternates between accounts, so that an account with many changes does not delay other accounts', async () => {
  const many = Array.from({ length: 90 }, (_, n) => `p${n}`);
  // On a busy machine, ninety simultaneous requests would wait too long for a connection.
  for (const id of many) await account.post(`offer/${id}`, {}).expect(200);
  const other = await app.account();
  await other.template('offer');
  await other.post('offer/ada', {}).expect(200);
  const insert = `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, due_at, created_at)
    SELECT account_id, $2, serial_number, template_id, 'offer', serial_number, $3, $3 FROM pass WHERE account_id = ANY ($1)
    ON CONFLICT DO NOTHING`;
  const { reads } = app.get(Database);
  await reads.query(insert, [[account.id, other.id], app.google.issuerId, app.clock.now()]);
  // Google responds only after a write of the other account. Otherwise, it would respond faster than the service reads
  // the template of that account.
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  app.google.result = async () => {
    if (app.google.writes.at(-1)?.accountId === other.id) arrive();
    await arrived;
    return {};
  };
  await world.send();
  const order = app.google.writes.map(({ accountId }) => accountId);
  expect(order.filter((id) => id === account.id)).toHaveLength(90);
  expect(order.indexOf(other.id)).toBeLessThan(41);
});

describe('a callback from Google', () => {
  const callback = (changes: Partial<GoogleCallback> = {}): GoogleCallback => ({
    event: 'save',
    classId: '',
    objectId: `${app.google.issuerId}.${serial}`,
    nonce: randomUUID(),
    expiresAt: new Date(app.clock.now().getTime() + 60_000),
    ...changes,
  });
  const receive = async (one: GoogleCallback) => {
    const [{ id } = { id: '' }] = await world.rows(account);
    app.google.callback = () => ({ ...one, classId: one.classId || `${app.google.issuerId}.${id}` });
    return app.request('post', '/v1/walletB/callbacks').send({}).expect(204);
  };

  it('the service counts a repeated callback once', async () => {
    const save = callback();
    await Promise.all([receive(save), receive(save), receive(save)]);
    await receive(callback());
    await receive(callback({ event: 'del' }));
    expect((await world.rows(account))[1]).toMatchObject({ saves: 2, removals: 1 });
    const { body } = await app.send('get', '/v1/templates/offer/walletB', account.id).expect(200);
    expect(body.objects).toMatchObject({ installed: 1 });
  });

  it('the service ignores a callback that names an unknown object or a wrong class', async () => {
    await receive(callback({ objectId: `${app.google.issuerId}.unknown` }));
    await receive(callback({ classId: `${app.google.issuerId}.other` }));
    expect((await world.rows(account))[1]).toMatchObject({ saves: 0 });
  });
});

it('a change that is committed during the first request for a link is also sent to Google', async () => {
  await account.post('offer/bob', {}).expect(200);
  const bob = await world.serialOf(account, 'bob');
  let link: Promise<{ status: number }> | undefined;
  await app.get(Database).transaction(async (tx) => {
    // Change the pass and notify the queue, like a request that voids a pass. Keep the transaction open.
    await tx.query('UPDATE pass SET voided_at = now() WHERE serial_number = $1', [bob]);
    await app.get(GoogleSyncQueue).passesChanged(tx, [{ accountId: account.id, serialNumber: bob }]);
    link = world.link(account, 'offer/bob').then((result) => result);
    await isBlocked();
  });
  expect((await link)?.status).toBe(200);
  await world.send();
  expect(app.google.objectOf(bob)).toMatchObject({ state: 'INACTIVE' });
});

/** Resolves when a transaction is blocked by the lock of another transaction. */
async function isBlocked(): Promise<void> {
  const { reads } = app.get(Database);
  while ((await reads.query<unknown[]>(lockWaitsSql)).length === 0) await new Promise(setImmediate);
}

it('the service sends all other resources if one resource cannot be rendered', async () => {
  await account.template('generic');
  await account.post('generic/eve', { primaryValue: 'Eve' }).expect(200);
  await world.link(account, 'generic/eve').expect(200);
  const { reads } = app.get(Database);
  await reads.query(`UPDATE template SET background_color = 'no colour' WHERE account_id = $1 AND id = 'generic'`, [
    account.id,
  ]);
  await account.post('generic/eve/void').expect(200);
  await account.post('offer/ada/void').expect(200);
  jest.spyOn(Logger.prototype, 'error').mockImplementation();
  await world.send();
  expect(state()).toBe('INACTIVE');
  const { body } = await app.send('get', '/v1/templates/generic/walletB', account.id).expect(200);
  expect(body.objects).toMatchObject({ refused: 1, problem: 'It cannot be rendered' });
});

it('the service sends the change of a single pass before the changes of a whole template', async () => {
  await Promise.all(['a', 'b', 'c'].map((id) => account.post(`offer/${id}`, {}).expect(200)));
  for (const id of ['a', 'b', 'c']) await world.link(account, `offer/${id}`).expect(200);
  app.google.reset();
  await account.archive('offer');
  const page = { id: '', issuerId: '' };
  await app.get(GoogleSyncQueue).mark({ accountId: account.id, templateId: 'offer', after: page }, running());
  app.clock.advance(5);
  await account.post('offer/c/void').expect(200);
  await app
    .get(Database)
    .reads.query(`UPDATE google_resource SET leased_until = NULL WHERE account_id = $1`, [account.id]);
  const owner = { accountId: account.id, issuerId: app.google.issuerId };
  const claim = () => app.get(GoogleResourcesRepository).claimDue(owner, 1, app.clock.now());
  // The first claim takes only classes, before any objects.
  expect((await claim()).map(({ serialNumber }) => serialNumber)).toEqual([null]);
  expect((await claim())[0]?.serialNumber).toBe(await world.serialOf(account, 'c'));
});

it('resources of a former issuer leave the queue, and return to it when the account returns to the issuer', async () => {
  const { issuerId } = app.google;
  await account.post('offer/ada/void').expect(200);
  app.google.issuerId = '3388000000099999999';
  await world.send();
  expect([app.google.writes, (await world.rows(account)).map(({ dueAt }) => dueAt)]).toEqual([[], [null, null]]);
  app.google.issuerId = issuerId;
  await world.sendTemplate(account.id, null);
  expect(state()).toBe('INACTIVE');
});

it('the service removes the resources of a former issuer in batches, and reports their waiting messages', async () => {
  const waiting = { id: 'm1', header: 'Sale', body: 'x'.repeat(1000) };
  const messages = JSON.stringify([waiting, { ...waiting, id: 'm0', addedAt: '2026-01-01T00:00:00.000Z' }]);
  await app.get(Database).reads.query(
    `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, due_at, created_at, messages)
     SELECT $1, 'left', 'd' || n, 'offer', 'offer', 'd' || n, $2, $2,
       CASE WHEN n <= 600 THEN $3::jsonb WHEN n <= 700 THEN '[]' END
     FROM generate_series(1, 1300) n`,
    [account.id, app.clock.now(), messages],
  );
  const pages: LeftResource[][] = [];
  const repository = app.get(GoogleResourcesRepository);
  const { findLeft } = GoogleResourcesRepository.prototype;
  jest.spyOn(repository, 'findLeft').mockImplementation(async (...args) => {
    const page = await findLeft.apply(repository, args);
    if (args[0].accountId === account.id) pages.push(page);
    return page;
  });
  const reported: unknown[] = [];
  jest.spyOn(app.get(GoogleMessageEndings), 'reportIn').mockImplementation(async (_tx, ended) => {
    // No object may be locked here, because code that sends a message locks the message before its objects.
    const sql = 'SELECT FROM google_resource WHERE account_id = $1 FOR UPDATE NOWAIT';
    await app.get(Database).transaction((tx) => tx.query(sql, [account.id]));
    reported.push(...ended);
  });
  await world.send();
  jest.restoreAllMocks();
  expect(pages.map(({ length }) => length)).toEqual([500, 500, 300]);
  expect(JSON.stringify(pages).length).toBeLessThan(150_000);
  expect(reported).toHaveLength(600);
  expect(reported[0]).toEqual({
    accountId: account.id,
    serialNumber: expect.stringMatching(/^d\d+$/),
    messageId: 'm1',
    outcome: 'not_at_google',
  });
  const sql = 'SELECT id FROM google_resource WHERE account_id = $1 AND (due_at IS NOT NULL OR messages IS NOT NULL)';
  expect(await app.get(Database).reads.query(sql, [account.id])).toEqual([]);
});

itWithoutPartitions('every frequent query reads through an index, however many resources exist', async () => {
  const { reads } = app.get(Database);
  await reads.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, sent_hash, due_at, created_at)
       SELECT $1, (n % 2)::text, 's' || n, 't' || n % 10, 'offer', 's' || n, '\\x00',
         CASE WHEN n % 4 = 0 THEN now() WHEN n % 4 = 1 THEN now() + interval '1 hour' END, now()
       FROM generate_series(1, 20000) n`,
      [account.id],
    );
    await tx.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
         metadata, version, created_at, updated_at)
       SELECT $1, 'offer', 'offer', 's' || n, 's' || n, 's' || n, '[]', '[]', '[]', '{}', 1, now(), now()
       FROM generate_series(1, 2000) n`,
      [account.id],
    );
    await tx.query('ANALYZE google_resource, pass');
    const plans: [string, unknown[]][] = [
      [findSql, [account.id, '1', ['s1', 's2']]],
      [claimDueSql, [account.id, '1', 10, new Date(), new Date()]],
      [accountsWaitingSql, ['', 4]],
      [findLeftSql, [account.id, '1', 100]],
      [clearLeftSql, [account.id, ['1'], ['s5'], [0]]],
      [findPassesSql, [account.id, ['t1'], ['p1'], new Date()]],
      [markPassesSql, [[account.id], ['s5'], new Date()]],
      [notifyHoldersSql, [account.id, ['s5'], '{}', new Date()]],
      [markPassSql, [[account.id], ['s5'], new Date()]],
      [markTemplateSql, [account.id, '', '', 100, new Date(), 't1']],
      [markAccountSql, [account.id, '', '', 100, new Date()]],
      [ownerSql, ['s5', '1', 's6', '1']],
      [ownerInAccountSql, ['s5', '1', 's6', '1', account.id]],
    ];
    for (const [sql, values] of plans) {
      const plan = JSON.stringify(await tx.query(`EXPLAIN (FORMAT JSON) ${sql}`, values));
      expect(plan).toMatch(/google_resource|"Relation Name":"pass"/);
      expect(plan).not.toMatch(/"Seq Scan"[^}]*"(google_resource|pass)"/);
    }
    await tx.query('DELETE FROM google_resource WHERE account_id = $1', [account.id]);
  });
});
