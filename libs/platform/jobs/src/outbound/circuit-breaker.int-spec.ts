import { Database, pullBack } from '@passwright/database';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { CircuitBreaker, countCircuits, findCircuitSql, trialTimes } from './circuit-breaker.js';

const minuteMs = 60_000;
const begin = Date.parse('2026-11-20T10:00:00.000Z');
const at = (minutes: number) => new Date(begin + minutes * minuteMs);
const key = { accountId: 'acc_1', fingerprint: 'f1' };
const ofAll = { ...key, accountId: '' };

let dataSource: DataSource;
let database: Database;
let breaker: CircuitBreaker;
/** A circuit breaker with the same rules for another receiver. */
let other: CircuitBreaker;

beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 3 }).initialize();
  database = new Database(dataSource);
  const pauses = { firstPauseMs: 15 * minuteMs, longestPauseMs: 60 * minuteMs, trialMs: minuteMs };
  const rules = { ...pauses, forgottenMs: 60 * minuteMs };
  breaker = new CircuitBreaker(database, { receiver: 'apple', ...rules });
  other = new CircuitBreaker(database, { receiver: 'google', ...rules });
});
beforeEach(() => dataSource.query('DELETE FROM circuit_breaker'));
afterAll(() => dataSource.destroy());

const retryAt = async () => (await breaker.find(key.accountId, key.fingerprint))?.retryAt;

it('the circuit opens once and becomes half-open after the first pause', async () => {
  expect(await breaker.stateOf(key, at(0))).toBe('closed');
  expect(await breaker.open(key, 'rejected', at(0))).toBe(true);
  expect(await breaker.open(key, 'rejected again', at(0))).toBe(false);
  expect(await breaker.find(key.accountId, key.fingerprint)).toMatchObject({ reason: 'rejected again', since: at(0) });
  expect(await breaker.stateOf(key, at(14))).toBe('open');
  expect(await breaker.stateOf(key, at(15))).toBe('half-open');
});

it("a circuit's next pause is as long as the circuit has been open, up to a maximum", async () => {
  await breaker.open(key, 'rejected', at(0), minuteMs);
  expect(await retryAt()).toEqual(at(1));
  for (const [now, next] of [
    [5, 20],
    [30, 60],
    [300, 360],
  ] as const) {
    await breaker.open(key, 'rejected', at(now));
    expect(await retryAt()).toEqual(at(next));
  }
});

it('only one of several callers gets the trial, and another caller gets it after the first has returned it', async () => {
  await breaker.open(key, 'rejected', at(0));
  expect(await breaker.takeTrial(key, at(14))).toBe(false);
  const taken = await Promise.all([1, 2, 3].map(() => breaker.takeTrial(key, at(15))));
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await retryAt()).toEqual(at(16));
  await breaker.returnTrial(key, at(15));
  expect(await breaker.takeTrial(key, at(15))).toBe(true);
});

it('`find` prefers the circuit of a credential to the circuit of an account, and `close` closes both', async () => {
  await breaker.open(key, 'the pushes of the account', at(0));
  await breaker.open(ofAll, 'the credential', at(0));
  expect((await breaker.find(key.accountId, key.fingerprint))?.reason).toBe('the credential');
  expect((await breaker.find('acc_2', key.fingerprint))?.reason).toBe('the credential');
  expect(await breaker.find(key.accountId, 'f2')).toBeNull();
  expect(await breaker.close(key)).toBe(true);
  expect(await breaker.close(key)).toBe(false);
  expect(await breaker.stateOf(ofAll, at(0))).toBe('closed');
});

it('`forget` deletes circuits that no caller has tried for a long time', async () => {
  await breaker.open(key, 'rejected', at(0));
  await breaker.forget(at(75));
  expect(await retryAt()).toEqual(at(15));
  await breaker.forget(at(76));
  expect(await retryAt()).toBeUndefined();
});

it('CircuitBreaker leaves the circuits of other receivers unchanged', async () => {
  const foreign = { accountId: key.accountId, fingerprint: 'f2' };
  await breaker.open(key, 'rejected', at(0));
  await other.open(foreign, 'rejected', at(0));
  expect(await breaker.find(foreign.accountId, foreign.fingerprint)).toBeNull();
  expect(await breaker.takeTrial(foreign, at(15))).toBe(false);
  expect(await breaker.close(foreign)).toBe(false);
  await breaker.forget(at(600));
  expect(await breaker.stateOf(key, at(0))).toBe('closed');
  expect(await other.stateOf(foreign, at(0))).toBe('open');
  const counts = await database.transaction(async (tx) => [
    await countCircuits(tx, 'apple'),
    await countCircuits(tx, 'google'),
  ]);
  expect(counts).toEqual([0, 1]);
});

it('CircuitBreaker retries immediately if a wrong clock has delayed the trial by more than the longest pause', async () => {
  await breaker.open(key, 'rejected', at(200));
  await pullBack(database, [trialTimes], at(0));
  expect(await breaker.stateOf(key, at(0))).toBe('half-open');
});

it('CircuitBreaker finds a circuit by its primary key, however many circuits there are', async () => {
  await dataSource.query(
    `INSERT INTO circuit_breaker (account_id, fingerprint, receiver, reason, since, retry_at)
     SELECT 'acc_' || n % 100, 'f' || n, 'apple', 'rejected', now(), now() FROM generate_series(1, 5000) n`,
  );
  await dataSource.query('ANALYZE circuit_breaker');
  const rows = await dataSource.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${findCircuitSql}`, [
    'acc_1',
    'f1',
    'apple',
  ]);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('circuit_breaker_pkey');
  expect(plan).not.toContain('Seq Scan');
});
