import { createHmac, randomUUID } from 'node:crypto';
import { Clock, newId, RateLimited } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsNode, accountsOptions, anAddress, type Registered } from '../accounts.fixtures.js';
import { apiKeySecret, apiKeyText } from '../api-keys/api-key-format.js';
import { Attempts } from './attempts.js';
import { Passwords } from '../credentials/passwords.service.js';

describe('Attempts', () => {
  it.each([
    [
      'Attempts keeps a full count even if the clock of the node that began the count is some seconds ahead',
      9,
      RateLimited,
    ],
    ['Attempts restarts a count if the clock of the node that began the count was wrong', 400 * 86_400, null],
  ])('%s', async (_title, aheadSeconds, rejection) => {
    const node = await AccountsNode.start({});
    const dataSource = node.app.get(DataSource);
    const attempts = new Attempts(dataSource, node.app.get(Clock), 'state', { attempts: 1, seconds: 600 }, 'Used');
    const key = randomUUID();
    await attempts.count(key);
    await dataSource.query(`UPDATE rate_limit SET expire = expire + $2 WHERE key = $1`, [
      `state:${key}`,
      aheadSeconds * 1000,
    ]);
    const counted = attempts.count(key);
    await (rejection ? expect(counted).rejects.toThrow(rejection) : expect(counted).resolves.toBe(1));
    await node.stop();
  });
});

