import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { inTraceOf } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { DatabaseError } from 'pg';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { longTimers } from './connections/long-timers.fixtures.js';
import { runWithNext } from './connections/run-with-next.js';
import { serviceClient } from './connections/service-client.js';
import { DatabaseSilent } from './connections/silence-watch.js';
import { Database } from './database.js';
import type { Pool } from './pool-types.js';
import { SharedTransactions } from './shared-transactions.js';

interface Done {
  readonly item: string;
  readonly transaction: string;
}

const range = (length: number) => Array.from({ length }, (_, at) => `item ${at}`);
const failedInsert = () =>
  new QueryFailedError('INSERT', [], Object.assign(new DatabaseError('failed', 0, 'error'), { code: '23505' }));
const idSql = 'SELECT pg_current_xact_id()::text AS id';

let url: string;
let dataSource: DataSource;
let database: Database;
let shared: SharedTransactions<string, Done>;
/** The sizes of the shared transactions. `alone` lists the items that ran alone. */
let sizes: number[];
let alone: string[];
let failTogether: (tx: EntityManager) => Promise<void>;
/** Keeps items that run alone waiting in their transactions until the test opens this barrier. */
let barrier: Promise<void>;

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 10 }).initialize();
  database = new Database(dataSource);
});
afterAll(() => dataSource.destroy());
beforeEach(() => {
  [sizes, alone, failTogether, barrier] = [[], [], () => Promise.resolve(), Promise.resolve()];
  shared = new SharedTransactions(database, runAlone, runTogether);
});

async function transactionOf(tx: EntityManager): Promise<string> {
  const [row] = await tx.query<{ id: string }[]>(idSql);
  return row?.id ?? '';
}

function runAlone(item: string): Promise<Done> {
  alone.push(item);
  const open = barrier;
  return database.transaction(async (tx) => {
    await open;
    if (item.startsWith('bad')) throw new Error(`${item} failed`);
    return { item, transaction: await transactionOf(tx) };
  });
}

async function runTogether(tx: EntityManager, items: readonly string[]): Promise<(Done | null)[]> {
  sizes.push(items.length);
  const transaction = await transactionOf(tx);
  await failTogether(tx);
  return items.map((item) => (item.startsWith('bad') ? null : { item, transaction }));
}

const run = (items: readonly string[], key = 'key') => items.map((item) => shared.run(key, item));

it('an item runs alone and immediately if no other item of its key is running', async () => {
  const running = shared.run('key', 'first');
  await nextTurn();
  expect(alone).toEqual(['first']);
  expect(await running).toMatchObject({ item: 'first' });
  expect(sizes).toEqual([]);
});

it('items of one turn share a transaction, and each gets its own result', async () => {
  const done = await Promise.all(run(range(8)));
  expect(done.map(({ item }) => item)).toEqual(range(8));
  expect(new Set(done.map(({ transaction }) => transaction)).size).toBe(1);
  expect([sizes, alone]).toEqual([[8], []]);
});

it('items that arrive while two others are in progress share the next transaction, at most 50 of them', async () => {
  const { open } = close();
  const [first] = run(['first']);
  await nextTurn();
  const [second] = run(['second']);
  await nextTurn();
  expect(alone).toEqual(['first', 'second']);
  const others = run(range(60));
  open();
  await Promise.all([first, second, ...others]);
  expect(sizes.sort()).toEqual([10, 50]);
  expect(alone).toEqual(['first', 'second']);
});

it('items of different keys do not wait for each other', async () => {
  const { open } = close();
  const [first, second] = [shared.run('a', 'first'), shared.run('b', 'second')];
  await nextTurn();
  expect(alone).toEqual(['first', 'second']);
  open();
  await Promise.all([first, second]);
});

it('a slow transaction delays other items only briefly', async () => {
  const { open } = close();
  const [slow] = run(['slow']);
  await nextTurn();
  const [slower] = run(['slower']);
  await nextTurn();
  barrier = Promise.resolve();
  const others = await Promise.all(run(range(3)));
  expect(others.map(({ item }) => item)).toEqual(range(3));
  open();
  expect(await Promise.all([slow, slower])).toMatchObject([{ item: 'slow' }, { item: 'slower' }]);
});

it('an item without a result runs alone and gets its own error, and the others keep their results', async () => {
  const results = await Promise.allSettled(run(['good', 'bad', 'better']));
  expect(results).toMatchObject([
    { status: 'fulfilled', value: { item: 'good' } },
    { status: 'rejected', reason: { message: 'bad failed' } },
    { status: 'fulfilled', value: { item: 'better' } },
  ]);
  expect([sizes, alone]).toEqual([[3], ['bad']]);
});

