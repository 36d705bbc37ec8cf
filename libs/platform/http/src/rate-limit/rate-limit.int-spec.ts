import { randomId } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { TestApp } from '../test-app.fixtures.js';

const LIMIT = 100;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  const { url } = await testDatabase();
  [app, other] = await Promise.all([TestApp.start(url, LIMIT), TestApp.start(url, LIMIT)]);
});
afterAll(() => Promise.all([app.stop(), other.stop()]));

function read(node: TestApp, headers: Record<string, string>): Promise<Response> {
  return fetch(`${node.url}/v1/things/7`, { headers });
}

const caller = () => ({ Authorization: `Bearer acc_${randomId()}` });

it('the rate limit allows a caller exactly the limit over all nodes, even with simultaneous requests', async () => {
  const headers = caller();
  const responses = await Promise.all(Array.from({ length: 150 }, (_, i) => read(i % 2 === 0 ? app : other, headers)));
  const passed = responses.filter(({ status }) => status === 200).length;
  // The nodes may pass up to two requests fewer than the limit, because each may have unspent points.
  expect(passed).toBeGreaterThanOrEqual(LIMIT - 2);
  expect(passed).toBeLessThanOrEqual(LIMIT);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(150 - passed);
});

it('the headers of every limited response state how much of the rate limit remains', async () => {
  const headers = caller();
  const [first, second] = [await read(app, headers), await read(app, headers)];
  expect(first.headers.get('ratelimit-limit')).toBe('100');
  expect(first.headers.get('ratelimit-policy')).toBe('100;w=60');
  expect([first.headers.get('ratelimit-remaining'), second.headers.get('ratelimit-remaining')]).toEqual(['99', '98']);
  const reset = Number(first.headers.get('ratelimit-reset'));
  expect(reset).toBeGreaterThan(0);
  expect(reset).toBeLessThanOrEqual(60);
});

it('429 rate_limited says when to try again', async () => {
  const headers = caller();
  for (let i = 0; i < LIMIT; i++) expect((await read(app, headers)).status).toBe(200);
  const rejected = await read(app, headers);
  expect(await rejected.json()).toMatchObject({ statusCode: 429, code: 'rate_limited', error: 'Too Many Requests' });
  expect(rejected.headers.get('ratelimit-remaining')).toBe('0');
  expect(rejected.headers.get('retry-after')).toBe(rejected.headers.get('ratelimit-reset'));
  expect((await read(app, caller())).status).toBe(200);
});

it('the rate limit counts a public request toward the address that the proxy reports', async () => {
  const address = { 'X-Forwarded-For': `spoofed, 203.0.113.${Math.floor(Math.random() * 256)}` };
  const first = await read(app, address);
  const second = await read(app, { ...address, 'X-Forwarded-For': address['X-Forwarded-For'].replace('spoofed', 'x') });
  expect([first.headers.get('ratelimit-remaining'), second.headers.get('ratelimit-remaining')]).toEqual(['99', '98']);
});

it('the rate limit allows requests while the counters cannot be read, and logs the failure once', async () => {
  const alone = await TestApp.start((await testDatabase()).url, LIMIT);
  const pool = (alone.app.get(DataSource).driver as unknown as { master: { query: () => Promise<never> } }).master;
  pool.query = () => Promise.reject(new Error('no connection'));
  const responses = [await read(alone, caller()), await read(alone, caller())];
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(alone.logged).toEqual(['No limits until the database responds: no connection']);
  await alone.stop();
});

it('the rate limit reads no counters for an unlimited route, which works even without the database', async () => {
  const alone = await TestApp.start((await testDatabase()).url, LIMIT);
  const pool = (alone.app.get(DataSource).driver as unknown as { master: { query: () => Promise<never> } }).master;
  pool.query = () => new Promise(() => undefined);
  const response = await fetch(`${alone.url}/v1/probe`);
  expect([response.status, response.headers.has('ratelimit-limit')]).toEqual([200, false]);
  await alone.stop();
});

it('a limit of 0 limits no caller', async () => {
  const unlimited = await TestApp.start((await testDatabase()).url, 0);
  expect((await read(unlimited, caller())).headers.has('ratelimit-limit')).toBe(false);
  await unlimited.stop();
});
