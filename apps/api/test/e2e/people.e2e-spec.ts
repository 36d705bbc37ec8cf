import { randomUUID } from 'node:crypto';
import { jobsIdle, repeatWhileBusy, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { mailedCodes, outboxMails } from '../support/mailed-codes.js';
import { RunningService, type Account, type ApiResponse, type Request } from '../support/running-service.js';

/* Two nodes of one installation. */
let first: RunningService;
let second: RunningService;
let admin: Account;
let mailedCode: (email: string) => Promise<string>;

beforeAll(async () => {
  first = await RunningService.start();
  second = await RunningService.start({}, first);
  admin = await first.register();
  const mailed = mailedCodes(first.dataDir);
  mailedCode = (email) => mailed('invites', email);
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const password = 'correct horse battery staple';
const anEmail = () => `${randomUUID()}@example.com`;
const alternating = (index: number) => (index % 2 === 0 ? first : second);
const rejection = ({ status, body }: ApiResponse) => `${status} ${body?.code}`;
const invite = (body: object, owner = admin) => owner.post('/v1/account/invite', body);
const call = (method: string, path: string, request: Request = {}, node = second) =>
  node.request(method, path, request);
const accept = (code: string, body: object = { name: 'Grace', password }, token?: string, node = second) =>
  call('POST', `/v1/account/invites/${code}/accept`, { body, token }, node);
const me = async (token: string) => (await call('GET', '/v1/auth/me', { token })).body;
const actions = async (owner: Account) => {
  const rows = await first.app
    .get(DataSource)
    .query<{ said: string }[]>(
      `SELECT concat_ws(' ', action, target_kind, actor_kind) AS said FROM audit_event WHERE account_id = $1 ORDER BY at, id`,
      [owner.id],
    );
  return rows.map(({ said }) => said);
};

/** Adds a new person to an account. @returns the person's address, uid and access token for the account */
async function newMember(owner: Account, isAdmin = false) {
  const email = anEmail();
  await invite({ email, isAdmin }, owner);
  const { accessToken: token } = (await accept(await mailedCode(email))).body;
  return { email, token, uid: (await me(token)).uid as string };
}

describe('GET and PATCH /v1/account', () => {
  it('200 with every property of the account, and invitations only for users who may invite', async () => {
    const owner = await first.register();
    const sent = await invite({ email: anEmail() }, owner);
    expect(sent.status).toBe(201);
    await owner.issue('offer');
    const { status, body, headers } = await owner.get('/v1/account');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      id: owner.id,
      name: 'Analytical Engines',
      test: false,
      members: [{ uid: expect.stringMatching(/^usr_/), user: { name: 'Ada', email: owner.email, isAdmin: true } }],
      usage: { passCreations: 1, activePasses: 1 },
      storage: { imageBytes: expect.any(Number), maxImageBytes: 5 * 1024 ** 3 },
      invites: [sent.body],
      billing: { enterpriseConfig: {} },
    });

    const member = await newMember(owner);
    const keys = [await owner.apiKey('account:read'), await owner.apiKey('account:read', 'account:write')];
    const seenBy = async (token: string) => (await call('GET', '/v1/account', { token })).body.invites.length;
    expect([await seenBy(member.token), ...(await Promise.all(keys.map(seenBy)))]).toEqual([0, 0, 1]);
  });

  it('200 for a change of the sent properties; null clears the industry', async () => {
    const owner = await first.register();
    const changed = await owner.patch('/v1/account', { name: 'Difference Engines', industry: 'Computing' });
    expect(changed.body).toMatchObject({ name: 'Difference Engines', industry: 'Computing' });
    expect((await owner.patch('/v1/account', {})).body).toEqual(changed.body);
    const cleared = await owner.patch('/v1/account', { industry: null });
    expect([cleared.body.name, 'industry' in cleared.body]).toEqual(['Difference Engines', false]);
    expect((await owner.get('/v1/account')).body).toEqual(cleared.body);
    expect((await actions(owner)).filter((said) => said.startsWith('account.changed'))).toHaveLength(2);
  });
});

describe('the tag of an account', () => {
  it('new usage changes the tag of an account, but writes with the older tag still succeed', async () => {
    const owner = await first.register();
    const read = async (etag = '') =>
      call('GET', '/v1/account', { token: owner.token, headers: { 'If-None-Match': etag } });
    const tag = (await read()).headers.get('etag') ?? '';
    expect((await read(tag)).status).toBe(304);
    await owner.issue('offer');
    expect((await read(tag)).body.usage.passCreations).toBe(1);
    const patch = (industry: string, etag: string) => owner.patch('/v1/account', { industry }, { 'If-Match': etag });
    const changed = await patch('Computing', tag);
    expect(changed.status).toBe(200);
    expect(rejection(await patch('Weaving', tag))).toBe('412 precondition_failed');
    expect((await patch('Weaving', `W/${changed.headers.get('etag')}`)).status).toBe(200);
    expect((await patch('Spinning', '*')).status).toBe(200);
  });
});

describe('an invitation', () => {
  it('an invitation is mailed with a link, and creates a user who is signed in', async () => {
    const email = anEmail();
    const { status, body, headers } = await invite({ email, isAdmin: true });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(body).toEqual({
      code: expect.any(String),
      expiry: expect.any(String),
      ref: expect.any(String),
      email,
      isAdmin: true,
    });
    await jobsIdle((await testDatabase()).url, { tasks: ['invite.sent'] });
    const mail = outboxMails(first.dataDir).find((text) => text.includes(`To: ${email}`)) ?? '';
    expect(mail).toContain(`http://localhost:3000/invites/${body.ref}`);

    const shown = await call('GET', `/v1/account/invites/${body.code}`);
    expect(shown.body).toEqual({
      accountName: 'Analytical Engines',
      email,
      isAdmin: true,
      invitedBy: 'Ada',
      expiry: body.expiry,
    });
    const code = await mailedCode(email);
    const accepted = await accept(code, { name: 'Grace Hopper', password });
    expect([accepted.status, accepted.body.accountId]).toEqual([200, admin.id]);
    expect(await me(accepted.body.accessToken)).toMatchObject({
      name: 'Grace Hopper',
      email,
      accountId: admin.id,
      accounts: [{ id: admin.id, name: 'Analytical Engines', isAdmin: true }],
    });
    const login = await call('POST', '/v1/auth/login', { body: { email: email.toUpperCase(), password } });
    expect(login.status).toBe(200);
    expect(rejection(await accept(code))).toBe('410 invite_expired');
    expect((await admin.get('/v1/account/invites?limit=100')).bytes.toString()).not.toContain(body.ref);
  });

  it('only the user with the invited address can accept the invitation', async () => {
    const [user, other] = [await first.register(), await first.register()];
    const { body } = await invite({ email: user.email.toUpperCase() });
    const withBody = await accept(body.code, { name: 'Grace', password }, user.token);
    const responses = [
      await accept(await mailedCode(user.email.split('@', 1).join().toUpperCase())),
      await accept(body.code),
      await accept(body.code, {}, other.token),
      await accept(body.code, {}, await user.apiKey()),
      await accept(body.code, {}, `${user.token}x`),
      withBody,
    ];
    expect(responses.map(rejection)).toEqual([
      '409 email_taken',
      '403 forbidden',
      '403 forbidden',
      '403 forbidden',
      '401 unauthorized',
      '400 validation_failed',
    ]);
    const accepted = await call('POST', `/v1/account/invites/${body.code}/accept`, { token: user.token });
    expect(accepted.body.accountId).toBe(admin.id);
    const { accounts } = await me(accepted.body.accessToken);
    expect(accounts.map(({ id }: { id: string }) => id)).toEqual([user.id, admin.id]);
    expect((await user.get('/v1/templates')).status).toBe(200);
  });

  it("409 email_taken for inviting a member; an earlier invitation does not change a member's role", async () => {
    const user = await first.register();
    const owner = await first.register();
    await invite({ email: user.email, isAdmin: true });
    await accept(await mailedCode(user.email), {}, user.token);
    expect(rejection(await invite({ email: user.email.toUpperCase() }))).toBe('409 email_taken');
    const foreign = await invite({ email: user.email }, owner);
    await first.app.get(DataSource).query(
      `INSERT INTO account_member (account_id, uid, is_admin, created_at)
       SELECT $1, uid, true, now() FROM app_user WHERE email = $2`,
      [owner.id, await first.storedEmail(user.email)],
    );
    const accepted = await accept(foreign.body.code, {}, user.token);
    expect((await me(accepted.body.accessToken)).accounts).toContainEqual(
      expect.objectContaining({ id: owner.id, isAdmin: true }),
    );
    expect(rejection(await accept(foreign.body.code, {}, user.token))).toBe('410 invite_expired');
  });

  it('404 for withdrawing an invitation of another account; 410 for accepting a withdrawn invitation', async () => {
    const [{ body: one }, { body: two }] = [await invite({ email: anEmail() }), await invite({ email: anEmail() })];
    const stranger = await first.register();
    const foreign = await stranger.delete(`/v1/account/invites/${one.code}`);
    const missing = await stranger.delete(`/v1/account/invites/${'A'.repeat(44)}`);
    expect([rejection(foreign), foreign.body]).toEqual(['404 invite_not_found', missing.body]);
    expect((await admin.delete(`/v1/account/invites/${one.code}`)).status).toBe(204);
    expect((await admin.delete(`/v1/account/invites/${two.ref}`)).status).toBe(204);
    for (const { code } of [one, two]) expect(rejection(await accept(code))).toBe('410 invite_expired');
    expect(rejection(await accept(one.ref))).toBe('404 invite_not_found');
  });

  it('the list of invitations shows each open invitation once, newest first, over all pages', async () => {
    const owner = await first.register();
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push((await invite({ email: anEmail() }, owner)).body.ref);
    const page = await owner.get('/v1/account/invites?limit=3');
    const rest = await owner.get(`/v1/account/invites?limit=3&cursor=${page.body.nextCursor}`);
    const refs = [...page.body.data, ...rest.body.data].map(({ ref }: { ref: string }) => ref);
    expect([refs, rest.body.nextCursor]).toEqual([made.reverse(), null]);
  });
});

describe('roles', () => {
  it('a changed role applies to the next request on every node, and is in the audit trail', async () => {
    const owner = await first.register();
    const { uid, token } = await newMember(owner);
    const mayInvite = async (node: RunningService) =>
      (await node.request('GET', '/v1/account/invites', { token })).status;
    const path = `/v1/account/members/${uid}`;
    expect(await mayInvite(second)).toBe(403);
    const changed = await owner.patch(path, { isAdmin: true });
    expect(changed.body).toMatchObject({ uid, user: { name: 'Grace', isAdmin: true } });
    expect(await mayInvite(second)).toBe(200);
    await owner.patch(path, { isAdmin: false });
    expect(await mayInvite(second)).toBe(403);
    expect(await actions(owner)).toEqual(
      expect.arrayContaining(['invite.sent invite user', 'invite.accepted invite user', 'user.role_changed user user']),
    );
  });

  it('403 forbidden when a user who is not an admin removes another user; 204 when the user leaves', async () => {
    const owner = await first.register();
    const [one, other] = [await newMember(owner), await newMember(owner)];
    const remove = (uid: string, token: string) => call('DELETE', `/v1/account/members/${uid}`, { token });
    expect(rejection(await remove(other.uid, one.token))).toBe('403 forbidden');
    expect(rejection(await remove(other.uid, await owner.apiKey('account:read')))).toBe('403 forbidden');
    expect((await remove(one.uid, one.token)).status).toBe(204);
    expect(rejection(await call('GET', '/v1/account', { token: one.token }, first))).toBe('401 unauthorized');
    expect((await remove(other.uid, await owner.apiKey('account:read', 'account:write'))).status).toBe(204);
  });

  it('404 not_found for a user of another account, as for an unknown one', async () => {
    const [stranger, { uid }] = [await first.register(), await me(admin.token)];
    const same = ({ status, body }: ApiResponse) => [status, body.code, body.message.replace(/"usr_\w+"/, '')];
    for (const send of [stranger.delete.bind(stranger), (path: string) => stranger.patch(path, { isAdmin: false })]) {
      const foreign = await send(`/v1/account/members/${uid}`);
      expect(same(foreign)).toEqual(same(await send('/v1/account/members/usr_none')));
      expect(rejection(foreign)).toBe('404 not_found');
    }
  });
});

describe('one user', () => {
  it('one user has several accounts, and has the same name in each', async () => {
    const user = await first.register();
    const founded = await user.post('/v1/auth/accounts', { name: 'Second' });
    expect([founded.status, founded.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const there = founded.body.accessToken;
    expect((await call('GET', '/v1/account', { token: there })).body).toMatchObject({
      name: 'Second',
      usage: { passCreations: 0 },
    });
    const renamed = await user.patch('/v1/auth/me', { name: 'Ada King' });
    expect(renamed.body).toEqual({ ...(await me(there)), accountId: user.id });
    expect(renamed.body.accounts).toEqual([
      { id: user.id, name: 'Analytical Engines', isAdmin: true, test: false },
      { id: founded.body.accountId, name: 'Second', isAdmin: true, test: false },
    ]);
    const switched = await call('POST', '/v1/auth/switch', { token: there, body: { accountId: user.id } });
    expect((await me(switched.body.accessToken)).accountId).toBe(user.id);
  });

  it('304 for an unchanged user; 412 precondition_failed for a change with an old tag', async () => {
    const user = await first.register();
    const etag = (await user.get('/v1/auth/me')).headers.get('etag') ?? '';
    const headers = { 'If-None-Match': etag };
    expect((await call('GET', '/v1/auth/me', { token: user.token, headers })).status).toBe(304);
    const patch = (name: string) => user.patch('/v1/auth/me', { name }, { 'If-Match': etag });
    const changed = await patch('Ada King');
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    expect(rejection(await patch('Eve'))).toBe('412 precondition_failed');
    expect((await call('GET', '/v1/auth/me', { token: user.token, headers })).body.name).toBe('Ada King');
    await user.post('/v1/auth/accounts', { name: 'Second' });
    expect((await user.get('/v1/auth/me')).headers.get('etag')).not.toBe(changed.headers.get('etag'));
  });

  it('403 forbidden for creating an account while registration is closed; invitations still work', async () => {
    const closed = await RunningService.start({ REGISTRATION: 'closed' }, first);
    const user = await first.register();
    const response = await call('POST', '/v1/auth/accounts', { token: user.token, body: { name: 'X' } }, closed);
    const { body } = await invite({ email: anEmail() });
    const accepted = await accept(body.code, undefined, undefined, closed);
    await closed.stop();
    expect([rejection(response), accepted.status]).toEqual(['403 forbidden', 200]);
  });
});

describe('fifty simultaneous requests on two nodes', () => {
  const fifty = (act: (node: RunningService, index: number) => Promise<ApiResponse>) =>
    Promise.all(Array.from({ length: 50 }, (_, index) => repeatWhileBusy(() => act(alternating(index), index))));
  const count = (responses: ApiResponse[]) => {
    const counts: Record<string, number> = {};
    for (const response of responses) {
      const key = response.status < 300 ? String(response.status) : rejection(response);
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  };

  it('only one of fifty simultaneous requests accepts an invitation', async () => {
    const user = await first.register();
    for (let round = 0; round < 3; round++) {
      const { body } = await invite({ email: user.email }, await first.register());
      const responses = await fifty((node) => accept(body.code, {}, user.token, node));
      expect(count(responses)).toEqual({ 200: 1, '410 invite_expired': 49 });
    }
    expect((await me(user.token)).accounts).toHaveLength(4);
  });

  it('only one of fifty new users accepts an invitation, and one user is created', async () => {
    const email = anEmail();
    const { body } = await invite({ email });
    const responses = await fifty((node, index) =>
      accept(body.code, { name: `Grace ${index}`, password }, undefined, node),
    );
    const { 200: accepted, ...others } = count(responses);
    expect(accepted).toBe(1);
    // A late request learns that the invitation is used, or must send the mailed code.
    const expected = ['410 invite_expired', '403 forbidden', '409 email_taken'];
    expect(Object.keys(others).filter((key) => !expected.includes(key))).toEqual([]);
    const { body: read } = await admin.get('/v1/account');
    expect(read.members.filter(({ user }: { user: { email: string } }) => user.email === email)).toHaveLength(1);
  });

  it('only one of fifty invitations to an address stays open, and only its code works', async () => {
    const [owner, email] = [await first.register(), anEmail()];
    const sent = await fifty((node) =>
      node.request('POST', '/v1/account/invite', { token: owner.token, body: { email } }),
    );
    expect(count(sent)).toEqual({ 201: 50 });
    const { invites } = (await owner.get('/v1/account')).body;
    expect(invites).toHaveLength(1);
    const accepted = await fifty((node, index) => accept(sent[index]?.body.code, undefined, undefined, node));
    expect(accepted.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = accepted.findIndex(({ status }) => status === 200);
    expect(sent[winner]?.body.code).toBe(invites[0].code);
  });

  it('an invitation that is accepted and replaced simultaneously has only one of these outcomes', async () => {
    const [owner, email] = [await first.register(), anEmail()];
    const { body } = await invite({ email }, owner);
    const responses = await fifty((node, index) =>
      index % 2 === 0
        ? accept(body.code, undefined, undefined, node)
        : node.request('POST', '/v1/account/invite', { token: owner.token, body: { email } }),
    );
    const accepted = responses.filter(({ status }) => status === 200).length;
    const { members, invites } = (await owner.get('/v1/account')).body;
    expect([members.length, accepted]).toEqual([1 + accepted, accepted]);
    expect(accepted + invites.length).toBe(1);
  });

  it('one admin remains when all admins simultaneously remove or demote each other, or leave', async () => {
    for (let round = 0; round < 3; round++) {
      const owner = await first.register();
      const admins = [{ uid: (await me(owner.token)).uid, token: owner.token }];
      for (let n = 1; n < 10; n++) admins.push(await newMember(owner, true));
      const responses = await fifty((node, index) => {
        const actor = admins[index % 10] as { uid: string; token: string };
        const other = admins[(index + 1 + Math.floor(index / 10) * 2) % 10] as { uid: string };
        const target = index < 10 ? actor.uid : other.uid;
        const method = index % 3 === 0 ? 'PATCH' : 'DELETE';
        const body = method === 'PATCH' ? { isAdmin: false } : undefined;
        return node.request(method, `/v1/account/members/${target}`, { token: actor.token, body });
      });
      const allowed = ['200', '204', '401 unauthorized', '403 forbidden', '404 not_found', '409 invalid_transition'];
      expect(Object.keys(count(responses)).filter((key) => !allowed.includes(key))).toEqual([]);
      const [row] = await first.app
        .get(DataSource)
        .query('SELECT count(*)::int AS admins FROM account_member WHERE account_id = $1 AND is_admin', [owner.id]);
      expect(row.admins).toBeGreaterThanOrEqual(1);
    }
  });

  it('one of two admins remains when each removes the other', async () => {
    for (let round = 0; round < 5; round++) {
      const owner = await first.register();
      const one = { uid: (await me(owner.token)).uid as string, token: owner.token };
      const other = await newMember(owner, true);
      const responses = await fifty((node, index) => {
        const [actor, target] = index % 4 < 2 ? [one, other] : [other, one];
        return node.request('DELETE', `/v1/account/members/${target.uid}`, { token: actor.token });
      });
      expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
      const left = await Promise.all([one, other].map(({ token }) => call('GET', '/v1/account', { token })));
      expect(left.map(({ status }) => status).sort()).toEqual([200, 401]);
      const survivor = left.find(({ status }) => status === 200);
      expect(survivor?.body.members).toMatchObject([{ user: { isAdmin: true } }]);
    }
  });
});

it('429 rate_limited when the accounts of one founder together exceed the limit', async () => {
  const limited = await RunningService.start({ RATE_LIMIT_PER_MINUTE: '4' }, first);
  const founder = await first.register();
  const { body: other } = await founder.post('/v1/auth/accounts', { name: 'Other' });
  const read = (token: string) => call('GET', '/v1/account', { token }, limited);
  const responses = [];
  for (const token of [founder.token, other.accessToken, founder.token, other.accessToken, founder.token]) {
    responses.push(rejection(await read(token)));
  }
  expect(responses).toEqual([...Array<string>(4).fill('200 undefined'), '429 rate_limited']);
  expect((await read(admin.token)).status).toBe(200);
  await limited.stop();
});