it.each([
  ['an error', () => Promise.reject(new Error('failed together'))],
  ['the loss of its connection', (tx: EntityManager) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())')],
])('each item runs alone after %s in a shared transaction', async (_, fail) => {
  failTogether = async (tx) => void (await fail(tx));
  const done = await Promise.all(run(range(3)));
  expect(new Set(done.map(({ transaction }) => transaction)).size).toBe(3);
  expect(alone).toEqual(range(3));
});

describe('with a pool of one connection', () => {
  const statementMs = 600_000;
  let single: DataSource;
  const runOn = (items: readonly string[]) => {
    const on = new SharedTransactions<string, Done>(new Database(single), runAlone, runTogether);
    return Promise.allSettled(items.map((item) => on.run('key', item)));
  };
  beforeEach(async () => {
    const Client = serviceClient(statementMs, { pooled: true });
    single = await new DataSource({ type: 'postgres', url, poolSize: 1, extra: { Client } }).initialize();
  });
  afterEach(() => single.destroy());

  it('items fail with the error of their shared transaction if no connection becomes free for it', async () => {
    const { options } = (single.driver as DataSource['driver'] & { master: Pool }).master;
    options.connectionTimeoutMillis = 20;
    const results = await single.transaction(() => runOn(range(3)));
    const late = { status: 'rejected', reason: { message: 'timeout exceeded when trying to connect' } };
    expect(results).toMatchObject(range(3).map(() => late));
    expect([sizes, alone]).toEqual([[], []]);
  });

  it.each<[string, (tx: EntityManager) => Promise<unknown>]>([
    ['a statement that was sent with it failed', (tx) => runWithNext(tx, 'SELECT 1 / $1::int', ['0'])],
    ['the work caught the failure of a statement', (tx) => tx.query('SELECT 1 / 0').catch(() => undefined)],
  ])('after a commit that rolled back, each item runs alone: %s', async (_, fail) => {
    failTogether = async (tx) => void (await fail(tx));
    const results = await runOn(range(3));
    expect(results).toMatchObject(range(3).map((item) => ({ status: 'fulfilled', value: { item } })));
    expect([sizes, alone]).toEqual([[3], range(3)]);
  });

  it('items fail with the error of their shared transaction if the server does not respond to it', async () => {
    failTogether = async (tx) => {
      const [{ pid }] = await tx.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
      const { timers, restore } = longTimers(statementMs);
      const sleeping = tx.query('SELECT pg_sleep(600)');
      while (timers.length === 0) await nextTurn();
      restore();
      timers[0]?.();
      await sleeping.finally(() => dataSource.query('SELECT pg_terminate_backend($1)', [pid]));
    };
    const results = await runOn(range(3));
    const silent = { status: 'rejected', reason: { driverError: expect.any(DatabaseSilent) } };
    expect(results).toMatchObject(range(3).map(() => silent));
    expect([sizes, alone]).toEqual([[3], []]);
  });
});

it.each([
  ['its connection was lost', new QueryFailedError('COMMIT', [], new Error('Connection terminated unexpectedly'))],
  ['a step after it failed', failedInsert()],
  ['another error occurred', new Error('unknown')],
])('no item runs again after a commit that may have succeeded: %s', async (_, error) => {
  jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    await dataSource.transaction(work);
    throw error;
  });
  const results = await Promise.allSettled(run(range(3)));
  expect(results.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  expect(alone).toEqual([]);
});

