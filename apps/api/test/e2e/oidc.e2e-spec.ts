import { DataSource } from 'typeorm';
import { IdentityProvider } from '../support/identity-provider.js';
import { outboxMails } from '../support/mailed-codes.js';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';
import { SignInBrowser } from '../support/sign-in-browser.js';

let provider: IdentityProvider;
let service: RunningService;
let other: RunningService;
let account: Account;
let browser: SignInBrowser;

beforeAll(async () => {
  provider = await IdentityProvider.start('http://localhost:3000', 'https://passes.example.com');
  // The nodes of an installation share a base URL. No request is sent to it here.
  const environment = provider.environmentFor('http://localhost:3000');
  service = await RunningService.start(environment);
  other = await RunningService.start(environment, service);
  account = await service.register();
  browser = new SignInBrowser(provider, service);
});
afterAll(async () => {
  await Promise.all([other.stop(), provider.stop()]);
  await service.stop();
});

const returnTo = 'https://app.example.com/signed-in';
const rejection = ({ status, body }: ApiResponse) => ({ status, code: body?.code });
const start: SignInBrowser['start'] = (...given) => browser.start(...given);
const come: SignInBrowser['come'] = (...given) => browser.come(...given);
const agree: SignInBrowser['agree'] = (...given) => browser.agree(...given);
const signIn: SignInBrowser['signIn'] = (...given) => browser.signIn(...given);
const redeem = (code: string, node = service) => node.request('POST', '/v1/auth/oidc/token', { body: { code } });
const fragmentOf = ({ headers }: ApiResponse) =>
  new URLSearchParams(new URL(headers.get('location') ?? '').hash.slice(1));
const query = <Row>(sql: string, values: unknown[]) => service.app.get(DataSource).query<Row[]>(sql, values);

