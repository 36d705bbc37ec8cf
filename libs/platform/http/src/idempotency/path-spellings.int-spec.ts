import { randomId } from '@passwright/core';
import { FixedClock, testDatabase } from '@passwright/testing';
import { TestApp } from '../test-app.fixtures.js';

let app: TestApp;
beforeAll(async () => {
  const { url } = await testDatabase();
  app = await TestApp.start(url, 0, new FixedClock());
});
afterAll(() => app.stop());

/** Sends a write with an idempotency key. @returns true if the response is that of an earlier request */
async function isReplayed(
  method: string,
  path: string,
  account: string,
  key: string,
  body = JSON.stringify({ name: 'Ada' }),
): Promise<boolean> {
  const headers = {
    Authorization: `Bearer ${account}`,
    'Idempotency-Key': key,
    'Content-Type': 'application/json',
  };
  const response = await fetch(app.url + path, { method, headers, body });
  expect(response.status).toBeLessThan(300);
  return response.headers.get('idempotency-replayed') === 'true';
}

it.each([
  ['POST', '/v1/things', ['/V1/Things', '/v1/things/', '//v1/things']],
  ['PUT', '/v1/things/a.b', ['/v1/THINGS/a.b/', '/v1/things/%61.b']],
])('a retry of %s %s with its key gets the first response by each other spelling of the path', async (...args) => {
  const [method, path, spellings] = args;
  const [account, key] = [`acc_${randomId()}`, randomId()];
  const before = app.things.runs;
  expect(await isReplayed(method, path, account, key)).toBe(false);
  for (const spelling of spellings)
    expect([spelling, await isReplayed(method, spelling, account, key)]).toEqual([spelling, true]);
  expect(app.things.runs - before).toBe(1);
});

it('the same key is another request if an id in the path differs, even in case alone', async () => {
  const [account, key] = [`acc_${randomId()}`, randomId()];
  for (const id of ['ada', 'Ada', 'eve']) {
    expect(await isReplayed('PUT', `/v1/things/${id}`, account, key)).toBe(false);
  }
});

it('a retry on a route without body and query gets the first response, however the empty body and query are spelled', async () => {
  const [account, key] = [`acc_${randomId()}`, randomId()];
  expect(await isReplayed('POST', '/v1/actions', account, key, '')).toBe(false);
  for (const body of ['{}', ' {} ']) expect(await isReplayed('POST', '/v1/actions', account, key, body)).toBe(true);
  expect(await isReplayed('POST', '/v1/actions?&', account, key, '')).toBe(true);
});
