import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '@passwright/database';
import { IssuedPassesService } from '@passwright/passes';
import { takeTemplate } from '@passwright/templates';
import { lockWaitsSql } from '@passwright/testing';
import type { EntityManager } from 'typeorm';
import { HolderPassesService } from '../holders/holder-passes.service.js';
import { TestApp } from '../test-app.fixtures.js';
import { MessagesHandlers } from './messages.handlers.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesWorld, running } from './messages.fixtures.js';

let app: TestApp;
let world: MessagesWorld;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  world = await MessagesWorld.of(app);
  await world.issue('ada');
});

const again = { text: 'Doors open.', topic: 'doors' };
const lockPass = (tx: EntityManager) =>
  app.get(IssuedPassesService).lock(tx, { accountId: world.account.id, templateId: 'offer', passId: 'ada' });
const lockToMany = (tx: EntityManager) => app.get(MessagesRepository).lockToMany(tx, world.account.id);
const lockTemplate = (tx: EntityManager) => takeTemplate(tx, world.account.id, 'offer');

it.each([
  ['its pass', 'pass/offer/ada/messages', lockPass],
  ['its template', 'templates/offer/messages', lockTemplate],
  ['the template of its pass', 'pass/offer/ada/messages', lockTemplate],
])('the message sender waits for the deletion of %s before it locks the message', async (_, path, lock) => {
  const database = app.get(Database);
  const planned = { text: 'Doors open.', sendAt: '2026-11-20T11:00:00.000Z' };
  const { body } = await world.post(path, planned).expect(201);
  await world.sendDue();
  app.clock.advance(3600);
  let sending: Promise<void> | undefined;
  await database.transaction(async (tx) => {
    await lock(tx);
    sending ??= app.get(MessagesHandlers).due({ accountId: world.account.id, messageId: body.id }, running());
    // Avoid an unhandled rejection, because the test awaits the promise only later.
    sending.catch(() => undefined);
    while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
    // The deletion now locks the message. If the sender had locked it first, there would be a deadlock.
    await tx.query('SELECT FROM message WHERE account_id = $1 AND id = $2 FOR UPDATE NOWAIT', [
      world.account.id,
      body.id,
    ]);
  });
  await sending;
  expect(await world.message(body.id)).toMatchObject({ status: 'sent', progress: { sent: 1 } });
});

