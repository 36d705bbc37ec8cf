import { BillingService, UsageService } from '@passwright/billing';
import { AppError, randomId } from '@passwright/core';
import { Database, type NamedStatement } from '@passwright/database';
import { takeTemplate, TemplatesService } from '@passwright/templates';
import { lockWaitsSql } from '@passwright/testing';
import type { EntityManager } from 'typeorm';
import type { PassRequest } from '../content/pass.dto.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { type TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassesRepository } from './passes.repository.js';
import { PassesService } from './passes.service.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('offer');
});
afterEach(() => jest.restoreAllMocks());

const create = (request: PassRequest = {}) => app.get(PassesService).create(account.id, 'offer', request);

/**
 * Issues passes in one turn of the event loop.
 * @returns the id of each pass, or the code of its error
 */
async function createAll(requests: readonly PassRequest[]): Promise<string[]> {
  const results = await Promise.allSettled(requests.map((request) => create(request)));
  return results.map((result) => {
    if (result.status === 'fulfilled') return result.value.pass.id;
    return result.reason instanceof AppError ? result.reason.code : String(result.reason);
  });
}

const ids = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `p${n}` }));
const names = (count: number) => ids(count).map(({ id }) => id);
const query = <Row>(sql: string) => app.get(Database).reads.query<Row[]>(sql, [account.id]);

async function stored(): Promise<string[]> {
  const rows = await query<{ id: string }>('SELECT id FROM pass WHERE account_id = $1');
  return rows.map(({ id }) => id).sort();
}

it('simultaneous requests for passes of a template share one transaction, and each pass has the requested content', async () => {
  const transactions = jest.spyOn(app.get(Database), 'transaction');
  const expiry = '2030-01-01T00:00:00.000Z';
  const issued = await Promise.all(
    ids(8).map(({ id }) => create({ id, code: `code-${id}`, expiry, metadata: { id } })),
  );
  expect(transactions).toHaveBeenCalledTimes(1);
  const shown = ({ pass: { id, code, expiresAt, metadata } }: IssuedPass) => [id, code, expiresAt, metadata];
  const requested = names(8).map((id) => [id, `code-${id}`, new Date(expiry), { id }]);
  expect(issued.map(shown)).toEqual(requested);
  const found = names(8).map((passId) =>
    app.get(PassesService).get({ accountId: account.id, templateId: 'offer', passId }),
  );
  expect((await Promise.all(found)).map(shown)).toEqual(requested);
});

it('each simultaneous request gets its own error, which affects no other request', async () => {
  await create({ id: 'ada', code: 'taken' });
  const template = { templateId: 'offer' };
  const outcomes = await createAll([
    { id: 'one' },
    { id: 'ada' },
    { id: 'two', code: 'taken' },
    { id: 'three', linkedPasses: [{ ...template, passId: 'missing' }] },
    { id: 'four', linkedPasses: [{ ...template, passId: 'ada' }] },
    { id: 'five', metadata: { long: 'x'.repeat(6000) } },
    { id: 'six', linkedPasses: [{ ...template, passId: 'six' }] },
    { id: 'seven' },
  ]);
  const [exists, invalid] = ['pass_exists', 'validation_failed'];
  expect(outcomes).toEqual(['one', exists, exists, invalid, 'four', invalid, invalid, 'seven']);
  expect(await stored()).toEqual(['ada', 'four', 'one', 'seven']);
});

it('409 pass_exists for all but one of several simultaneous requests with the same id or code', async () => {
  const outcomes = await createAll([{ id: 'a' }, { id: 'a' }, { code: 'c', id: 'd' }, { code: 'c', id: 'e' }]);
  expect(outcomes.filter((outcome) => outcome === 'pass_exists')).toHaveLength(2);
  expect(await stored()).toEqual(outcomes.filter((outcome) => outcome !== 'pass_exists').sort());
});

it('403 limit_exceeded for simultaneous requests above the limit, and an exact usage count', async () => {
  await app.get(BillingService).set(account.id, { maxPassCreations: 5 });
  const outcomes = await createAll(ids(8));
  expect(outcomes.filter((outcome) => outcome === 'limit_exceeded')).toHaveLength(3);
  expect(await stored()).toHaveLength(5);
  expect(await app.get(UsageService).now(account.id)).toMatchObject({ passCreations: 5 });
});

