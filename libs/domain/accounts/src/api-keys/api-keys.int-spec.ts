import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { newId } from '@passwright/core';
import { lockWaitsSql } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { AgentTools } from './agent-tools.service.js';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import { apiKeyText, parseApiKey, type ApiKeyParts } from './api-key-format.js';

describe('API keys', () => {
  let node: AccountsNode;
  let other: AccountsNode;
  let user: Registered;

  beforeAll(async () => {
    [node, other] = await Promise.all([AccountsNode.start(), AccountsNode.start()]);
  });
  afterAll(() => Promise.all([node.stop(), other.stop()]));
  beforeEach(async () => {
    user = await node.register();
  });

  const create = (token: string, body: object) => node.call('post', '/v1/auth/keys', { token, body });
  const use = (token: string, at = node) => at.call('get', '/routes/passes', { token });
  const list = (query = '') => node.call('get', `/v1/auth/keys${query}`, { token: user.accessToken });
  const rotate = (token: string, id: string) => node.call('post', `/v1/auth/keys/${id}/rotate`, { token });
  const revoke = (token: string, id: string) => node.call('delete', `/v1/auth/keys/${id}`, { token });

  it('403 forbidden for every request with a supervised key, even after the key was rotated', async () => {
    const { body } = await create(user.accessToken, { name: 'Agent', supervised: true });
    expect((await use(body.key as string, other)).body).toMatchObject({ code: 'forbidden' });
    const rotated = await rotate(user.accessToken, body.id as string);
    expect(rotated.body.supervised).toBe(true);
    expect((await use(rotated.body.key as string)).body).toMatchObject({ code: 'forbidden' });
    expect((await create(rotated.body.key as string, { name: 'Free' })).body).toMatchObject({ code: 'forbidden' });
  });

  it('the audit trail records that a revoked key was supervised', async () => {
    for (const supervised of [true, false]) {
      const { id } = await node.createKey(user, { supervised });
      expect((await revoke(user.accessToken, id)).status).toBe(204);
    }
    const events = await node.app
      .get(DataSource)
      .query<{ before: object }[]>(
        `SELECT before FROM audit_event WHERE account_id = $1 AND action = 'key.revoked' ORDER BY before ? 'supervised'`,
        [user.accountId],
      );
    expect(events.map(({ before }) => 'supervised' in before)).toEqual([false, true]);
  });

  it('403 limit_exceeded for the 101st key of an account, even in simultaneous requests', async () => {
    const made = await create(user.accessToken, { name: 'Web shop' });
    await node.app.get(DataSource).query(
      `INSERT INTO api_key (account_id, id, name, secret_hash, scopes, created_at)
       SELECT k.account_id, left(k.id, 18) || n, k.name, k.secret_hash, k.scopes, k.created_at
       FROM api_key k, generate_series(1002, 1098) n WHERE k.id = $1`,
      [made.body.id],
    );
    const responses = await Promise.all(Array.from({ length: 5 }, () => create(user.accessToken, { name: 'More' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
    expect(responses.find(({ status }) => status === 403)?.body).toMatchObject({ code: 'limit_exceeded' });
  });

  it('an API key has every scope except account:write by default', async () => {
    const { body, status } = await create(user.accessToken, { name: 'Web shop' });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^\w{22}$/),
        name: 'Web shop',
        prefix: `pw_live_${body.id}`,
        scopes: expect.arrayContaining(['passes:write', 'account:read']),
        tools: null,
        supervised: false,
        expiresAt: null,
        lastUsedAt: null,
        createdAt: '2026-11-20T10:00:00.000Z',
        key: expect.stringMatching(new RegExp(`^pw_live_${body.id}_${user.accountId.slice(4)}_\\w{49}$`)),
      },
    });
    expect(body.scopes).not.toContain('account:write');
    const { body: caller } = await use(body.key, other);
    const secretRef = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
    expect(caller).toEqual({ kind: 'apiKey', id: body.id, accountId: user.accountId, secretRef, scopes: body.scopes });
  });

  it('the service stores an API key only as a hash: no column contains the secret', async () => {
    const { id, key } = await node.createKey(user);
    const rows = await node.app
      .get(DataSource)
      .query('SELECT *, encode(secret_hash, $2) FROM api_key WHERE id = $1', [id, 'escape']);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(partsOf(key).secret);
  });

  it('403 forbidden names the scope that the API key lacks', async () => {
    const { key } = await node.createKey(user, { scopes: ['templates:read'] });
    const { body } = await use(key);
    expect(body).toMatchObject({ statusCode: 403, code: 'forbidden' });
    expect(body.message).toContain('passes:read');
  });

  it('an API key keeps its list of tools after a rotation, and its principal contains the list', async () => {
    node.app.get(AgentTools).learn(() => ['getPass', 'createPass']);
    const { body } = await create(user.accessToken, { name: 'Agent', tools: ['getPass'] });
    expect(body.tools).toEqual(['getPass']);
    const rotated = await rotate(user.accessToken, body.id as string);
    expect((await use(rotated.body.key as string, other)).body).toMatchObject({ id: body.id, tools: ['getPass'] });
    expect((await list()).body.data).toMatchObject([{ id: body.id, tools: ['getPass'] }]);
    const rejected = await create(user.accessToken, { name: 'Agent', tools: ['getPass', 'dropAll'] });
    expect(rejected.body).toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/getPass, createPass; not dropAll$/),
    });
  });

  it('400 validation_failed for scopes that are unknown, repeated or empty, and for an expiry in the past', async () => {
    for (const [body, word] of [
      [{ name: 'x', scopes: ['passes:fly'] }, 'scopes'],
      [{ name: 'x', scopes: ['passes:read', 'passes:read'] }, 'scopes'],
      [{ name: 'x', scopes: [] }, 'scopes'],
      [{ name: 'x', scopes: 'passes:read' }, 'scopes'],
      [{ name: 'x', tools: [] }, 'tools'],
      [{ name: 'x', tools: ['getPass', 'getPass'] }, 'tools'],
      [{ name: 'x', tools: [{}] }, 'tools'],
      [{ name: 'x', expiresAt: '2026-11-20T10:00:00.000Z' }, 'expiresAt'],
      [{ name: '' }, 'name'],
    ] as const) {
      const reply = await create(user.accessToken, body);
      expect(reply.body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
      expect(reply.body.message).toContain(word);
    }
  });

  it('401 unauthorized for a key that is mistyped, unknown or has the wrong secret', async () => {
    const { key, id } = await node.createKey(user);
    const stranger = await node.createKey(await node.register());
    const mixed = stranger.key.replace(stranger.id, id);
    for (const token of [`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, mixed, key.toLowerCase()]) {
      expect((await use(token)).body).toMatchObject({ statusCode: 401, code: 'unauthorized' });
    }
  });

  it('401 unauthorized for a key that names another account than its own', async () => {
    const key = partsOf((await node.createKey(user)).key);
    const { accountId } = await node.register();
    const wrong = { ...key, secret: partsOf((await node.createKey(user)).key).secret };
    const forged = [{ ...key, accountId }, { ...key, accountId: newId('acc') }, wrong, { ...wrong, accountId: null }];
    const [first, ...others] = await Promise.all(forged.map((parts) => use(apiKeyText(parts))));
    expect(first?.body).toMatchObject({ statusCode: 401, code: 'unauthorized' });
    expect(others.map(({ text }) => text)).toEqual(others.map(() => first?.text));
    expect((await use(apiKeyText(key))).status).toBe(200);
  });

  it('a key of an earlier version, which names no account, works until a rotation replaces it', async () => {
    const key = partsOf((await node.createKey(user)).key);
    const older = apiKeyText({ ...key, accountId: null });
    expect((await use(older, other)).body).toMatchObject({ id: key.id, accountId: user.accountId });
    const { body } = await rotate(user.accessToken, key.id);
    expect(partsOf(body.key as string)).toMatchObject({ id: key.id, accountId: user.accountId });
    expect([(await use(older, other)).status, (await use(body.key as string, other)).status]).toEqual([401, 200]);
  });

  it('401 unauthorized for an API key once it has expired', async () => {
    const own = await AccountsNode.start();
    const { key } = await own.createKey(await own.register(), { expiresAt: '2026-11-20T11:00:01+01:00' });
    expect((await use(key, own)).status).toBe(200);
    own.clock.advance(1);
    const { body } = await use(key, own);
    await own.stop();
    expect(body).toMatchObject({ statusCode: 401, code: 'unauthorized' });
    expect(body.message).toContain('2026-11-20T10:00:01.000Z');
  });

  describe('revoking an API key', () => {
    it('the service revokes an API key immediately on every node', async () => {
      const { key, id } = await node.createKey(user);
      expect((await use(key, other)).status).toBe(200);
      expect((await revoke(user.accessToken, id)).status).toBe(204);
      expect((await use(key, other)).status).toBe(401);
      expect((await use(key)).status).toBe(401);
    });

    it('404 key_not_found for a revoked key, a key of another account, an unknown key and an impossible id', async () => {
      const theirs = await node.createKey(await node.register());
      const revoked = await node.createKey(user);
      expect((await revoke(user.accessToken, revoked.id)).status).toBe(204);
      const bodies = [];
      for (const id of [revoked.id, theirs.id, 'A'.repeat(22), '%00', 'x']) {
        bodies.push((await revoke(user.accessToken, id)).body, (await rotate(user.accessToken, id)).body);
      }
      for (const body of bodies) expect(body).toMatchObject({ statusCode: 404, code: 'key_not_found' });
      expect([(await use(theirs.key)).status, (await use(revoked.key)).status]).toEqual([200, 401]);
    });
  });

  describe('rotating an API key', () => {
    it('a rotation keeps the id, name and scopes of a key, and immediately invalidates the old secret on every node', async () => {
      const { key: old, ...before } = await node.createKey(user, { scopes: ['passes:read'] });
      const { status, body } = await rotate(user.accessToken, before.id);
      const { key, ...after } = body;
      expect({ status, after }).toEqual({ status: 200, after: before });
      expect((await use(old, other)).status).toBe(401);
      expect((await use(key, other)).status).toBe(200);
    });

    it('403 forbidden for rotating a key with a scope that the caller lacks', async () => {
      const manager = await node.createKey(user, { scopes: ['account:write'] });
      const strong = await node.createKey(user, { scopes: ['passes:write', 'account:write'] });
      const { body } = await rotate(manager.key, strong.id);
      expect(body).toMatchObject({ statusCode: 403, code: 'forbidden' });
      expect(body.message).toContain('passes:write');
      expect((await rotate(manager.key, manager.id)).status).toBe(200);
    });
  });

  describe('an API key with account:write', () => {
    it('a key with account:write manages keys, but cannot grant a scope that it lacks', async () => {
      const manager = await node.createKey(user, { scopes: ['account:write', 'passes:read'] });
      expect((await create(manager.key, { name: 'x' })).body.scopes).toEqual(['passes:read']);
      const rejected = await create(manager.key, { name: 'x', scopes: ['passes:read', 'passes:write'] });
      expect(rejected.body).toMatchObject({ statusCode: 403, code: 'forbidden' });
      expect(rejected.body.message).toContain('passes:write');
    });

    it('403 forbidden for an API key without account:write', async () => {
      const { key } = await node.createKey(user);
      expect((await create(key, { name: 'x' })).body.code).toBe('forbidden');
      expect((await node.call('get', '/v1/auth/keys', { token: key })).body.code).toBe('forbidden');
    });

    it('400 validation_failed if a caller without any default scope creates a key without naming scopes', async () => {
      const manager = await node.createKey(user, { scopes: ['account:write'] });
      expect((await create(manager.key, { name: 'x' })).body.code).toBe('validation_failed');
    });
  });

  describe('a caller who loses access while making a key', () => {
    const sql = (text: string, values: unknown[]) => node.app.get(DataSource).query<{ id: string }[]>(text, values);
    const keysOf = async () =>
      (await sql('SELECT id FROM api_key WHERE account_id = $1 ORDER BY id', [user.accountId])).map(({ id }) => id);

    it('401 unauthorized, without a new key, for an API key that is revoked while it creates a key', async () => {
      const manager = await node.createKey(user, { scopes: ['account:write', 'passes:read'] });
      const made = await node.during(
        (tx) => tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [user.accountId]),
        () => create(manager.key, { name: 'Left behind' }),
        () => revoke(user.accessToken, manager.id),
      );
      expect(made.body).toMatchObject({ statusCode: 401, code: 'unauthorized' });
      expect(await keysOf()).toEqual([]);
    });

    it('401 unauthorized, without a new key, for an API key that is rotated while it creates a key', async () => {
      const manager = await node.createKey(user, { scopes: ['account:write', 'passes:read'] });
      const made = await node.during(
        (tx) => tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [user.accountId]),
        () => create(manager.key, { name: 'Left behind' }),
        () => rotate(user.accessToken, manager.id),
      );
      expect(made.body).toMatchObject({ statusCode: 401, code: 'unauthorized' });
      expect(await keysOf()).toEqual([manager.id]);
    });

    it('an API key that rotates itself several times at once gets one new secret; the other calls get 401', async () => {
      const manager = await node.createKey(user, { scopes: ['account:write', 'passes:read'] });
      const rotations = await Promise.all(Array.from({ length: 5 }, () => rotate(manager.key, manager.id)));
      expect(rotations.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
      const rotated = rotations.find(({ status }) => status === 200);
      expect((await use(rotated?.body.key as string)).status).toBe(200);
    });

    it('401 unauthorized, without any change, if a user’s session ends while they create or rotate a key, or invite a user', async () => {
      const { id } = await node.createKey(user);
      const { email, password } = user;
      const ask = [
        (token: string) => create(token, { name: 'Left behind' }),
        (token: string) => rotate(token, id),
        (token: string) => node.call('post', '/v1/account/invite', { token, body: { email: `left.${email}` } }),
      ];
      for (const act of ask) {
        const { accessToken } = (await node.call('post', '/v1/auth/login', { body: { email, password } })).body;
        const response = await node.during(
          (tx) => tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [user.accountId]),
          () => act(accessToken as string),
          () => node.call('delete', '/v1/auth/sessions', { token: user.accessToken }),
        );
        expect(response.body).toMatchObject({ statusCode: 401, code: 'unauthorized' });
      }
      expect(await keysOf()).toEqual([id]);
      expect(await sql('SELECT id FROM invite WHERE account_id = $1', [user.accountId])).toEqual([]);
    });

    it('403 forbidden, without a new secret, for a user who loses the admin role while they create or rotate a key', async () => {
      const { id } = await node.createKey(user);
      const ask = [() => create(user.accessToken, { name: 'Left behind' }), () => rotate(user.accessToken, id)];
      for (const act of ask) {
        const role = 'UPDATE account_member SET is_admin = $2 WHERE account_id = $1';
        const response = await node.during(
          (tx) => tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [user.accountId]),
          act,
          (tx) => tx.query(role, [user.accountId, false]),
        );
        expect(response.body).toMatchObject({ statusCode: 403, code: 'forbidden' });
        await sql(role, [user.accountId, true]);
      }
      expect(await keysOf()).toEqual([id]);
    });
  });

  describe('the list of API keys', () => {
    it('the service lists the account’s keys without secrets, newest first, page by page', async () => {
      const made = [];
      for (const name of ['a', 'b', 'c', 'd', 'e']) made.unshift((await node.createKey(user, { name })).id);
      await node.createKey(await node.register());
      const seen: string[] = [];
      for (let query: string | null = '?limit=2'; query !== null;) {
        const { body, text }: { body: Listed; text: string } = await list(query);
        expect(text).not.toMatch(/"\w*hash"|"key"|secret/i);
        seen.push(...body.data.map(({ id }) => id));
        query = body.nextCursor && `?limit=2&cursor=${body.nextCursor}`;
      }
      // The list falls back to the order of ids, because the fixed clock gives all keys the same creation time.
      expect(seen).toEqual([...made].sort().reverse());
    });

    it('400 validation_failed for a cursor that another list returned', async () => {
      const forged = (...values: string[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
      const cursors = [
        'x',
        forged('2026-11-20T10:00:00.000Z'),
        forged('yesterday', 'A'.repeat(22)),
        forged('', '\u0000'),
      ];
      for (const cursor of cursors) {
        expect((await list(`?cursor=${cursor}`)).body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
      }
      const strangeZone = forged('2026-11-20T10:00:00.000+23:00', 'A'.repeat(22));
      expect((await list(`?cursor=${strangeZone}`)).status).toBe(200);
    });
  });

  describe('the last use of an API key', () => {
    const lastUse = async (id: string) => {
      const sql = 'SELECT last_used_at FROM api_key WHERE id = $1';
      const [row] = await node.app.get(DataSource).query<{ last_used_at: Date | null }[]>(sql, [id]);
      return row?.last_used_at?.toISOString();
    };

    const isWaitingForTheRow = async () => (await node.app.get(DataSource).query<unknown[]>(lockWaitsSql)).length > 0;

    it('the service records the last use of an API key to the minute', async () => {
      const { key, id } = await node.createKey(user);
      const uses: (string | undefined)[] = [];
      for (const seconds of [0, 59, 60]) {
        const own = await AccountsNode.start();
        own.clock.advance(seconds);
        await Promise.all([use(key, own), use(key, own), use(key, own)]);
        await own.stop();
        uses.push(await lastUse(id));
      }
      expect(uses).toEqual(['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.000Z', '2026-11-20T10:01:00.000Z']);
    });

    it('the service records the last use of an API key even if the node shuts down during the request', async () => {
      const own = await AccountsNode.start();
      const { key, id } = await node.createKey(user);
      const server = own.app.getHttpServer();
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': 2 };
      const { port } = server.address() as AddressInfo;
      const inFlight = httpRequest({ port, path: '/routes/passes', headers, agent: false });
      let hasResponse = false;
      inFlight.on('response', (response) => (hasResponse = response.resume().statusCode === 200));
      const responded = once(inFlight, 'close');
      inFlight.write('{');
      await once(server, 'request');
      let stopped: Promise<void> | undefined;
      await node.app.get(DataSource).transaction(async (tx) => {
        await tx.query('SELECT 1 FROM api_key WHERE account_id = $1 AND id = $2 FOR UPDATE', [user.accountId, id]);
        stopped = own.stop();
        while (server.listening) await turnOfTheEventLoop();
        inFlight.end('}');
        while (!hasResponse && !(await isWaitingForTheRow())) await turnOfTheEventLoop();
        // The response waits until the last use is written, because the database closes after it.
        expect(hasResponse).toBe(false);
      });
      await Promise.all([responded, stopped]);
      expect(hasResponse).toBe(true);
      expect(await lastUse(id)).toBe('2026-11-20T10:00:00.000Z');
    });
  });
});

function partsOf(key: string): ApiKeyParts {
  const parts = parseApiKey(key);
  if (!parts) throw new Error(`${key} is not an API key`);
  return parts;
}

interface Listed {
  data: { id: string }[];
  nextCursor: string | null;
}