it('404 template_not_found for a message that waits for the deletion of its template', async () => {
  const database = app.get(Database);
  await world.account.delete('offer/ada').expect(204);
  let sent: Promise<{ status: number }> | undefined;
  await database.transaction(async (tx) => {
    await lockTemplate(tx);
    let isOver = false;
    sent ??= Promise.resolve(world.post('templates/offer/messages', again)).finally(() => (isOver = true));
    while (!isOver && (await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
    await tx.query('DELETE FROM template WHERE account_id = $1', [world.account.id]);
  });
  expect((await sent)?.status).toBe(404);
});

it('simultaneous messages to many passes with the same topic replace each other, so that one stays planned', async () => {
  const body = { ...again, sendAt: '2026-11-21T10:00:00.000Z' };
  // Each reading of the clock gives a later time, so that no two messages have the same one.
  const start = app.clock.now().getTime();
  let reads = 0;
  jest.spyOn(app.clock, 'now').mockImplementation(() => new Date(start + ++reads));
  const created = await Promise.all(Array.from({ length: 12 }, () => world.post('templates/offer/messages', body)));
  expect(created.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 201));
  const messages = await Promise.all(created.map(({ body: { id } }) => world.message(String(id))));
  jest.restoreAllMocks();
  const newest = messages
    .map(({ createdAt }) => createdAt as string)
    .sort()
    .at(-1);
  const open = messages.filter(({ status }) => status !== 'superseded');
  expect(open).toEqual([expect.objectContaining({ status: 'scheduled', createdAt: newest })]);
  const ended = messages.filter(({ status }) => status === 'superseded');
  expect(ended.filter(({ createdAt, finishedAt }) => finishedAt < createdAt)).toEqual([]);
});

it.each([
  ['others to many passes', 'templates/offer/messages', lockToMany],
  ['a change of its pass', 'pass/offer/ada/messages', lockPass],
])('a message that waits for %s has the time at which the wait ends', async (...args) => {
  const [, path, lock] = args;
  const database = app.get(Database);
  const body = { ...again, sendAt: '2026-11-21T10:00:00.000Z' };
  let sent: Promise<{ body: { id: string; createdAt: string } }> | undefined;
  await database.transaction(async (tx) => {
    await lock(tx);
    sent ??= Promise.resolve(world.post(path, body).expect(201));
    while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
    app.clock.advance(7);
  });
  expect((await sent)?.body.createdAt).toBe('2026-11-20T10:00:07.000Z');
});

it.each([
  ['a planned message to one pass', '2026-11-20T11:00:00.000Z'],
  ['a message to one pass that is prepared for a phone', undefined],
])(
  '%s does not hold its pass while it waits for a message to many passes that waits for the sender',
  async (...args) => {
    const database = app.get(Database);
    await world.onPhone(await world.issue('bob'));
    const { body } = await world.post('templates/offer/messages', { ...again, sendAt: '2026-11-20T11:00:00.000Z' });
    const waiting = async () => (await database.reads.query<unknown[]>(lockWaitsSql)).length;
    let toMany: Promise<{ status: number }> | undefined;
    let toOne: Promise<{ status: number }> | undefined;
    await database
      .transaction(async (tx) => {
        // The sender locks its message first, and then the passes of a batch.
        await app.get(MessagesRepository).lock(tx, world.account.id, body.id);
        toMany ??= Promise.resolve(world.post('templates/offer/messages', again));
        while ((await waiting()) === 0) await pause(5);
        let isOver = false;
        const planned = { text: 'Bring your ticket.', sendAt: args[1] };
        toOne ??= Promise.resolve(world.post('pass/offer/bob/messages', planned)).finally(() => (isOver = true));
        while (!isOver && (await waiting()) < 2) await pause(5);
        await tx.query(`SELECT FROM pass WHERE account_id = $1 AND id = 'bob' FOR UPDATE NOWAIT`, [world.account.id]);
      })
      .finally(() => Promise.all([toMany, toOne]));
    expect([(await toMany)?.status, (await toOne)?.status]).toEqual([201, 201]);
  },
);

it('429 rate_limited for each of simultaneous messages to many passes beyond the limit of unsent messages', async () => {
  const planned = { text: 'Doors open.', sendAt: '2026-11-21T10:00:00.000Z' };
  for (let n = 0; n < 95; n++) await world.post('templates/offer/messages', planned).expect(201);
  const last = await Promise.all(Array.from({ length: 12 }, () => world.post('templates/offer/messages', planned)));
  expect(last.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(7).fill(429)]);
});

it('429 rate_limited for each of simultaneous messages to single passes beyond the limit of unsent messages', async () => {
  const planned = { text: 'Doors open.', sendAt: '2026-11-21T10:00:00.000Z' };
  const ids = Array.from({ length: 12 }, (_, n) => `p${n}`);
  for (const id of ids) await world.issue(id);
  for (let n = 0; n < 95; n++) await world.post('templates/offer/messages', planned).expect(201);
  const last = await Promise.all(ids.map((id) => world.post(`pass/offer/${id}/messages`, planned)));
  expect(last.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(7).fill(429)]);
});

it('a message that waits for a locked pass gets a later time than the change that holds the lock', async () => {
  const database = app.get(Database);
  const { body } = await world.post('templates/offer/messages', { text: 'Doors open.' }).expect(201);
  // Skip the preparation, which would wait for the pass first.
  await database.reads.query(`UPDATE message SET step = 'deliver' WHERE id = $1`, [body.id]);
  let sending: Promise<void> | undefined;
  await database.transaction(async (tx) => {
    await lockPass(tx);
    sending ??= world.sendDue();
    while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
    app.clock.advance(7);
  });
  await sending;
  const sql = `SELECT sent_at AS "sentAt" FROM message_recipient WHERE account_id = $1 AND message_id = $2`;
  expect(await database.reads.query(sql, [world.account.id, body.id])).toEqual([
    { sentAt: new Date('2026-11-20T10:00:07.000Z') },
  ]);
});