describe('with work that takes one round trip', () => {
  let inOneTrip: (items: readonly string[]) => Promise<(Done | null)[] | null>;
  beforeEach(() => {
    shared = new SharedTransactions(database, runAlone, runTogether, (items) => inOneTrip(items));
  });
  const rejected = (driverError: Error) => () => Promise.reject(new QueryFailedError('INSERT', [], driverError));
  const reported = (code: string) => Object.assign(new DatabaseError('failed', 0, 'error'), { code });

  it('items get their results from `inOneTrip` in one round trip, and an item without a result runs alone', async () => {
    inOneTrip = (items) =>
      Promise.resolve(items.map((item) => (item === 'two' ? null : { item, transaction: 'one trip' })));
    const done = await Promise.all(run(['one', 'two', 'three']));
    expect(done.map(({ transaction }) => transaction === 'one trip')).toEqual([true, false, true]);
    expect([sizes, alone]).toEqual([[], ['two']]);
  });

  it('a single item takes its result from `inOneTrip`, and otherwise runs alone', async () => {
    inOneTrip = ([item = '']) => Promise.resolve([{ item, transaction: 'one trip' }]);
    expect(await shared.run('key', 'one')).toEqual({ item: 'one', transaction: 'one trip' });
    inOneTrip = () => Promise.resolve(null);
    await shared.run('key', 'two');
    expect([sizes, alone]).toEqual([[], ['two']]);
  });

  it('items within a transaction do not use `inOneTrip`', async () => {
    inOneTrip = () => Promise.reject(new Error('used'));
    await database.inOneTransaction(() => Promise.all(run(['one', 'two'])));
    expect(alone).toEqual(['one', 'two']);
  });

  it('no item runs again if `inOneTrip` gets no connection', async () => {
    const late = new Error('timeout exceeded when trying to connect');
    inOneTrip = () => Promise.reject(late);
    const results = await Promise.allSettled(run(range(3)));
    expect(results).toEqual(range(3).map(() => ({ status: 'rejected', reason: late })));
    expect([sizes, alone]).toEqual([[], []]);
  });

  it('items share an ordinary transaction if `inOneTrip` cannot do their work', async () => {
    inOneTrip = () => Promise.resolve(null);
    await Promise.all(run(range(3)));
    expect([sizes, alone]).toEqual([[3], []]);
  });

  it.each([
    ['the server rejected it', reported('23505')],
    ['it took too long', reported('57014')],
  ])('each item runs alone after a failure of `inOneTrip`: %s', async (_, error) => {
    inOneTrip = rejected(error);
    expect(await Promise.all(run(range(3)))).toHaveLength(3);
    expect([sizes, alone]).toEqual([[], range(3)]);
  });

  it.each([
    ['the server ended the connection', reported('57P01')],
    ['the server could not write', reported('53100')],
    ['the connection was lost', new Error('Connection terminated unexpectedly')],
    ['the server was silent', new DatabaseSilent(1000)],
    ['the pooler reported something unknown', reported('08P01')],
    ['the response could not be read', new TypeError('x is not a function')],
  ])('no item runs again after a failure of `inOneTrip` that may have committed: %s', async (_, error) => {
    inOneTrip = rejected(error);
    const results = await Promise.allSettled(run(range(3)));
    expect(results).toMatchObject(range(3).map(() => ({ status: 'rejected', reason: { driverError: error } })));
    expect([sizes, alone]).toEqual([[], []]);
  });
});

it('items within a transaction belong to it, and do not wait for other items', async () => {
  const { open } = close();
  const first = shared.run('key', 'first');
  await nextTurn();
  barrier = Promise.resolve();
  const [one, two] = await database.inOneTransaction(() => Promise.all(run(['one', 'two'])));
  expect(one?.transaction).toBe(two?.transaction);
  open();
  await first;
  expect(sizes).toEqual([]);
});

it('a shared transaction runs outside of the context of any request', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const inContext = new SharedTransactions<string, Done>(
    database,
    (item) => {
      seen.push(`alone ${context.getStore()}`);
      return runAlone(item);
    },
    (tx, items) => {
      seen.push(context.getStore());
      return runTogether(tx, items);
    },
  );
  const items = ['one', 'bad two', 'three'];
  await Promise.allSettled(items.map((item) => context.run(item, () => inContext.run('key', item))));
  expect(seen).toEqual([undefined, 'alone bad two']);
});

it('the span of a shared transaction belongs to the trace of its first item and has links to the others', async () => {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const request = (item: string) => inTraceOf(undefined, item, {}, () => shared.run('key', item));
  await Promise.all(['one', 'two', 'three'].map(request));
  for (const api of [context, propagation, trace]) api.disable();
  const spans = exporter.getFinishedSpans();
  const traceOf = (name: string) => spans.find((span) => span.name === name)?.spanContext().traceId;
  const transactions = spans.filter(({ name }) => name === 'transaction');
  expect(transactions).toHaveLength(1);
  expect(traceOf('transaction')).toBe(traceOf('one'));
  expect(transactions[0]?.links.map((link) => link.context.traceId)).toEqual([traceOf('two'), traceOf('three')]);
});

/** Closes the barrier. @returns `open`, which opens it again */
function close() {
  let open: () => void = () => undefined;
  barrier = new Promise((resolve) => (open = resolve));
  return { open };
}
