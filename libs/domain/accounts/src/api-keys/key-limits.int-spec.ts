import { scopes } from '@passwright/core';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import { AgentTools } from './agent-tools.service.js';

let node: AccountsNode;
let user: Registered;

beforeAll(async () => {
  node = await AccountsNode.start();
  node.app.get(AgentTools).learn(() => ['getPass', 'createPass']);
});
afterAll(() => node.stop());
beforeEach(async () => {
  user = await node.register();
});

const soon = '2026-11-21T10:00:00.000Z';
const later = '2026-11-22T10:00:00.000Z';
const create = (token: string, body: object) =>
  node.call('post', '/v1/auth/keys', { token, body: { name: 'x', ...body } });
const rotate = (token: string, id: string) => node.call('post', `/v1/auth/keys/${id}/rotate`, { token });
const manager = (limits: object) => node.createKey(user, { scopes: [...scopes], ...limits });

it('403 forbidden for an API key that creates or rotates a key that lasts longer', async () => {
  const { key, id } = await manager({ expiresAt: soon });
  const rejected = await create(key, { expiresAt: later });
  expect(rejected.body).toMatchObject({ statusCode: 403, code: 'forbidden' });
  expect(rejected.body.message).toContain(soon);
  for (const expiresAt of [null, later]) {
    const lasting = await node.createKey(user, { expiresAt });
    expect((await rotate(key, lasting.id)).body).toMatchObject({ statusCode: 403, code: 'forbidden' });
  }
  expect((await create(key, { expiresAt: soon })).body).toMatchObject({ expiresAt: soon });
  expect((await rotate(key, id)).body).toMatchObject({ id, expiresAt: soon });
});

it('a key that an API key creates without an expiry expires with that key', async () => {
  const { key } = await manager({ expiresAt: soon });
  expect((await create(key, {})).body).toMatchObject({ expiresAt: soon });
  expect((await create(user.accessToken, {})).body).toMatchObject({ expiresAt: null });
});

it('403 forbidden for an API key that creates or rotates a key with other tools than its own', async () => {
  const { key } = await manager({ tools: ['getPass'] });
  for (const tools of [['createPass'], ['getPass', 'createPass']]) {
    const rejected = await create(key, { tools });
    expect(rejected.body).toMatchObject({ statusCode: 403, code: 'forbidden' });
    expect(rejected.body.message).toContain('createPass');
  }
  const free = await node.createKey(user, {});
  expect((await rotate(key, free.id)).body).toMatchObject({ statusCode: 403, code: 'forbidden' });
  expect((await create(key, {})).body).toMatchObject({ tools: ['getPass'] });
});

it('an API key without limits creates and rotates keys with any limits', async () => {
  const { key } = await manager({});
  const { body } = await create(key, { tools: ['getPass'], supervised: true, expiresAt: later });
  expect(body).toMatchObject({ tools: ['getPass'], supervised: true, expiresAt: later });
  expect((await rotate(key, body.id as string)).status).toBe(200);
});

it.each([
  ['an expiry', { expiresAt: soon }],
  ['tools', { tools: ['getPass'] }],
])(
  '403 forbidden for an API key limited by %s that invites an admin, who would not have its limits',
  async (_, limits) => {
    const { key } = await manager(limits);
    const invite = (body: object) =>
      node.call('post', '/v1/account/invite', { token: key, body: { email: 'ada@example.com', ...body } });
    const rejected = await invite({ isAdmin: true });
    expect(rejected).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(rejected.body.message).toContain('an admin');
    expect((await invite({ isAdmin: false })).status).toBe(201);
    const free = await manager({});
    const body = { email: 'eve@example.com', isAdmin: true };
    expect((await node.call('post', '/v1/account/invite', { token: free.key, body })).status).toBe(201);
  },
);

it.each<[string, object]>([
  ['an expiry', { expiresAt: soon }],
  ['tools', { tools: ['getPass'] }],
])(
  '403 forbidden for an API key limited by %s that makes a user an admin, who would not have its limits',
  async (_, limits) => {
    const second = await node.register();
    const body = { email: second.email };
    const invited = await node.call('post', '/v1/account/invite', { token: user.accessToken, body });
    await node.call('post', `/v1/account/invites/${invited.body.code}/accept`, { token: second.accessToken, body: {} });
    const { body: account } = await node.call('get', '/v1/account', { token: user.accessToken });
    const members = account.members as { uid: string; user: { email: string } }[];
    const uid = members.find((member) => member.user.email === second.email)?.uid;
    const change = (token: string, isAdmin: boolean) =>
      node.call('patch', `/v1/account/members/${uid}`, { token, body: { isAdmin } });
    const [limited, free] = [await manager(limits), await manager({})];
    const rejected = await change(limited.key, true);
    expect(rejected).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(rejected.body.message).toContain('an admin');
    expect(await change(free.key, true)).toMatchObject({ status: 200, body: { user: { isAdmin: true } } });
    expect(await change(limited.key, false)).toMatchObject({ status: 200, body: { user: { isAdmin: false } } });
  },
);

it('an invitation ends with the API key that sends it, and after a week if that key lasts longer', async () => {
  const invite = async (token: string, email: string) =>
    (await node.call('post', '/v1/account/invite', { token, body: { email } })).body.expiry as unknown;
  const [short, long] = [await manager({ expiresAt: soon }), await manager({ expiresAt: '2027-11-20T10:00:00.000Z' })];
  expect(await invite(short.key, 'ada@example.com')).toBe(soon);
  expect(await invite(long.key, 'eve@example.com')).toBe('2026-11-27T10:00:00.000Z');
  expect(await invite(user.accessToken, 'bob@example.com')).toBe('2026-11-27T10:00:00.000Z');
});
