import { randomId } from '@passwright/core';
import { FixedClock, testDatabase } from '@passwright/testing';
import { TestApp } from './test-app.fixtures.js';

let app: TestApp;
beforeAll(async () => {
  const { url } = await testDatabase();
  app = await TestApp.start(url, 0, new FixedClock());
});
afterAll(() => app.stop());

async function send(method: string, path: string, body?: object, added: Record<string, string> = {}) {
  const headers = { Authorization: 'Bearer acc_host', 'Content-Type': 'application/json', ...added };
  const response = await fetch(app.url + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as object, headers: response.headers };
}

it.each([
  ['files/*path', ['/host/files/a/b', '/host/files/a/c', '/host/files/a']],
  ['drawers{/:drawer}', ['/host/drawers/a', '/host/drawers/b', '/host/drawers']],
])('requests to different targets of the route %s with one key are different requests', async (_, paths) => {
  const key = { 'Idempotency-Key': randomId() };
  for (const path of paths) {
    const first = await send('PUT', path, undefined, key);
    expect(first).toMatchObject({ status: 200 });
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect((await send('PUT', path, undefined, key)).headers.get('idempotency-replayed')).toBe('true');
  }
});

it.each([
  ['traced', 'is wrapped by a decorator', { sent: { a: 1 } }],
  ['custom', 'takes it through a decorator of the app', { sent: { a: 1 } }],
  ['raw', 'takes the raw body', { taken: true }],
])('the route host/%s accepts a body, because its handler %s', async (path, _, body) => {
  expect(await send('POST', `/host/${path}`, { a: 1 })).toMatchObject({ status: 200, body });
});

it.each(['action', 'traced-action'])(
  '400 validation_failed for a body of the route host/%s, whose handler ignores it',
  async (path) => {
    const message = 'a is not known here';
    expect(await send('POST', `/host/${path}`, { a: 1 })).toMatchObject({ status: 400, body: { message } });
    expect(await send('POST', `/host/${path}`, {})).toMatchObject({ status: 200 });
  },
);

it('a read keeps the Cache-Control that middleware of the app has set', async () => {
  const read = async (headers: Record<string, string>) =>
    (await send('GET', '/v1/things', undefined, headers)).headers.get('cache-control');
  expect(await read({ 'X-Cache-Control': 'no-store' })).toBe('no-store');
  expect(await read({})).toBe('private, no-cache');
});
