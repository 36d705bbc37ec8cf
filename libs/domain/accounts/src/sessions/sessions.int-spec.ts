import { inRequestOf } from '@passwright/core';
import { Database } from '@passwright/database';
import { DataSource } from 'typeorm';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { SessionsService } from './sessions.service.js';

let nodes: AccountsNode[];
let user: Registered;

beforeAll(async () => {
  nodes = await Promise.all([AccountsNode.start(), AccountsNode.start()]);
});
afterAll(() => Promise.all(nodes.map((node) => node.stop())));
beforeEach(async () => {
  user = await first().register();
});

const first = () => nodes[0] as AccountsNode;
const second = () => nodes[1] as AccountsNode;
const PATH = '/v1/auth/sessions';

async function login({ email, password }: Registered): Promise<Registered> {
  for (const { clock } of nodes) clock.advance(60);
  const { body } = await first().call('post', '/v1/auth/login', { body: { email, password } });
  return { ...user, ...body };
}

const list = async ({ accessToken: token }: Registered, query = '') =>
  (await first().call('get', `${PATH}${query}`, { token })).body;
const isIn = async ({ accessToken: token }: Registered) =>
  (await second().call('get', '/routes/user', { token })).status === 200;

/** Adds the user to another account and returns their uid. */
async function inAnotherAccount(): Promise<string> {
  const { accessToken: token } = user;
  const { body } = await first().call('get', '/routes/user', { token });
  const database = first().app.get(Database);
  // Open the new session later than the first one, so that their order is known.
  for (const { clock } of nodes) clock.advance(1);
  return database.transaction(async (tx) => {
    const { id } = await first().app.get(AccountsService).create(tx, { name: 'Difference Engines' });
    await first().app.get(AccountsService).addMember(tx, id, body.id, { isAdmin: false });
    const origin = { ip: '192.0.2.9', requestId: 'x', userAgent: 'Lynx' };
    await inRequestOf(origin, () => first().app.get(SessionsService).open(tx, id, body.id));
    return id;
  });
}

it('the service lists a user’s sessions in all accounts, with their times, IP addresses and user agents', async () => {
  const other = await inAnotherAccount();
  const now = await login(user);
  const { data, nextCursor } = await list(now);
  expect(nextCursor).toBeNull();
  expect(data).toHaveLength(3);
  expect(data[0]).toMatchObject({ accountId: user.accountId, accountName: 'Analytical Engines', current: true });
  expect(data).toContainEqual({
    id: expect.stringMatching(/^ses_/),
    accountId: other,
    accountName: 'Difference Engines',
    createdAt: expect.stringMatching(/Z$/),
    lastUsedAt: expect.stringMatching(/Z$/),
    ip: '192.0.2.9',
    userAgent: 'Lynx',
    current: false,
  });
  expect(JSON.stringify(data)).not.toContain('oken');
});

it('the service lists each open session once, page by page, and no expired session', async () => {
  await first()
    .app.get(DataSource)
    .query('UPDATE session SET expires_at = $2 WHERE account_id = $1', [user.accountId, first().clock.now()]);
  for (let n = 0; n < 3; n++) await login(user);
  const latest = await login(user);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: { id: string }[]; nextCursor: string | null } = await list(
      latest,
      `?limit=2${cursor && `&cursor=${cursor}`}`,
    );
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect([seen.length, new Set(seen).size]).toEqual([4, 4]);
  const bad = await first().call('get', `${PATH}?cursor=abc`, { token: latest.accessToken });
  expect(bad.body.code).toBe('validation_failed');
});

it('the service shows when a session was last refreshed', async () => {
  const [before] = (await list(user)).data;
  for (const { clock } of nodes) clock.advance(600);
  const { body } = await first().call('post', '/v1/auth/refresh', { body: { refreshToken: user.refreshToken } });
  const [after] = (await list({ ...user, ...body })).data;
  expect(after.createdAt).toBe(before.createdAt);
  expect(Date.parse(after.lastUsedAt) - Date.parse(before.lastUsedAt)).toBe(600_000);
});

it('the service ends a single session immediately on every node', async () => {
  const other = await login(user);
  const id = (await list(other)).data[0].id as string;
  expect(await isIn(other)).toBe(true);
  const revoke = (token: string) => first().call('delete', `${PATH}/${id}`, { token });
  expect((await revoke(user.accessToken)).status).toBe(204);
  expect([await isIn(user), await isIn(other)]).toEqual([true, false]);
  expect((await revoke(user.accessToken)).body).toMatchObject({ statusCode: 404, code: 'not_found' });
});

it('the audit trail records the end of each session, but does not contain the ids of sessions', async () => {
  const [first_, other] = [user, await login(user)];
  const ids = (await list(other)).data.map(({ id }: { id: string }) => id) as string[];
  const refresh = (refreshToken: string) => first().call('post', '/v1/auth/refresh', { body: { refreshToken } });
  expect((await refresh(first_.refreshToken)).status).toBe(200);
  const again = await Promise.all([1, 2, 3].map(() => refresh(first_.refreshToken)));
  expect(again.map(({ status }) => status)).toEqual([401, 401, 401]);
  for (const _ of [1, 2]) await first().call('post', '/v1/auth/logout', { body: { refreshToken: other.refreshToken } });
  const events: { action: string; target_id: string; actor_kind: string }[] = await first()
    .app.get(DataSource)
    .query(`SELECT action, target_id, actor_kind FROM audit_event WHERE account_id = $1 AND target_kind = 'session'`, [
      user.accountId,
    ]);
  const ended = events.filter(({ action }) => action === 'session.revoked');
  expect(ended.map(({ actor_kind }) => actor_kind).sort()).toEqual(['system', 'user']);
  const opened = events.filter(({ action }) => action === 'session.opened').map(({ target_id }) => target_id);
  expect(ended.map(({ target_id }) => target_id).sort()).toEqual(opened.sort());
  for (const id of ids) expect(JSON.stringify(events)).not.toContain(id);
});

it('404 not_found with the same body for another user’s session and for an unknown session', async () => {
  const stranger = await first().register();
  const id = (await list(stranger)).data[0].id as string;
  const responses = [];
  for (const name of [id, 'ses_none']) {
    const { status, body } = await first().call('delete', `${PATH}/${name}`, { token: user.accessToken });
    responses.push({ status, ...body, message: body.message.replace(name, '…') });
  }
  expect(responses[0]).toEqual(responses[1]);
  expect(await isIn(stranger)).toBe(true);
});

it('a user ends all other sessions; if two sessions do this simultaneously, at most one of them stays open', async () => {
  const others = [await login(user), await login(user)];
  const end = ({ accessToken: token }: Registered) => first().call('delete', PATH, { token });
  expect((await end(user)).status).toBe(204);
  expect([await isIn(user), ...(await Promise.all(others.map(isIn)))]).toEqual([true, false, false]);
  const another = await login(user);
  await Promise.all([end(user), end(another)]);
  expect([await isIn(user), await isIn(another)].filter(Boolean).length).toBeLessThanOrEqual(1);
});
