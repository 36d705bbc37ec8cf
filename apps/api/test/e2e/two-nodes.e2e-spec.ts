import { randomUUID } from 'node:crypto';
import { repeatWhileBusy } from '@passwright/testing';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';

/* Two nodes of one installation. They share the database, images and secrets. */
const limit = 30;
let first: RunningService;
let second: RunningService;
let account: Account;

beforeAll(async () => {
  first = await RunningService.start();
  second = await RunningService.start({}, first);
  account = await first.register();
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const alternating = (index: number) => (index % 2 === 0 ? first : second);

describe('credentials on two nodes', () => {
  it('a key that one node revokes is invalid on the other node from the next request on', async () => {
    const created = await account.post('/v1/auth/keys', { name: 'Web shop' });
    const { id, key: token } = created.body;
    const read = () => second.request('GET', '/v1/templates', { token });
    expect(await read()).toMatchObject({ status: 200 });
    expect(await account.delete(`/v1/auth/keys/${id}`)).toMatchObject({ status: 204 });
    expect(await read()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it('a key that one node rotates is invalid on the other node, and the new key is valid there', async () => {
    const created = await account.post('/v1/auth/keys', { name: 'Web shop' });
    const rotated = await account.post(`/v1/auth/keys/${created.body.id}/rotate`);
    expect(await second.request('GET', '/v1/templates', { token: created.body.key })).toMatchObject({ status: 401 });
    expect(await second.request('GET', '/v1/templates', { token: rotated.body.key })).toMatchObject({ status: 200 });
  });

  it('a user who logs out on one node is also logged out on the other node', async () => {
    const user = await first.register();
    const read = () => second.request('GET', '/v1/templates', { token: user.token });
    expect(await read()).toMatchObject({ status: 200 });
    await first.request('POST', '/v1/auth/logout', { body: { refreshToken: user.refreshToken } });
    expect(await read()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it('a refresh token that is used on two nodes simultaneously ends the session', async () => {
    const user = await first.register();
    const refresh = (node: RunningService) =>
      node.request('POST', '/v1/auth/refresh', { body: { refreshToken: user.refreshToken } });
    const responses = await Promise.all([refresh(first), refresh(second)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
    const winner = responses.find(({ status }) => status === 200) as ApiResponse;
    const next = { body: { refreshToken: winner.body.refreshToken } };
    expect(await second.request('POST', '/v1/auth/refresh', next)).toMatchObject({ status: 401 });
  });
});

describe('an idempotency key', () => {
  it('twenty requests with one idempotency key on two nodes create one pass and get byte-identical responses', async () => {
    await account.saveTemplate('offer', 'idempotent');
    const headers = { 'Idempotency-Key': randomUUID() };
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        repeatWhileBusy(() =>
          alternating(index).request('POST', '/v1/pass/idempotent', {
            token: account.token,
            body: { code: 'A' },
            headers,
          }),
        ),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(new Array(20).fill(201));
    expect(new Set(responses.map(({ bytes }) => bytes.toString())).size).toBe(1);
    expect((await account.get('/v1/pass/idempotent')).body.data).toHaveLength(1);
  });
});

describe('resources on two nodes', () => {
  it('one node serves a pass that the other node has created, with the same tags', async () => {
    const issued = await account.issue('offer');
    const { pass, walletAUrl, webUrl } = issued.body;
    const read = await second.request('GET', `/v1/pass/offer/${pass.id}`, { token: account.token });
    expect(read.body).toEqual(issued.body);
    expect(read.headers.get('etag')).toBe(issued.headers.get('etag'));

    const [one, other] = await Promise.all([first.request('GET', walletAUrl), second.request('GET', walletAUrl)]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(other.headers.get('etag')).toBe(one.headers.get('etag'));
    const headers = { 'If-None-Match': one.headers.get('etag') ?? '' };
    expect(await second.request('GET', walletAUrl, { headers })).toMatchObject({ status: 304 });
    expect(await second.request('GET', webUrl)).toMatchObject({ status: 200 });
  });

  it('one node shows a change by the other node immediately, even after preparing images of the template', async () => {
    const { body } = await account.issue('offer');
    const before = await second.request('GET', body.walletAUrl);
    await account.saveTemplate('offer', 'offer', { banner: 'http://localhost:3000/images/samples/background.png' });
    const after = await second.request('GET', body.walletAUrl);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(after.bytes.length).not.toBe(before.bytes.length);
    await account.post('/v1/templates/offer/archive');
    const page = await second.request('GET', body.webUrl);
    expect(page.bytes.toString()).toMatch(/void/i);
    await account.post('/v1/templates/offer/unarchive');
  });
});

describe('counts over both nodes', () => {
  it('the limit of requests per minute counts over both nodes', async () => {
    const limits = { RATE_LIMIT_PER_MINUTE: String(limit) };
    const nodes = await Promise.all([RunningService.start(limits, first), RunningService.start(limits, first)]);
    const user = await first.register();
    const responses: ApiResponse[] = [];
    for (let index = 0; index < limit + 10; index++) {
      const node = nodes[index % 2] as RunningService;
      responses.push(await node.request('GET', '/v1/templates', { token: user.token }));
    }
    await Promise.all(nodes.map((node) => node.stop()));

    expect(responses.map(({ status }) => status)).toEqual([...new Array(limit).fill(200), ...new Array(10).fill(429)]);
    expect(responses.at(-1)?.body.code).toBe('rate_limited');
    expect(Number(responses.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(responses.map(({ headers }) => headers.get('ratelimit-limit'))).toEqual(responses.map(() => String(limit)));
  });

  it('exactly one of fifty simultaneous redemptions on both nodes succeeds', async () => {
    const { body } = await account.issue('offer');
    const path = `/v1/pass/offer/${body.pass.id}/redeem`;
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        repeatWhileBusy(() => alternating(index).request('POST', path, { token: account.token })),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.code === 'invalid_transition')).toHaveLength(49);
  });
});