it('404 template_not_found and 409 template_archived for each simultaneous request', async () => {
  await account.archive('offer');
  expect(await createAll(ids(3))).toEqual(Array(3).fill('template_archived'));
  const missing = await Promise.allSettled(
    ids(3).map((request) => app.get(PassesService).create(account.id, 'missing', request)),
  );
  expect(missing).toMatchObject(Array(3).fill({ status: 'rejected', reason: { code: 'template_not_found' } }));
});

it('each of several simultaneous passes is issued once, even if Postgres aborts their shared transaction', async () => {
  const repository = app.get(PassesRepository);
  jest.spyOn(repository, 'insertNew').mockImplementationOnce(async (tx) => {
    await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
    return new Set();
  });
  expect(await createAll(ids(8))).toEqual(names(8));
  expect(await stored()).toEqual(names(8));
  expect(await app.get(UsageService).now(account.id)).toMatchObject({ passCreations: 8 });
});

it('an upsert creates its pass if other requests create and delete a pass with the same id meanwhile', async () => {
  const repository = app.get(PassesRepository);
  const insertNew = repository.insertNew.bind(repository);
  jest.spyOn(repository, 'insertNew').mockImplementationOnce(async (tx, passes) => {
    await create({ id: 'ada' });
    const inserted = await insertNew(tx, passes);
    await account.delete('offer/ada').expect(204);
    return inserted;
  });
  await account.post('offer/ada', {}).expect(200);
  expect(await stored()).toEqual(['ada']);
});

it('requests with an Idempotency-Key issue one pass per key, even among requests without a key', async () => {
  const keys = [randomId(), randomId(), randomId()];
  const send = (key?: string) => {
    const post = account.post('offer', {});
    return key ? post.set('Idempotency-Key', key) : post;
  };
  const responses = await Promise.all([...keys, ...keys, undefined, undefined, undefined, undefined].map(send));
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(201));
  const bodies = responses.map(({ text }) => text);
  expect(bodies.slice(3, 6)).toEqual(bodies.slice(0, 3));
  expect(await stored()).toHaveLength(7);
});

it('each of several simultaneous passes has its own event, whose delivery is queued', async () => {
  await query(
    `INSERT INTO webhook (account_id, id, url, secret, created_at, updated_at)
     VALUES ($1, 'web_1', 'https://hooks.example', '', now(), now())`,
  );
  const outcomes = await createAll([{ id: 'one' }, { id: 'two' }, { id: 'one' }, { id: 'three' }]);
  expect(outcomes.filter((outcome) => outcome !== 'pass_exists').sort()).toEqual(['one', 'three', 'two']);
  const events = await query<{ type: string; passId: string; webhookId: string }>(
    `SELECT type, data->>'passId' AS "passId", webhook_id AS "webhookId" FROM webhook_event e
     JOIN webhook_delivery d ON d.account_id = e.account_id AND d.event_id = e.id
     WHERE e.account_id = $1 ORDER BY "passId"`,
  );
  const event = (passId: string) => ({ type: 'pass.created', passId, webhookId: 'web_1' });
  expect(events).toEqual([event('one'), event('three'), event('two')]);
});

