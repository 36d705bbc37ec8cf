import { randomUUID } from 'node:crypto';
import { Clock } from '@passwright/core';
import { DataSource } from 'typeorm';
import { walk } from '../support/page-walk.js';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';

let service: RunningService;
let account: Account;

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
});
afterAll(() => service.stop());

const post = (path: string, body: object, token?: string) => service.request('POST', path, { body, token });
const login = (body: object) => post('/v1/auth/login', body);
const refresh = (refreshToken: string) => post('/v1/auth/refresh', { refreshToken });
const list = (token: string) => service.request('GET', '/v1/templates', { token });
const rejection = ({ status, body }: ApiResponse) => ({ status, code: body?.code });
const isTokens = {
  accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  refreshToken: expect.any(String),
  tokenType: 'Bearer',
  expiresIn: 900,
  accountId: expect.stringMatching(/^acc_/),
};

/** Makes the user of one account a member of another one, as an invitation does. */
async function join({ email }: Account, { id }: Account, isAdmin: boolean): Promise<void> {
  await service.app.get(DataSource).query(
    `INSERT INTO account_member (account_id, uid, is_admin, created_at)
     SELECT $1, uid, $2, now() + interval '1 minute' FROM app_user WHERE email = $3`,
    [id, isAdmin, await service.storedEmail(email)],
  );
}