describe('statements that lock several messages', () => {
  /**
   * Plans two messages. The message with the smaller id is stored last, so a statement without an order would lock it
   * last.
   */
  async function twoMessages(path: string): Promise<{ small: string; large: string }> {
    const planned = { text: 'Doors open.', topic: 'doors', sendAt: '2026-11-20T11:00:00.000Z' };
    const { body } = await world.post(path, planned).expect(201);
    const small = `msg_${'0'.repeat(21)}1`;
    const copy = `INSERT INTO message SELECT (jsonb_populate_record(m, jsonb_build_object('id', $3::text))).*
      FROM message m WHERE m.account_id = $1 AND m.id = $2`;
    await app.get(Database).reads.query(copy, [world.account.id, body.id, small]);
    return { small, large: body.id };
  }

  /** Checks that `run` locks the message with the smaller id before the message with the larger id. */
  async function expectOrder({ small, large }: { small: string; large: string }, run: () => PromiseLike<unknown>) {
    const database = app.get(Database);
    const lock = (tx: EntityManager, id: string) =>
      tx.query('SELECT FROM message WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE NOWAIT', [
        world.account.id,
        id,
      ]);
    let running: PromiseLike<unknown> | undefined;
    const both = database.transaction(async (tx) => {
      await lock(tx, small);
      running ??= Promise.resolve(run());
      while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
      await lock(tx, large);
    });
    await both.finally(() => running);
  }

  it.each([
    [
      'the deletion of a template',
      'templates',
      () => app.send('delete', '/v1/templates/offer', world.account.id).expect(204),
    ],
    ['a message with the same topic', 'templates', () => world.post('templates/offer/messages', again).expect(201)],
    ['the deletion of a pass', 'pass', () => world.account.delete('offer/ada').expect(204)],
  ])('%s locks messages in the same order as the code that stores outcomes at Google', async (_, of, run) => {
    const { small, large } = await twoMessages(of === 'pass' ? 'pass/offer/ada/messages' : 'templates/offer/messages');
    if (of === 'templates') await world.account.delete('offer/ada').expect(204);
    await expectOrder({ small, large }, run);
  });

  it('the erasure of two passes locks messages in the same order as the code that stores outcomes at Google', async () => {
    const { small, large } = await twoMessages('pass/offer/ada/messages');
    await world.issue('bob');
    const move = `UPDATE message SET pass_id = 'bob' WHERE account_id = $1 AND id = $2`;
    await app.get(Database).reads.query(move, [world.account.id, small]);
    const passes = ['ada', 'bob'].map((passId) => ({ accountId: world.account.id, templateId: 'offer', passId }));
    const holders = app.get(HolderPassesService);
    await expectOrder({ small, large }, () =>
      app.get(Database).transaction(async (tx) => holders.erase(tx, await holders.lock(tx, passes))),
    );
  });
});

it('the erasure of two passes locks their objects at Google in the same order as the code that writes objects', async () => {
  const [database, holders] = [app.get(Database), app.get(HolderPassesService)];
  const ids: Record<string, string> = { ada: 'object-2', bob: 'object-1' };
  await world.issue('bob');
  for (const [passId, id] of Object.entries(ids)) {
    await world.atGoogle(id);
    const sql = `UPDATE google_resource SET serial_number = (SELECT serial_number FROM pass WHERE account_id = $1 AND id = $3)
      WHERE account_id = $1 AND id = $2`;
    await database.reads.query(sql, [world.account.id, id, passId]);
  }
  const passes = ['ada', 'bob'].map((passId) => ({ accountId: world.account.id, templateId: 'offer', passId }));
  let erasing: PromiseLike<unknown> | undefined;
  const writing = database.transaction(async (tx) => {
    const lock = (id: string) =>
      tx.query('SELECT FROM google_resource WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE NOWAIT', [
        world.account.id,
        id,
      ]);
    await lock('object-1');
    erasing ??= database.transaction(async (tx2) => holders.erase(tx2, await holders.lock(tx2, passes)));
    while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
    await lock('object-2');
  });
  await writing.finally(() => erasing);
  expect(await erasing).toMatchObject({ passes: 2 });
});