describe('a template that this process has read', () => {
  beforeEach(() => create({ id: 'first' }));

  /** Changes the barcode format of a template, like a save of the template. */
  const changeCodes = (tx: Pick<EntityManager, 'query'>, format: string) =>
    tx.query(
      `UPDATE template SET code_format = $2, revision = revision + 1, updated_at = updated_at + interval '1 second'
       WHERE account_id = $1 AND id = 'offer'`,
      [account.id, format],
    );
  const codeOf = ({ pass }: IssuedPass) => pass.code;

  it('the service issues one pass or several passes in one round trip', async () => {
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    await create({ id: 'alone', code: 'c', metadata: { a: 1 } });
    expect(await createAll(ids(8))).toEqual(names(8));
    expect(transactions).not.toHaveBeenCalled();
    expect(await stored()).toEqual(['alone', 'first', ...names(8)]);
    const address = { accountId: account.id, templateId: 'offer', passId: 'alone' };
    expect((await app.get(PassesService).get(address)).pass).toMatchObject({ code: 'c', metadata: { a: 1 } });
  });

  it('new passes use the current version of a changed template, and later ones need only one round trip again', async () => {
    await changeCodes(app.get(Database).reads, 'itf');
    const issued = await Promise.all(ids(3).map((request) => create(request)));
    expect(issued.map(codeOf)).toEqual(Array(3).fill(expect.stringMatching(/^\d{20}$/)));
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    expect(codeOf(await create())).toMatch(/^\d{20}$/);
    expect(transactions).not.toHaveBeenCalled();
  });

  it('a new pass waits for a pending change of its template, and uses the new version', async () => {
    const database = app.get(Database);
    const { issuing } = await database.transaction(async (tx) => {
      await takeTemplate(tx, account.id, 'offer');
      const waiting = create();
      while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0);
      await changeCodes(tx, 'itf');
      return { issuing: waiting };
    });
    expect(codeOf(await issuing)).toMatch(/^\d{20}$/);
  });

  it('409 template_archived for a new pass of an archived template, and 404 template_not_found after its deletion', async () => {
    await account.archive('offer');
    expect(await createAll(ids(3))).toEqual(Array(3).fill('template_archived'));
    expect(await createAll(ids(1))).toEqual(['template_archived']);
    await app.get(PassesService).delete({ accountId: account.id, templateId: 'offer', passId: 'first' });
    await app.get(TemplatesService).delete(account.id, 'offer');
    expect(await createAll(ids(1))).toEqual(['template_not_found']);
  });

  it('each request gets its own error, alone and among simultaneous requests', async () => {
    const requests = [{ id: 'first' }, { id: 'long', metadata: { long: 'x'.repeat(6000) } }];
    const linked = { id: 'linked', linkedPasses: [{ templateId: 'offer', passId: 'first' }] };
    expect(await createAll([...requests, linked, { id: 'new' }])).toEqual([
      ...['pass_exists', 'validation_failed', 'linked', 'new'],
    ]);
    for (const [at, code] of ['pass_exists', 'validation_failed'].entries()) {
      expect(await createAll(requests.slice(at, at + 1))).toEqual([code]);
    }
    expect(await stored()).toEqual(['first', 'linked', 'new']);
  });

  it('simultaneous requests with links share a transaction', async () => {
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    const linkedPasses = [{ templateId: 'offer', passId: 'first' }];
    expect(await createAll(ids(4).map(({ id }) => ({ id, linkedPasses })))).toEqual(names(4));
    expect(transactions).toHaveBeenCalledTimes(1);
  });

  it('a request with an Idempotency-Key issues its pass in the transaction that stores the key', async () => {
    const inserts = jest.spyOn(app.get(Database).implicit, 'insertMany');
    const send = () => account.post('offer', { id: 'once' }).set('Idempotency-Key', 'key');
    const [one, two] = [await send(), await send()];
    expect([one.status, two.text]).toEqual([201, one.text]);
    expect(inserts).not.toHaveBeenCalled();
  });

  it('403 limit_exceeded for requests above the limit, and an exact usage count', async () => {
    await app.get(BillingService).set(account.id, { maxPassCreations: 5 });
    const outcomes = await createAll(ids(8));
    expect(outcomes.filter((outcome) => outcome === 'limit_exceeded')).toHaveLength(4);
    expect(await createAll([{}])).toEqual(['limit_exceeded']);
    expect(await app.get(UsageService).now(account.id)).toMatchObject({ passCreations: 5 });
  });

  it('a template change that was rolled back does not affect later passes', async () => {
    const database = app.get(Database);
    const undone = database.inOneTransaction(async (begin) => {
      await changeCodes(await begin(), 'itf');
      expect(codeOf(await create())).toMatch(/^\d{20}$/);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    // Give the template the same revision and time as the rolled-back change gave it.
    await changeCodes(database.reads, 'codabar');
    await database.reads.query(`UPDATE template SET code_format = 'qr' WHERE account_id = $1`, [account.id]);
    expect(codeOf(await create())).not.toMatch(/^\d{20}$/);
  });

  it('the statement that issues a pass in one round trip finds the template through an index', async () => {
    const { implicit, reads } = app.get(Database);
    const run = jest.spyOn(implicit as unknown as { run(lock: object, insert: NamedStatement): object }, 'run');
    await create();
    const [, { text, values }] = run.mock.lastCall!;
    const plan = JSON.stringify(await reads.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]));
    expect(plan).toMatch(/"Index Cond":"\(\(account_id = [^"]* AND \(id = /);
    expect(plan).not.toContain('Seq Scan');
  });
});