describe('limits on guessing', () => {
  let node: AccountsNode;
  let other: AccountsNode;

  beforeAll(async () => {
    const attemptLimits = {
      loginsPerAddress: { attempts: 6, seconds: 900 },
      loginsPerEmailAndAddress: { attempts: 3, seconds: 900 },
      loginsPerEmail: { attempts: 5, seconds: 900 },
      takenEmailsPerAddress: { attempts: 2, seconds: 3600 },
      badCredentialsPerAddress: { attempts: 3, seconds: 60 },
    };
    [node, other] = await Promise.all([AccountsNode.start({ attemptLimits }), AccountsNode.start({ attemptLimits })]);
  });
  afterAll(() => Promise.all([node.stop(), other.stop()]));

  const login = (email: string, password: string, from: string, at = node) =>
    at.call('post', '/v1/auth/login', { body: { email, password }, from });
  const fail = async (email: string, times: number, from: string, at = node) => {
    for (let i = 0; i < times; i++) expect((await login(email, 'a wrong guess', from, at)).status).toBe(401);
  };
  const enter = ({ email, password }: Registered, from: string, at = node) => login(email, password, from, at);

  describe('password guessing', () => {
    it('429 rate_limited, with Retry-After, for the right password after too many failed logins, on every node', async () => {
      const [user, from] = [await node.register(), anAddress()];
      await fail(user.email, 2, from);
      await fail(user.email, 1, from, other);
      for (const at of [node, other]) {
        const rejected = await enter(user, from, at);
        expect(rejected.body).toMatchObject({ statusCode: 429, code: 'rate_limited', error: 'Too Many Requests' });
        expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(890);
        // The headers describe the limit on logins, and not the limit on requests per minute.
        expect(rejected.headers).toMatchObject({
          'ratelimit-limit': '3',
          'ratelimit-remaining': '0',
          'ratelimit-reset': rejected.headers['retry-after'],
          'ratelimit-policy': '3;w=900',
        });
      }
      expect((await enter(user, anAddress())).status).toBe(200);
    });

    it('the service ignores upper and lower case in an e-mail when it counts failed logins', async () => {
      const [user, from] = [await node.register(), anAddress()];
      await fail(user.email.toUpperCase(), 3, from);
      expect((await enter(user, from)).status).toBe(429);
    });

    it('the service checks no more passwords than the limit allows, even if guesses are simultaneous', async () => {
      const [{ email }, from] = [await node.register(), anAddress()];
      const guesses = Array.from({ length: 20 }, (_, i) => login(email, 'a wrong guess', from, i % 2 ? node : other));
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    });

    it('the service resets the count of a user after a successful login', async () => {
      const [user, from] = [await node.register(), anAddress()];
      await fail(user.email, 2, from);
      expect((await enter(user, from)).status).toBe(200);
      await fail(user.email, 3, from);
    });

    it('429 rate_limited for an IP address that tries many users; successful logins do not count', async () => {
      const [user, from] = [await node.register(), anAddress()];
      for (let i = 0; i < 7; i++) expect((await enter(user, from)).status).toBe(200);
      for (let i = 0; i < 6; i++) await fail(`nobody-${i}@example.com`, 1, from);
      expect((await enter(user, from)).status).toBe(429);
      expect((await enter(user, from, other)).status).toBe(429);
    });

    it('429 rate_limited for an e-mail, registered or not, after failed logins from many IP addresses', async () => {
      const user = await node.register();
      for (const email of [user.email, 'nobody-at-all@example.com']) {
        for (let i = 0; i < 5; i++) await fail(email, 1, anAddress());
        expect((await login(email, user.password, anAddress())).status).toBe(429);
      }
    });

    it('a user can sign in from a known IP address even after many failed logins of strangers with the user’s e-mail', async () => {
      const [user, home] = [await node.register(), anAddress()];
      expect((await enter(user, home)).status).toBe(200);
      for (let i = 0; i < 5; i++) await fail(user.email, 1, anAddress());
      expect((await enter(user, anAddress())).status).toBe(429);
      for (const at of [node, other]) expect((await enter(user, home, at)).status).toBe(200);
      await fail(user.email, 3, home);
      expect((await enter(user, home)).status).toBe(429);
    });

    it('the service checks no more passwords than the limit, even if they arrive simultaneously from many IP addresses', async () => {
      const { email } = await node.register();
      const check = jest.spyOn(node.app.get(Passwords), 'check');
      const guesses = await Promise.all(Array.from({ length: 20 }, () => login(email, 'a wrong guess', anAddress())));
      const checks = check.mock.calls.length;
      check.mockRestore();
      expect(guesses.filter(({ status }) => status === 429)).toHaveLength(15);
      expect(checks).toBe(5);
    });

    it('the service does not count a login as failed if the password could not be checked', async () => {
      const [user, from] = [await node.register(), anAddress()];
      const passwords = node.app.get(Passwords);
      const busy = jest.spyOn(passwords, 'check').mockRejectedValue(new RateLimited('Too many are waiting.', 5));
      for (let i = 0; i < 4; i++) expect((await enter(user, from)).headers['retry-after']).toBe('5');
      busy.mockRestore();
      expect((await enter(user, from)).status).toBe(200);
    });

    it('an attempt that exceeds the limit of one IP address does not count against other IP addresses or users', async () => {
      const [user, from] = [await node.register(), anAddress()];
      await fail(user.email, 3, from);
      for (let i = 0; i < 10; i++) expect((await enter(user, from)).status).toBe(429);
      expect((await enter(await node.register(), from)).status).toBe(200);
      expect((await enter(user, anAddress())).status).toBe(200);
    });

    it('the service does not store e-mails in the table of counters', async () => {
      const email = 'not-in-the-table@example.com';
      await fail(email, 1, anAddress());
      const keys = await node.app.get(DataSource).query<{ key: string }[]>('SELECT key FROM rate_limit');
      expect(keys.length).toBeGreaterThan(0);
      expect(keys.filter(({ key }) => key.includes('@') || key.includes('not-in'))).toEqual([]);
      const { accessTokenSecret } = accountsOptions();
      const plain = createHmac('sha256', accessTokenSecret).update(email).digest('base64url');
      expect(keys.filter(({ key }) => key.includes(plain))).toEqual([]);
    });
  });

  it('429 rate_limited for every registration from an IP address that has tried too many taken e-mails', async () => {
    const [{ email }, from] = [await node.register(), anAddress()];
    const register = (mail: string, at: AccountsNode) =>
      at.call('post', '/v1/auth/register', {
        body: { email: mail, password: 'long enough', name: 'A', accountName: 'A' },
        from,
      });
    expect((await register(email, node)).status).toBe(409);
    for (let n = 0; n < 3; n++) expect((await register(`new-${n}-${email}`, other)).status).toBe(201);
    const tried = await Promise.all([email, `new-0-${email}`, email].map((taken) => register(taken, node)));
    expect(tried.map(({ status }) => status).sort()).toEqual([409, 429, 429]);
    expect((await register(`newest-${email}`, other)).body.code).toBe('rate_limited');
  });

  describe('guessing of keys and tokens', () => {
    const forged = () =>
      apiKeyText({ id: 'A'.repeat(22), accountId: newId('acc'), secret: apiKeySecret(), isTest: false });

    const use = (token: string, from: string, at = node) => at.call('get', '/routes/passes', { token, from });
    const refresh = (refreshToken: string, from: string, at = node) =>
      at.call('post', '/v1/auth/refresh', { body: { refreshToken }, from });
    const goOverTheLimit = async (from: string) => {
      for (const token of [forged(), 'pw_live_nonsense', 'no.access.token']) {
        expect((await use(token, from)).status).toBe(401);
      }
      expect((await use(forged(), from)).status).toBe(429);
    };

    it('429 rate_limited with Retry-After, on every node, for an IP address that presented too many invalid keys or tokens', async () => {
      const from = anAddress();
      await goOverTheLimit(from);
      for (const at of [node, other]) {
        for (const response of [await use(forged(), from, at), await refresh('guess', from, at)]) {
          expect(response.body).toMatchObject({ statusCode: 429, code: 'rate_limited' });
          expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
        }
        expect((await use(forged(), anAddress(), at)).status).toBe(401);
      }
    });

    it('the service accepts valid keys and tokens from an IP address that has presented too many invalid ones', async () => {
      const [user, from] = [await node.register(), anAddress()];
      const { key } = await node.createKey(user);
      await goOverTheLimit(from);
      for (const at of [node, other]) {
        expect((await use(forged(), from, at)).status).toBe(429);
        expect((await use(key, from, at)).status).toBe(200);
        expect((await use(user.accessToken, from, at)).status).toBe(200);
        const renewed = await refresh(user.refreshToken, from, at);
        expect(renewed.status).toBe(200);
        user.refreshToken = renewed.body.refreshToken;
      }
    });

    it('a rejected credential takes one query, or none if it is malformed', async () => {
      const from = anAddress();
      await goOverTheLimit(from);
      const pool = (node.app.get(DataSource).driver as unknown as { master: { connect(): unknown } }).master;
      const connections = jest.spyOn(pool, 'connect');
      const visiblyBad = [await use('pw_live_nonsense', from), await use('no.access.token', from)];
      visiblyBad.push(await refresh('guess', from));
      expect(visiblyBad.map(({ status }) => status)).toEqual([429, 429, 429]);
      expect(connections).not.toHaveBeenCalled();
      expect((await use(forged(), from)).status).toBe(429);
      expect(connections).toHaveBeenCalledTimes(1);
      connections.mockRestore();
    });

    it('invalid refresh tokens count towards the limit, but expired access tokens and absent tokens do not', async () => {
      const [own, from] = [await AccountsNode.start({ attemptLimits: few }), anAddress()];
      const { accessToken } = await own.register();
      own.clock.advance(1000);
      for (let i = 0; i < 5; i++) {
        expect((await own.call('get', '/routes/user', { token: accessToken, from })).body.code).toBe('token_expired');
        expect((await own.call('get', '/routes/user', { from })).status).toBe(401);
      }
      const statuses = [(await refresh('guess', from, own)).status, (await refresh('guess', from, own)).status];
      expect(statuses).toEqual([401, 429]);
      await own.stop();
    });
  });
});

const few = { badCredentialsPerAddress: { attempts: 1, seconds: 60 } };
