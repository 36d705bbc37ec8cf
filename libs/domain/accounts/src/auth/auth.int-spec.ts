import { Database } from '@passwright/database';
import { DataSource } from 'typeorm';
import { AccountsNode, anAddress, type Registered } from '../accounts.fixtures.js';
import { AccountMember } from '../accounts/account-member.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { SessionsCron } from '../sessions/sessions.cron.js';
import { Passwords } from '../credentials/passwords.service.js';

describe('users signing in', () => {
  let node: AccountsNode;
  let other: AccountsNode;

  beforeAll(async () => {
    [node, other] = await Promise.all([AccountsNode.start(), AccountsNode.start()]);
  });
  afterAll(() => Promise.all([node.stop(), other.stop()]));

  const login = (body: object, from = anAddress(), at = node) => at.call('post', '/v1/auth/login', { body, from });
  const refresh = (refreshToken: string, at = node) => at.call('post', '/v1/auth/refresh', { body: { refreshToken } });
  const whoAmI = (token: string, at = node) => at.call('get', '/routes/user', { token });

  /** Adds the user to a new account of another user. */
  async function joinAnother({ accessToken }: Registered, role = { isAdmin: false }): Promise<string> {
    const { body } = await whoAmI(accessToken);
    const accounts = node.app.get(AccountsService);
    return node.app.get(Database).transaction(async (tx) => {
      const { id } = await accounts.create(tx, { name: 'Second' });
      await accounts.addMember(tx, id, body.id, role);
      return id;
    });
  }

  async function leave(user: Registered, accountId: string): Promise<void> {
    const { body } = await whoAmI(user.accessToken);
    await node.app.get(DataSource).manager.delete(AccountMember, { accountId, uid: body.id });
  }

  describe('registration', () => {
    it('the service registers a user, who is signed in as the admin of a new account', async () => {
      const user = await node.register();
      expect(user).toMatchObject({ tokenType: 'Bearer', expiresIn: 900, accountId: expect.stringMatching(/^acc_/) });
      const { body } = await whoAmI(user.accessToken);
      expect(body).toMatchObject({ kind: 'user', accountId: user.accountId });
      expect(body.scopes).toContain('account:write');
      expect(await node.app.get(AccountsService).roleOf(body.id, user.accountId)).toEqual({ isAdmin: true });
      expect(await node.app.get(AccountsService).roleOf(body.id, 'acc_none')).toBeNull();
    });

    it('409 email_taken, without a new account, for a registered e-mail in upper or lower case', async () => {
      const { email } = await node.register();
      const count = () => node.app.get(DataSource).query('SELECT count(*) FROM account WHERE name = $1', [email]);
      const again = await node.call('post', '/v1/auth/register', {
        body: { email: email.toUpperCase(), password: 'long enough', name: 'B', accountName: email },
      });
      expect(again.body).toMatchObject({ statusCode: 409, code: 'email_taken', error: 'Conflict' });
      expect(await count()).toEqual([{ count: '0' }]);
    });

    it('the service accepts only one of several simultaneous registrations with the same e-mail', async () => {
      const body = { email: `race-${Date.now()}@example.com`, password: 'long enough', name: 'R', accountName: 'R' };
      const responses = await Promise.all(
        [node, other, node, other].map((at) => at.call('post', '/v1/auth/register', { body })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    });

    it('400 validation_failed names every mistake in a registration', async () => {
      const body = { email: 'a@example.com,b@example.com', password: 'short', name: 'two\nlines', isAdmin: true };
      const response = await node.call('post', '/v1/auth/register', { body });
      expect(response.body.code).toBe('validation_failed');
      for (const name of ['email', 'password', 'name', 'accountName', 'isAdmin']) {
        expect(response.body.message).toContain(name);
      }
    });

    it('403 forbidden for a registration while registration is closed', async () => {
      const closed = await AccountsNode.start({ registration: 'closed' });
      const body = { email: 'a@example.com', password: 'long enough', name: 'A', accountName: 'A' };
      const response = await closed.call('post', '/v1/auth/register', { body });
      await closed.stop();
      expect(response.body).toMatchObject({ statusCode: 403, code: 'forbidden' });
    });
  });

  describe('login', () => {
    it('a login accepts the e-mail in upper or lower case, and the password in any Unicode form', async () => {
      const user = await node.register({ password: 'Ame\u0301lie 🎟️ "quoted"' });
      const response = await login({ email: user.email.toUpperCase(), password: 'Am\u00e9lie 🎟️ "quoted"' });
      expect(response.body).toMatchObject({ accountId: user.accountId, tokenType: 'Bearer' });
    });

    it('401 unauthorized with the same body for a wrong password, an unknown e-mail or an account without this user', async () => {
      const [user, stranger] = [await node.register(), await node.register()];
      const responses = await Promise.all([
        login({ email: user.email, password: 'wrong password' }),
        login({ email: 'nobody@example.com', password: user.password }),
        login({ email: user.email, password: user.password, accountId: stranger.accountId }),
        login({ email: user.email, password: user.password, accountId: 'acc_none' }),
      ]);
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
      expect(responses[0]?.body).toMatchObject({ statusCode: 401, code: 'unauthorized' });
    });

    it('the service spends the same time on the password of an unknown user as on that of a known user', async () => {
      const nobodys = Reflect.get(node.app.get(Passwords), 'nobodysHash') as string;
      const { email } = await node.register();
      const [row] = await node.app
        .get(DataSource)
        .query('SELECT password_hash FROM app_user WHERE email = $1', [email]);
      const parameters = (hash: string) => hash.split('$').slice(0, 4);
      expect(parameters(nobodys)).toEqual(['', 'argon2id', 'v=19', 'm=19456,t=2,p=1']);
      expect(parameters(row.password_hash)).toEqual(parameters(nobodys));
    });

    it('a login opens the account that the user joined first, unless the request names another account', async () => {
      const user = await node.register();
      node.clock.advance(1);
      const second = await joinAnother(user);
      const [first, asked] = [await login(credentials(user)), await login({ ...credentials(user), accountId: second })];
      expect([first.body.accountId, asked.body.accountId]).toEqual([user.accountId, second]);
    });

    it('the service accepts twenty simultaneous logins with the right password, although only ten failed logins are allowed', async () => {
      const user = await node.register();
      const from = anAddress();
      const responses = await Promise.all(Array.from({ length: 20 }, () => login(credentials(user), from)));
      expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    });
  });

  describe('a refresh token', () => {
    it('a refresh token works once and returns the next one', async () => {
      const { refreshToken, accountId } = await node.register();
      const { body, status } = await refresh(refreshToken);
      expect({ status, accountId: body.accountId }).toEqual({ status: 200, accountId });
      expect(body.refreshToken).not.toBe(refreshToken);
      expect((await refresh(body.refreshToken, other)).status).toBe(200);
    });

    it('401 unauthorized for a second use of a refresh token, which also ends its session on every node', async () => {
      const { refreshToken } = await node.register();
      const { body: next } = await refresh(refreshToken);
      const reused = await refresh(refreshToken, other);
      expect(reused.body).toMatchObject({ statusCode: 401, code: 'unauthorized' });
      expect((await refresh(next.refreshToken)).status).toBe(401);
      expect((await whoAmI(next.accessToken)).status).toBe(401);
    });

    it('only one of twenty simultaneous requests can exchange a refresh token', async () => {
      const { refreshToken } = await node.register();
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) => refresh(refreshToken, index % 2 ? node : other)),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(19).fill(401)]);
    });

    it('401 unauthorized for an expired refresh token; each use of a refresh token extends the session', async () => {
      const own = await AccountsNode.start({ refreshTokenTtlSeconds: 3600 });
      const { refreshToken } = await own.register();
      own.clock.advance(3599);
      const second = await refresh(refreshToken, own);
      own.clock.advance(3599);
      const third = await refresh(second.body.refreshToken, own);
      own.clock.advance(3600);
      const late = await refresh(third.body.refreshToken, own);
      await own.stop();
      expect([second, third, late].map(({ status }) => status)).toEqual([200, 200, 401]);
    });

    it('401 unauthorized for text that is not a refresh token', async () => {
      expect((await refresh('not a token')).body.code).toBe('unauthorized');
    });

    it('the service deletes the row of an expired session', async () => {
      const own = await AccountsNode.start();
      const { accountId } = await own.register();
      const sessions = () => own.app.get(DataSource).query('SELECT id FROM session WHERE account_id = $1', [accountId]);
      await own.app.get(SessionsCron).deleteExpired();
      expect(await sessions()).toHaveLength(1);
      own.clock.set('2026-12-20T10:00:00.000Z');
      await own.app.get(SessionsCron).deleteExpired();
      expect(await sessions()).toEqual([]);
      await own.stop();
    });
  });

  describe('logout', () => {
    it('logout ends the session and its access token immediately on every node; a repeated logout succeeds', async () => {
      const { refreshToken, accessToken } = await node.register();
      expect((await whoAmI(accessToken, other)).status).toBe(200);
      const logout = () => node.call('post', '/v1/auth/logout', { body: { refreshToken } });
      expect((await logout()).status).toBe(204);
      expect((await logout()).status).toBe(204);
      expect((await whoAmI(accessToken, other)).body.code).toBe('unauthorized');
      expect((await refresh(refreshToken, other)).status).toBe(401);
    });

    it('a logout does not end other sessions of the user', async () => {
      const user = await node.register();
      const { body: phone } = await login(credentials(user));
      await node.call('post', '/v1/auth/logout', { body: { refreshToken: phone.refreshToken } });
      expect((await whoAmI(user.accessToken)).status).toBe(200);
    });
  });

  describe('an access token', () => {
    it('401 token_expired for an expired access token, with a hint about what to do next', async () => {
      const own = await AccountsNode.start();
      const { accessToken } = await own.register();
      own.clock.advance(899);
      expect((await whoAmI(accessToken, own)).status).toBe(200);
      own.clock.advance(1);
      const { body } = await whoAmI(accessToken, own);
      await own.stop();
      expect(body).toMatchObject({ statusCode: 401, code: 'token_expired' });
      expect(body.message).toContain('/v1/auth/refresh');
    });

    it('401 unauthorized for a removed member, from the next request on', async () => {
      const user = await node.register();
      const second = await joinAnother(user);
      const { body } = await login({ ...credentials(user), accountId: second });
      expect((await whoAmI(body.accessToken)).status).toBe(200);
      await leave(user, second);
      expect((await whoAmI(body.accessToken, other)).body.code).toBe('unauthorized');
    });

    it('the service grants users who are not admins every scope except account:write', async () => {
      const user = await node.register();
      const second = await joinAnother(user);
      const { body } = await login({ ...credentials(user), accountId: second });
      expect((await node.call('get', '/routes/passes', { token: body.accessToken })).status).toBe(200);
      const rejected = await node.call('get', '/v1/auth/keys', { token: body.accessToken });
      expect(rejected.body).toMatchObject({ statusCode: 403, code: 'forbidden' });
      expect(rejected.body.message).toContain('account:write');
    });
  });

  describe('switching accounts', () => {
    const switchTo = (token: string, accountId: string) =>
      node.call('post', '/v1/auth/switch', { token, body: { accountId } });

    it('a switch returns tokens for another account of the user and keeps the current session open', async () => {
      const user = await node.register();
      const second = await joinAnother(user);
      const { body } = await switchTo(user.accessToken, second);
      expect(body.accountId).toBe(second);
      expect((await whoAmI(body.accessToken)).body.accountId).toBe(second);
      expect((await whoAmI(user.accessToken)).body.accountId).toBe(user.accountId);
    });

    it('403 forbidden for switching to another user’s account or to an unknown account', async () => {
      const [user, stranger] = [await node.register(), await node.register()];
      const [theirs, missing] = [
        await switchTo(user.accessToken, stranger.accountId),
        await switchTo(user.accessToken, 'acc_none'),
      ];
      expect(theirs.body).toMatchObject({ statusCode: 403, code: 'forbidden' });
      expect(missing.text).toBe(theirs.text.replace(stranger.accountId, 'acc_none'));
    });

    it('403 forbidden for an API key that switches accounts', async () => {
      const user = await node.register();
      const { key } = await node.createKey(user);
      expect((await switchTo(key, user.accountId)).body.code).toBe('forbidden');
    });
  });
});

const credentials = ({ email, password }: Registered) => ({ email, password });