describe('GET /v1/auth/oidc/start', () => {
  it('302 to the provider with PKCE, and an encrypted cookie for ten minutes that scripts cannot read', async () => {
    const { response, address, cookie } = await start({ returnTo });
    expect(response.status).toBe(302);
    const asked = new URL(address);
    expect(asked.origin).toBe(provider.issuer);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: 'passwright',
      response_type: 'code',
      redirect_uri: 'http://localhost:3000/v1/auth/oidc/callback',
      scope: 'openid email profile',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(cookie).toMatch(/^passwright-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    expect(Buffer.from(cookie, 'base64url').toString('latin1')).not.toContain(asked.searchParams.get('state'));
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('the cookie is limited to https and to this host if the service is behind https', async () => {
    const secure = await RunningService.start(provider.environmentFor('https://passes.example.com'), service);
    const { cookie } = await start({}, secure);
    await secure.stop();
    expect(cookie).toMatch(/^__Host-passwright-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('400 validation_failed for every return address that is not configured', async () => {
    const wrong = [
      `${returnTo}/`,
      `${returnTo}#x`,
      'http://app.example.com/signed-in',
      'https://app.example.com:444/signed-in',
      'https://app.example.com.evil.example/signed-in',
      'https://app.example.com@evil.example/signed-in',
      'https://user@app.example.com/signed-in',
      '//app.example.com/signed-in',
      'javascript:alert(1)',
    ];
    for (const address of wrong) {
      const { response, cookie } = await start({ returnTo: address });
      expect({ address, ...rejection(response), cookie }).toMatchObject({
        status: 400,
        code: 'validation_failed',
        cookie: '',
      });
    }
    expect((await start({ returnTo: `${returnTo}?attempt=7` })).response.status).toBe(302);
    const workbench = 'http://localhost:3000/workbench?attempt=7';
    expect((await start({ returnTo: workbench })).response.status).toBe(302);
  });

  it('503 not_ready while the provider does not respond, and 302 afterwards', async () => {
    // A new node, which does not know the provider yet.
    const fresh = await RunningService.start(provider.environmentFor('http://localhost:3000'), service);
    provider.isAway = true;
    const { response, cookie } = await start({}, fresh);
    provider.isAway = false;
    expect([rejection(response), cookie]).toEqual([{ status: 503, code: 'not_ready' }, '']);
    expect((await start({}, fresh)).response.status).toBe(302);
    await fresh.stop();
  });
});

describe('GET /v1/auth/oidc/callback', () => {
  it('200 with tokens for the user whose e-mail the provider has verified, in upper or lower case', async () => {
    provider.newPerson({ email: account.email.toUpperCase() });
    const response = await signIn();
    expect([response.status, response.body]).toEqual([
      200,
      expect.objectContaining({ tokenType: 'Bearer', accountId: account.id, expiresIn: 900 }),
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await service.request('GET', '/v1/templates', { token: response.body.accessToken })).toMatchObject({
      status: 200,
    });
  });

  it('200 with a page for a browser that began without returnTo, but without tokens or a session', async () => {
    const user = await service.register();
    provider.newPerson({ email: user.email });
    await signIn();
    const sessions = () => query('SELECT id FROM session WHERE account_id = $1', [user.id]);
    const before = await sessions();
    const { address, held } = await start();
    const headers = { Cookie: held, Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const response = await service.request('GET', await provider.visit(address), { headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const page = response.bytes.toString();
    expect(page).toContain('Your identity is confirmed');
    expect(page).toMatch(/<a class="button" href="[^"]*\/workbench">Sign in<\/a>/);
    expect(page).not.toMatch(/accessToken|eyJ/);
    expect(await sessions()).toEqual(before);
  });

  it("the service recognises a user by the provider's subject after the first sign-in", async () => {
    const user = await service.register();
    const { sub } = provider.newPerson({ email: user.email });
    await signIn();
    for (const changes of [
      { email: 'new@example.com' },
      { email: account.email, email_verified: false },
      { email: undefined },
    ]) {
      provider.newPerson({ sub, ...changes });
      expect((await signIn()).body).toMatchObject({ accountId: user.id });
    }
  });

  it('303 with a code to the page that began the sign-in; the code gets tokens once', async () => {
    provider.newPerson({ email: (await service.register()).email });
    const response = await signIn({ returnTo: `${returnTo}?attempt=7` });
    expect([response.status, response.bytes.length]).toEqual([303, 0]);
    expect(response.headers.get('location')).toMatch(
      /^https:\/\/app\.example\.com\/signed-in\?attempt=7#code=[\w-]{43}$/,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');

    const code = fragmentOf(response).get('code') ?? '';
    const responses = await Promise.all([redeem(code), redeem(code, other), redeem(code), redeem(code, other)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const { body, headers } = responses.find(({ status }) => status === 200) as ApiResponse;
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await service.request('GET', '/v1/templates', { token: body.accessToken })).toMatchObject({ status: 200 });
  });

  it('401 for a code that is older than a minute, of which the database has only the hash', async () => {
    const { email: given } = await service.register();
    provider.newPerson({ email: given });
    const email = await service.storedEmail(given);
    const code = fragmentOf(await signIn({ returnTo })).get('code') ?? '';
    const of = 'uid = (SELECT uid FROM app_user WHERE email = $1)';
    const [row] = await query<{ code_hash: Buffer; expires_at: Date; created_at: Date }>(
      `SELECT * FROM user_code WHERE ${of}`,
      [email],
    );
    expect(row?.code_hash.toString('base64url')).not.toBe(code);
    expect(Number(row?.expires_at) - Number(row?.created_at)).toBe(60_000);
    await query(`UPDATE user_code SET expires_at = now() - interval '1 second' WHERE ${of}`, [email]);
    expect(rejection(await redeem(code))).toEqual({ status: 401, code: 'unauthorized' });
  });

  it('a sign-in may begin on one node and end on another', async () => {
    provider.newPerson({ email: (await service.register()).email });
    expect(await signIn({}, [service, other])).toMatchObject({ status: 200 });
    const handed = await signIn({ returnTo }, [other, service]);
    expect(await redeem(fragmentOf(handed).get('code') ?? '', other)).toMatchObject({ status: 200 });
  });

  it("a sign-in uses the requested account if the user belongs to it, or else the user's oldest account", async () => {
    const user = await service.register();
    provider.newPerson({ email: user.email });
    expect((await signIn({ accountId: account.id })).body.accountId).toBe(user.id);
    await query(
      `INSERT INTO account_member (account_id, uid, is_admin, created_at)
       SELECT $1, uid, false, now() + interval '1 minute' FROM app_user WHERE email = $2`,
      [account.id, await service.storedEmail(user.email)],
    );
    expect((await signIn({ accountId: account.id })).body.accountId).toBe(account.id);
    expect((await signIn()).body.accountId).toBe(user.id);
  });

  it('the first sign-in records the link in the audit trail once, even if two run simultaneously', async () => {
    const { email, id } = await service.register();
    provider.newPerson({ email });
    const responses = await Promise.all([signIn(), signIn({}, [other, other])]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const events = await query<object>(
      `SELECT e.actor_kind, e.actor_id = u.uid AS own, e.target_id = u.uid AS self, e.after
       FROM audit_event e, app_user u WHERE e.account_id = $1 AND e.action = 'user.identity_linked' AND u.email = $2`,
      [id, await service.storedEmail(email)],
    );
    expect(events).toEqual([{ actor_kind: 'user', own: true, self: true, after: { issuer: provider.issuer } }]);
  });

  it("the verified owner's first sign-in removes the password and the sessions of an unverified user", async () => {
    const squatter = await service.register();
    provider.newPerson({ email: squatter.email });
    expect((await signIn()).body.accountId).toBe(squatter.id);
    const { email, password, token } = squatter;
    expect(await service.request('POST', '/v1/auth/login', { body: { email, password } })).toMatchObject({
      status: 401,
    });
    expect(await service.request('GET', '/v1/templates', { token })).toMatchObject({ status: 401 });
    const events = await query<{ action: string }>(
      `SELECT action FROM audit_event WHERE account_id = $1 AND action ~ '^(password|user)' ORDER BY at, id`,
      [squatter.id],
    );
    expect(events.map(({ action }) => action)).toEqual(['password.removed', 'user.identity_linked']);
    const notice = `SELECT FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
      JOIN app_user u ON u.uid = j.payload->>'uid' WHERE t.identifier = 'identity.linked' AND u.email = $1`;
    const reported = outboxMails(service.dataDir).some((text) => text.includes(`To: ${email}`));
    expect(reported || (await query(notice, [await service.storedEmail(email)])).length > 0).toBe(true);
  });

  it("the verified owner's sign-in replaces a link that a stranger made", async () => {
    const user = await service.register();
    const owner = provider.newPerson({ email: user.email });
    const email = await service.storedEmail(user.email);
    const uid = '(SELECT uid FROM app_user WHERE email = $1)';
    await query(
      `INSERT INTO user_identity (issuer, subject, uid, created_at) SELECT 'x', 'eve', uid, now() FROM app_user
      WHERE email = $1`,
      [email],
    );
    expect((await signIn()).status).toBe(200);
    const linked = await query<{ issuer: string; subject: string }>(
      `SELECT issuer, subject FROM user_identity WHERE uid = ${uid}`,
      [email],
    );
    expect(linked).toEqual([{ issuer: provider.issuer, subject: expect.not.stringContaining(owner.sub ?? '') }]);
  });

  it('a password reset invalidates the codes and links of simultaneous sign-ins', async () => {
    const user = await service.register();
    provider.newPerson({ email: user.email });
    expect((await signIn()).status).toBe(200);
    const email = await service.storedEmail(user.email);
    const code = fragmentOf(await signIn({ returnTo })).get('code') ?? '';
    const { address, held } = await start();
    const back = await provider.visit(address);
    let responses: Promise<ApiResponse[]> | undefined;
    await service.app.get(DataSource).transaction(async (tx) => {
      const [{ uid }] = await tx.query('SELECT uid FROM app_user WHERE email = $1 FOR NO KEY UPDATE', [email]);
      for (const table of ['user_code', 'session', 'user_identity']) {
        await tx.query(`DELETE FROM ${table} WHERE uid = $1`, [uid]);
      }
      responses = Promise.all([come(back, held), redeem(code)]);
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await query(waits, [])).length < 2);
    });
    expect((await responses)?.map(({ status }) => status)).toEqual([401, 401]);
    const sessions = 'SELECT FROM session WHERE uid = (SELECT uid FROM app_user WHERE email = $1)';
    expect(await query(sessions, [email])).toEqual([]);
    // The next sign-in links the provider's identity again.
    expect((await signIn()).status).toBe(200);
  });
});

describe('rejected sign-ins', () => {
  const expectRejected = (response: ApiResponse, status: number, code: string) => {
    expect(rejection(response)).toEqual({ status, code });
    expect(response.bytes.toString()).not.toContain('accessToken');
  };

  it('403 forbidden with an unverified e-mail, even for an existing user', async () => {
    for (const email_verified of [false, undefined]) {
      const { email } = await service.register();
      provider.newPerson({ email, email_verified });
      expectRejected(await signIn(), 403, 'forbidden');
      const linked = 'SELECT FROM user_identity JOIN app_user USING (uid) WHERE email = $1';
      expect(await query(linked, [await service.storedEmail(email)])).toEqual([]);
    }
  });

  it('403 forbidden for people without an invitation, and for users without an account', async () => {
    provider.newPerson();
    expectRejected(await signIn(), 403, 'forbidden');

    const { email } = await service.register();
    provider.newPerson({ email });
    await signIn();
    await query('DELETE FROM account_member WHERE uid = (SELECT uid FROM app_user WHERE email = $1)', [
      await service.storedEmail(email),
    ]);
    expectRejected(await signIn(), 403, 'forbidden');
  });

  it('a rejected sign-in returns to the page that began it, with the reason in the fragment', async () => {
    provider.newPerson();
    const response = await signIn({ returnTo });
    expect(response.headers.get('location')).toContain(`${returnTo}#`);
    expect(Object.fromEntries(fragmentOf(response))).toEqual({
      error: 'forbidden',
      message: expect.stringContaining('invite'),
    });
  });

  it("401 unauthorized with the provider's explanation if the person declines the sign-in", async () => {
    provider.person = null;
    const response = await signIn();
    expectRejected(response, 401, 'unauthorized');
    expect(response.body.message).toContain('access_denied');
  });

  it('401 unauthorized for a missing, changed or foreign cookie, and for a missing state', async () => {
    provider.newPerson({ email: account.email });
    const [one, another] = [await start(), await start()];
    const back = await provider.visit(one.address);
    const changed = one.held.replace(/.(.{20})$/, (_, end: string) => `${one.held.at(-21) === 'A' ? 'B' : 'A'}${end}`);
    for (const cookie of [another.held, '', changed, 'passwright-sign-in=', 'passwright-sign-in=x']) {
      expectRejected(await come(back, cookie), 401, 'unauthorized');
    }
    const stateless = new URL(back);
    stateless.searchParams.delete('state');
    expectRejected(await come(stateless.href, one.held), 401, 'unauthorized');
    expect(await come(back, one.held)).toMatchObject({ status: 200 });
  });

  it('401 unauthorized for a used code, a code of another sign-in, and an invalid code', async () => {
    provider.newPerson({ email: account.email });
    const [one, another] = [await start(), await start()];
    const back = await provider.visit(one.address);
    // The verifier of one sign-in does not fit the code of another.
    const stolen = new URL(await provider.visit(another.address));
    stolen.searchParams.set('state', new URL(back).searchParams.get('state') ?? '');
    expectRejected(await come(stolen.href, one.held), 401, 'unauthorized');

    expect(await come(back, one.held)).toMatchObject({ status: 200 });
    expectRejected(await come(back, one.held), 401, 'unauthorized');
    const madeUp = new URL(back);
    madeUp.searchParams.set('code', 'x');
    expectRejected(await come(madeUp.href, one.held), 401, 'unauthorized');
  });

  it('503 not_ready if the provider becomes unavailable during a sign-in; the code stays valid', async () => {
    provider.newPerson({ email: account.email });
    const { address, held } = await start();
    const back = await provider.visit(address);
    provider.isAway = true;
    expectRejected(await come(back, held), 503, 'not_ready');
    provider.isAway = false;
    expect(await come(back, held)).toMatchObject({ status: 200 });
  });

  it('401 unauthorized if another provider has responded', async () => {
    provider.newPerson({ email: account.email });
    const { address, held } = await start();
    const back = new URL(await provider.visit(address));
    back.searchParams.set('iss', 'https://evil.example');
    expectRejected(await come(back.href, held), 401, 'unauthorized');
  });
});

describe('an invitation', () => {
  const invite = async (email: string, by: Account, isAdmin = false): Promise<string> => {
    const { status, body } = await by.post('/v1/account/invite', { email, isAdmin });
    expect(status).toBe(201);
    return body.code;
  };
  const membersOf = async (email: string) =>
    query<object>(
      `SELECT u.password_hash, m.account_id, m.is_admin FROM app_user u LEFT JOIN account_member m USING (uid)
       WHERE u.email = $1 ORDER BY m.created_at`,
      [await service.storedEmail(email)],
    );

  it('a sign-in accepts the named invitation, for new and for existing users', async () => {
    const [first, inviter] = [await service.register(), await service.register()];
    const { email = '' } = provider.newPerson({ name: 'Ada\nLovelace' });
    const [one, another] = [await invite(email, first), await invite(email, inviter, true)];
    const responses = await Promise.all([signIn({ invite: another }), signIn({ invite: another }, [other, other])]);
    expect(responses.map(({ status, body }) => [status, body.accountId])).toEqual(new Array(2).fill([200, inviter.id]));
    const user = { password_hash: null };
    const { body: me } = await service.request('GET', '/v1/auth/me', { token: responses[0]?.body.accessToken });
    expect(me).toMatchObject({ name: 'Ada Lovelace', email });
    const there = { ...user, account_id: inviter.id, is_admin: true };
    // A user joins an account only by naming its invitation.
    expect(await membersOf(email)).toEqual([there]);
    expect((await signIn()).body.accountId).toBe(inviter.id);
    expect((await signIn({ invite: one })).body.accountId).toBe(first.id);
    const here = { ...user, account_id: first.id, is_admin: false };
    expect(await membersOf(email)).toEqual([there, here]);

    await query('DELETE FROM account_member WHERE uid = (SELECT uid FROM app_user WHERE email = $1)', [
      await service.storedEmail(email),
    ]);
    const again = await invite(email, first);
    expect(rejection(await signIn())).toEqual({ status: 403, code: 'forbidden' });
    expect((await signIn({ invite: again })).body.accountId).toBe(first.id);
    expect(await membersOf(email)).toEqual([here]);
  });

  it('403 forbidden for an invited person who names no invitation, with the advice to open the mailed link', async () => {
    const { email = '' } = provider.newPerson();
    await invite(email, await service.register());
    const response = await signIn();
    expect(rejection(response)).toEqual({ status: 403, code: 'forbidden' });
    expect(response.body.message).toContain('link of that e-mail');
    expect(await membersOf(email)).toEqual([]);
  });

  it('a sign-in rejects an invitation that is withdrawn, invented or for another person', async () => {
    const { email = '', sub } = provider.newPerson({ email_verified: false });
    const code = await invite(email, await service.register());
    expect(rejection(await signIn({ invite: code }))).toEqual({ status: 403, code: 'forbidden' });
    const eve = provider.newPerson().email ?? '';
    expect(rejection(await signIn({ invite: code }))).toEqual({ status: 403, code: 'forbidden' });
    expect(await membersOf(eve)).toEqual([]);
    await query(`UPDATE invite SET ended_at = now(), ended_by = 'revoked' WHERE id = $1`, [code.slice(0, 22)]);
    provider.newPerson({ sub, email });
    expect(rejection(await signIn({ invite: code }))).toEqual({ status: 410, code: 'invite_expired' });
    expect(rejection(await signIn({ invite: 'A'.repeat(44) }))).toEqual({ status: 404, code: 'invite_not_found' });
    expect(await membersOf(email)).toEqual([]);
  });
});

describe('registration by sign-in', () => {
  it('a sign-in links a user who registers with a password at the same moment', async () => {
    const { email = '' } = provider.newPerson();
    const environment = { ...provider.environmentFor('http://localhost:3000'), OIDC_REGISTRATION: 'open' };
    const open = await RunningService.start(environment, service);
    const { address, held } = await start({}, open);
    const back = await provider.visit(address);
    let response: Promise<ApiResponse> | undefined;
    await service.app.get(DataSource).transaction(async (tx) => {
      await tx.query(
        `WITH made AS (INSERT INTO app_user (uid, email, name, created_at) VALUES ($1, $1, 'Eve', now()) RETURNING uid)
         INSERT INTO account_member (account_id, uid, is_admin, created_at) SELECT $2, uid, false, now() FROM made`,
        [await service.storedEmail(email), account.id],
      );
      const [{ pid }] = await tx.query('SELECT pg_backend_pid() AS pid');
      response = come(back, held, open).then((page) => agree(page, open));
      const waits = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
      while ((await query(waits, [pid])).length < 1);
    });
    expect(await response).toMatchObject({ status: 200, body: { accountId: account.id } });
    await open.stop();
  });

  it('a sign-in creates a user with an account but without a password, if registration is open', async () => {
    const environment = { ...provider.environmentFor('http://localhost:3000'), OIDC_REGISTRATION: 'open' };
    const open = await RunningService.start(environment, service);
    const { email } = provider.newPerson({ name: 'Ada\nLovelace' });
    const { status, body } = await signIn({}, [open, open]);
    const { body: me } = await open.request('GET', '/v1/auth/me', { token: body.accessToken });
    await open.stop();
    expect(status).toBe(200);
    expect(me).toMatchObject({ name: 'Ada Lovelace', email, accounts: [{ name: 'My account' }] });
    const found = await query(
      `SELECT u.password_hash, m.is_admin FROM app_user u JOIN account_member m USING (uid)
       WHERE u.email = $1 AND m.account_id = $2`,
      [await service.storedEmail(email ?? ''), body.accountId],
    );
    expect(found).toEqual([{ password_hash: null, is_admin: true }]);
  });
});

describe('a service without a provider', () => {
  it('404 not_found with an explanation on every OpenID Connect route without a provider', async () => {
    const off = await RunningService.start({}, service);
    const responses = [
      await off.request('GET', '/v1/auth/oidc/start'),
      await off.request('GET', '/v1/auth/oidc/callback?code=x&state=x'),
      await off.request('POST', '/v1/auth/oidc/token', { body: { code: 'x' } }),
    ];
    await off.stop();
    expect(responses.map(rejection)).toEqual(new Array(3).fill({ status: 404, code: 'not_found' }));
    expect(responses[0]?.body.message).toContain('not set up');
  });
});