describe('POST /v1/auth/register', () => {
  it('201 for a registration, with working tokens that no cache stores', async () => {
    const body = { email: `${randomUUID()}@example.com`, password: 'correct horse', name: 'Ada', accountName: 'AE' };
    const response = await post('/v1/auth/register', body);
    expect([response.status, response.body]).toEqual([201, isTokens]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await list(response.body.accessToken)).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('409 email_taken for a registered e-mail, in upper or lower case', async () => {
    const body = { email: account.email.toUpperCase(), password: 'correct horse', name: 'Ada', accountName: 'AE' };
    expect(rejection(await post('/v1/auth/register', body))).toEqual({ status: 409, code: 'email_taken' });
  });

  it('201 for only one of two simultaneous registrations with the same e-mail', async () => {
    const body = { email: `${randomUUID()}@example.com`, password: 'correct horse', name: 'Ada', accountName: 'AE' };
    const responses = await Promise.all([1, 2, 3].map(() => post('/v1/auth/register', body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe('POST /v1/auth/login', () => {
  it('200 with tokens for a login with the e-mail in upper or lower case', async () => {
    const { status, body } = await login({ email: account.email.toUpperCase(), password: account.password });
    expect([status, body]).toEqual([200, { ...isTokens, accountId: account.id }]);
  });

  it('401 unauthorized for a wrong password, an unknown e-mail and a user without an account, all alike', async () => {
    const { email, password } = await service.register();
    const wrong = await login({ email, password: 'wrong' });
    const unknown = await login({ email: `${randomUUID()}@example.com`, password });
    const foreign = await login({ email, password, accountId: account.id });
    expect(rejection(wrong)).toEqual({ status: 401, code: 'unauthorized' });
    expect([unknown.body, foreign.body]).toEqual([wrong.body, wrong.body]);
  });

  it('429 rate_limited with Retry-After after ten failed logins of one e-mail, even for the right password', async () => {
    const { email, password } = await service.register();
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await login({ email, password: 'wrong' })).toMatchObject({ status: 401 });
    }
    const response = await login({ email, password });
    expect(rejection(response)).toEqual({ status: 429, code: 'rate_limited' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('POST /v1/auth/refresh', () => {
  it('a refresh token gets 200 once, and a second use ends the session', async () => {
    const user = await service.register();
    const next = await refresh(user.refreshToken);
    expect([next.status, next.body]).toEqual([200, isTokens]);
    expect(await list(next.body.accessToken)).toMatchObject({ status: 200 });

    expect(rejection(await refresh(user.refreshToken))).toEqual({ status: 401, code: 'unauthorized' });
    expect(rejection(await refresh(next.body.refreshToken))).toEqual({ status: 401, code: 'unauthorized' });
    expect(rejection(await list(next.body.accessToken))).toEqual({ status: 401, code: 'unauthorized' });
  });
});

describe('POST /v1/auth/logout', () => {
  it('204 for a logout, which ends the session immediately, and for a repeated logout', async () => {
    const user = await service.register();
    const logout = () => post('/v1/auth/logout', { refreshToken: user.refreshToken });
    expect(await logout()).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
    expect(rejection(await list(user.token))).toEqual({ status: 401, code: 'unauthorized' });
    expect(rejection(await refresh(user.refreshToken))).toEqual({ status: 401, code: 'unauthorized' });
    expect(await logout()).toMatchObject({ status: 204 });
  });

  it("a logout does not end the user's other sessions", async () => {
    const user = await service.register();
    const other = await login({ email: user.email, password: user.password });
    await post('/v1/auth/logout', { refreshToken: other.body.refreshToken });
    expect(await list(user.token)).toMatchObject({ status: 200 });
  });
});

describe('POST /v1/auth/switch', () => {
  it('200 for a switch to another account of the user; 403 forbidden for any other account', async () => {
    const user = await service.register();
    await join(user, account, false);
    const switched = await post('/v1/auth/switch', { accountId: account.id }, user.token);
    expect([switched.status, switched.body]).toEqual([200, { ...isTokens, accountId: account.id }]);

    const foreign = await post('/v1/auth/switch', { accountId: (await service.register()).id }, user.token);
    const missing = await post('/v1/auth/switch', { accountId: 'acc_none' }, user.token);
    expect([rejection(foreign), rejection(missing)]).toEqual(new Array(2).fill({ status: 403, code: 'forbidden' }));
    expect(foreign.body.message.replace(/"acc_\w+"/, '')).toBe(missing.body.message.replace(/"acc_\w+"/, ''));
  });
});

describe('a member who is not an admin', () => {
  it('403 forbidden when a member who is not an admin manages API keys; other requests succeed', async () => {
    const user = await service.register();
    await join(user, account, false);
    const { body } = await login({ email: user.email, password: user.password, accountId: account.id });
    const token = body.accessToken;
    expect(await list(token)).toMatchObject({ status: 200 });
    expect(rejection(await post('/v1/auth/keys', { name: 'x' }, token))).toEqual({ status: 403, code: 'forbidden' });
    expect(rejection(await service.request('GET', '/v1/auth/keys', { token }))).toMatchObject({ status: 403 });
  });

  it('a removed member is rejected from the next request on', async () => {
    const user = await service.register();
    await join(user, account, true);
    const { body } = await login({ email: user.email, password: user.password, accountId: account.id });
    expect(await list(body.accessToken)).toMatchObject({ status: 200 });
    await service.app
      .get(DataSource)
      .query('DELETE FROM account_member WHERE account_id = $1 AND uid = (SELECT uid FROM app_user WHERE email = $2)', [
        account.id,
        await service.storedEmail(user.email),
      ]);
    expect(rejection(await list(body.accessToken))).toEqual({ status: 401, code: 'unauthorized' });
  });
});

describe('API keys', () => {
  const newKey = (body: object = {}, token = account.token) =>
    post('/v1/auth/keys', { name: 'Web shop', ...body }, token);

  it('201 for a new API key with every scope except account:write', async () => {
    const { status, body, headers } = await newKey();
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        id: expect.stringMatching(/^\w{22}$/),
        key: expect.stringMatching(/^pw_live_\w{22}_\w{22}_\w{49}$/),
        name: 'Web shop',
        scopes: [
          'templates:read',
          'templates:write',
          'passes:read',
          'passes:write',
          'members:read',
          'members:write',
          'account:read',
        ],
      }),
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await list(body.key)).toMatchObject({ status: 200 });
    const listed = await account.get('/v1/auth/keys?limit=100');
    expect(listed.bytes.toString()).toContain(body.id);
    expect(listed.bytes.toString()).not.toContain(body.key.split('_')[3]);
  });

  it('403 forbidden for an API key without the required scope, which the message names', async () => {
    const { body } = await newKey({ scopes: ['templates:read'] });
    const rejected = await post('/v1/pass/offer', {}, body.key);
    expect(rejection(rejected)).toEqual({ status: 403, code: 'forbidden' });
    expect(rejected.body.message).toContain('passes:write');
    expect(rejection(await post('/v1/auth/switch', { accountId: account.id }, body.key))).toMatchObject({
      status: 403,
    });
  });

  it('403 forbidden for creating or rotating a key with a scope that the caller lacks', async () => {
    const manager = (await newKey({ scopes: ['account:write'] })).body.key;
    const strong = (await newKey({ scopes: ['passes:write'] })).body.id;
    expect(rejection(await newKey({ scopes: ['passes:write'] }, manager))).toEqual({ status: 403, code: 'forbidden' });
    expect(rejection(await post(`/v1/auth/keys/${strong}/rotate`, {}, manager))).toEqual({
      status: 403,
      code: 'forbidden',
    });
    expect(await newKey({ scopes: ['account:write'] }, manager)).toMatchObject({ status: 201 });
  });

  it('204 for revoking an API key; from then on, 401 for its requests and 404 key_not_found for its id', async () => {
    const { id, key } = (await newKey()).body;
    expect(await account.delete(`/v1/auth/keys/${id}`)).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
    expect(rejection(await list(key))).toEqual({ status: 401, code: 'unauthorized' });
    expect(rejection(await account.delete(`/v1/auth/keys/${id}`))).toEqual({ status: 404, code: 'key_not_found' });
  });

  it('200 for rotating an API key, which gives it a new secret and invalidates the old one immediately', async () => {
    const { id, key, name, scopes } = (await newKey()).body;
    const rotated = await account.post(`/v1/auth/keys/${id}/rotate`);
    expect([rotated.status, rotated.body]).toEqual([200, expect.objectContaining({ id, name, scopes })]);
    expect(rejection(await list(key))).toEqual({ status: 401, code: 'unauthorized' });
    expect(await list(rotated.body.key)).toMatchObject({ status: 200 });
  });

  it("404 key_not_found for another account's API key, as for an unknown one", async () => {
    const { id, key } = (await newKey()).body;
    const other = await service.register();
    const never = id.replace(/./g, 'x');
    const same = (response: ApiResponse) => ({
      ...rejection(response),
      message: response.body.message.replace(/\w{22}/, ''),
    });
    const revoked = [await other.delete(`/v1/auth/keys/${id}`), await other.delete(`/v1/auth/keys/${never}`)];
    const rotated = [await other.post(`/v1/auth/keys/${id}/rotate`), await other.post(`/v1/auth/keys/${never}/rotate`)];
    expect(revoked.map(rejection)).toEqual(new Array(2).fill({ status: 404, code: 'key_not_found' }));
    expect(new Set([...revoked, ...rotated].map((response) => JSON.stringify(same(response)))).size).toBe(1);
    expect(await list(key)).toMatchObject({ status: 200 });
  });

  it('401 unauthorized for a mistyped API key, an expired one, and another authorization scheme', async () => {
    const { key } = (await newKey({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })).body;
    const mistyped = key.replace(/.$/, (last: string) => (last === 'a' ? 'b' : 'a'));
    expect(rejection(await list(mistyped))).toEqual({ status: 401, code: 'unauthorized' });
    const basic = { Authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` };
    const response = await service.request('GET', '/v1/templates', { headers: basic });
    expect(rejection(response)).toEqual({ status: 401, code: 'unauthorized' });
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);

    expect(await list(key)).toMatchObject({ status: 200 });
    const clock = jest.spyOn(service.app.get(Clock), 'now').mockReturnValue(new Date(Date.now() + 3_600_001));
    expect(rejection(await list(key))).toEqual({ status: 401, code: 'unauthorized' });
    clock.mockRestore();
  });

  it('the list of API keys shows each key once, newest first, over all pages, even while keys are created', async () => {
    const other = await service.register();
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.push((await newKey({ name: `key ${i}` }, other.token)).body.id);
    const seen = await walk(other, '/v1/auth/keys?limit=3', () => newKey({}, other.token));
    expect(seen).toEqual(made.reverse());
  });
});
