import { Database } from '@passwright/database';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { CircuitBreaker } from './circuit-breaker.js';

const minuteMs = 60_000;
const begin = Date.parse('2026-11-20T10:00:00.000Z');
const at = (minutes: number) => new Date(begin + minutes * minuteMs);
const key = { accountId: 'acc_1', fingerprint: 'f1' };
const ofAll = { ...key, accountId: '' };

let dataSource: DataSource;
let breaker: CircuitBreaker;

beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 3 }).initialize();
  await dataSource.query(
    `CREATE TABLE IF NOT EXISTS test_circuit (account_id text, fingerprint text, reason text NOT NULL,
     since timestamptz(3) NOT NULL, retry_at timestamptz(3) NOT NULL, PRIMARY KEY (account_id, fingerprint))`,
  );
  breaker = new CircuitBreaker(new Database(dataSource), {
    table: 'test_circuit',
    firstPauseMs: 15 * minuteMs,
    longestPauseMs: 60 * minuteMs,
    trialMs: minuteMs,
    forgottenMs: 60 * minuteMs,
  });
});
beforeEach(() => dataSource.query('TRUNCATE test_circuit'));
afterAll(async () => {
  await dataSource.query('DROP TABLE test_circuit');
  await dataSource.destroy();
});

const retryAt = async () => (await breaker.find(key.accountId, key.fingerprint))?.retryAt;

it('the circuit opens once, and is half-open after the first pause', async () => {
  expect(await breaker.stateOf(key, at(0))).toBe('closed');
  expect(await breaker.open(key, 'refused', at(0))).toBe(true);
  expect(await breaker.open(key, 'refused again', at(0))).toBe(false);
  expect(await breaker.find(key.accountId, key.fingerprint)).toMatchObject({ reason: 'refused again', since: at(0) });
  expect(await breaker.stateOf(key, at(14))).toBe('open');
  expect(await breaker.stateOf(key, at(15))).toBe('half-open');
});

it('the circuit pauses for as long as it has been open, up to the longest pause', async () => {
  await breaker.open(key, 'refused', at(0), minuteMs);
  expect(await retryAt()).toEqual(at(1));
  for (const [now, next] of [
    [5, 20],
    [30, 60],
    [300, 360],
  ] as const) {
    await breaker.open(key, 'refused', at(now));
    expect(await retryAt()).toEqual(at(next));
  }
});

it('one of several callers gets the trial, and another caller gets it once it is returned', async () => {
  await breaker.open(key, 'refused', at(0));
  expect(await breaker.takeTrial(key, at(14))).toBe(false);
  const taken = await Promise.all([1, 2, 3].map(() => breaker.takeTrial(key, at(15))));
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await retryAt()).toEqual(at(16));
  await breaker.returnTrial(key, at(15));
  expect(await breaker.takeTrial(key, at(15))).toBe(true);
});

it('find returns the circuit of the credential before that of the account, and close closes both', async () => {
  await breaker.open(key, 'the pushes of the account', at(0));
  await breaker.open(ofAll, 'the credential', at(0));
  expect((await breaker.find(key.accountId, key.fingerprint))?.reason).toBe('the credential');
  expect((await breaker.find('acc_2', key.fingerprint))?.reason).toBe('the credential');
  expect(await breaker.find(key.accountId, 'f2')).toBeNull();
  expect(await breaker.close(key)).toBe(true);
  expect(await breaker.close(key)).toBe(false);
  expect(await breaker.stateOf(ofAll, at(0))).toBe('closed');
});

it('forget deletes circuits that no caller has tried for long', async () => {
  await breaker.open(key, 'refused', at(0));
  await breaker.forget(at(75));
  expect(await retryAt()).toEqual(at(15));
  await breaker.forget(at(76));
  expect(await retryAt()).toBeUndefined();
});
