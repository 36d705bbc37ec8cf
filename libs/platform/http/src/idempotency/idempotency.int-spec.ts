import { NotFound, PreconditionFailed, randomId, RateLimited } from '@passwright/core';
import { FixedClock, testDatabase } from '@passwright/testing';
import { TestApp } from '../test-app.fixtures.js';
import { IdempotencyRepository } from './idempotency.repository.js';

const HOUR_SECONDS = 3600;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  const { url } = await testDatabase();
  const clock = new FixedClock();
  [app, other] = await Promise.all([TestApp.start(url, 0, clock), TestApp.start(url, 0, clock)]);
});
afterAll(() => Promise.all([app.stop(), other.stop()]));

interface Call {
  readonly node?: TestApp;
  readonly method?: string;
  readonly path?: string;
  readonly account: string;
  readonly key?: string;
  readonly body?: string | FormData;
}

interface ApiResponse {
  readonly status: number;
  readonly bytes: string;
  readonly replayed: boolean;
  readonly headers: Headers;
}

async function call({
  node = app,
  method = 'POST',
  path = '/v1/things',
  account,
  key,
  body,
}: Call): Promise<ApiResponse> {
  const headers = new Headers({ Authorization: `Bearer ${account}` });
  if (key !== undefined) headers.set('Idempotency-Key', key);
  if (typeof body === 'string') headers.set('Content-Type', 'application/json');
  const response = await fetch(node.url + path, { method, headers, body });
  const bytes = Buffer.from(await response.arrayBuffer()).toString('hex');
  return {
    status: response.status,
    bytes,
    replayed: response.headers.get('idempotency-replayed') === 'true',
    headers: response.headers,
  };
}

const runs = () => app.things.runs + other.things.runs;
const code = ({ bytes }: ApiResponse) => (JSON.parse(Buffer.from(bytes, 'hex').toString()) as { code: string }).code;

/** Returns how many rows the handlers have written under this name. */
async function made(name: string): Promise<number> {
  const [row] = await app.database.reads.query<{ made: number }[]>(
    'SELECT count(*)::int AS made FROM account WHERE name = $1',
    [name],
  );
  return row?.made ?? 0;
}

/** Builds a write request of a new account, with an idempotency key and a unique name for its rows. */
function fresh() {
  const name = randomId();
  return { name, request: { account: `acc_${randomId()}`, key: randomId(), body: JSON.stringify({ name }) } };
}

/** Makes the handlers of these nodes wait before they write, until the test calls `open`. */
function barrierOf(...nodes: TestApp[]): { open(): void } {
  let open: () => void = () => undefined;
  const barrier = new Promise<void>((resolve) => (open = resolve));
  for (const { things } of nodes) things.barrierBeforeWriting = barrier;
  return {
    open: () => {
      for (const { things } of nodes) things.barrierBeforeWriting = Promise.resolve();
      open();
    },
  };
}

const identityOf = (account: string) => ({
  accountId: `acc_${account}`,
  key: 'key',
  share: 'acc',
  keyHash: Buffer.from('k'),
  requestHash: Buffer.from('r'),
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

describe('a repeated key from the same caller, with the same route and body', () => {
  it('a repeated key gets the first response byte for byte from any node', async () => {
    const { name, request } = fresh();
    const before = runs();
    const first = await call(request);
    const second = await call({ ...request, node: other });
    expect([first.status, first.replayed, second.status, second.replayed]).toEqual([201, false, 201, true]);
    expect(second.bytes).toBe(first.bytes);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect([runs() - before, await made(name)]).toEqual([1, 1]);
  });

  it('twenty simultaneous requests with one key on two nodes get one response and make one change', async () => {
    const { name, request } = fresh();
    const calls = Array.from({ length: 20 }, (_, i) => call({ ...request, node: i % 2 === 0 ? app : other }));
    const responses = await Promise.all(calls);
    expect(new Set(responses.map(({ bytes }) => bytes)).size).toBe(1);
    expect(responses.map(({ status }) => status)).toEqual(new Array(20).fill(201));
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await made(name)).toBe(1);
  });

  it('429 rate_limited for a large response once an account has stored 256 MiB in a day', async () => {
    const { name, request } = fresh();
    const large = () => call({ ...request, path: '/v1/large', key: randomId() });
    await app.database.reads.query(
      `INSERT INTO rate_limit VALUES ($1, $2, (extract(epoch FROM now()) * 1000)::bigint + 3600000)`,
      [`stored:${request.account}`, 256 * 2 ** 20 - 250_000],
    );
    const first = await large();
    expect(first.status).toBe(201);
    const rejected = await large();
    expect([rejected.status, code(rejected), await made(name)]).toEqual([429, 'rate_limited', 1]);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect((await call(request)).status).toBe(201);
    expect((await call({ ...request, path: '/v1/large', key: undefined })).status).toBe(201);
  });

  it('429 rate_limited once the accounts of one founder have stored a million small responses in a day', async () => {
    const founder = `usr_${randomId()}`;
    const { name, request } = fresh();
    await app.database.reads.query(
      `INSERT INTO rate_limit VALUES ($1, 999999, (extract(epoch FROM now()) * 1000)::bigint + 3600000)`,
      [`stored-small:${founder}`],
    );
    const small = (n: number) => call({ ...request, account: `acc_${n}_${name} of ${founder}`, key: randomId() });
    for (let n = 0; n < 249; n++) expect((await small(n)).status).toBe(201);
    for (let n = 0; n < 2; n++) {
      const rejected = await small(n);
      expect([rejected.status, code(rejected), await made(name)]).toEqual([429, 'rate_limited', 249]);
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(3500);
    }
    expect((await call(request)).status).toBe(201);
  }, 120_000);

  it('a counter of stored responses with a day far in the future is ignored, because a wrong clock wrote it', async () => {
    const { request } = fresh();
    await app.database.reads.query(
      `INSERT INTO rate_limit VALUES ($1, $2, (extract(epoch FROM now()) * 1000)::bigint + 400 * 86400000::bigint)`,
      [`stored:${request.account}`, 2 ** 30],
    );
    expect((await call({ ...request, path: '/v1/large', key: randomId() })).status).toBe(201);
  });

  it('a repeated key gets the entity tag of the first response, and an empty body as empty', async () => {
    const { request } = fresh();
    const put = { ...request, method: 'PUT', path: '/v1/things/7' };
    const [first, second] = [await call(put), await call(put)];
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(first.headers.get('etag')).toMatch(/^".+"$/);
    const remove = { account: request.account, key: randomId(), method: 'DELETE', path: '/v1/things/7' };
    expect(await call(remove)).toMatchObject({ status: 204, bytes: '', replayed: false });
    expect(await call(remove)).toMatchObject({ status: 204, bytes: '', replayed: true });
  });

  it('a stored response is encrypted in the database', async () => {
    const { name, request } = fresh();
    const hex = Buffer.from(name).toString('hex');
    expect((await call(request)).bytes).toContain(hex);
    const [row] = await app.database.reads.query(`SELECT i::text AS all FROM idempotency_key i WHERE account_id = $1`, [
      request.account,
    ]);
    expect(row.all).not.toContain(name);
    expect(await call(request)).toMatchObject({ replayed: true, bytes: expect.stringContaining(hex) });
  });

  it('a stored response is forgotten after 24 hours', async () => {
    const { name, request } = fresh();
    await call(request);
    app.clock.advance(24 * HOUR_SECONDS - 1);
    expect((await call(request)).replayed).toBe(true);
    app.clock.advance(1);
    expect((await call(request)).replayed).toBe(false);
    expect((await call(request)).replayed).toBe(true);
    expect(await made(name)).toBe(2);
  });
});

describe('a repeated key from a different request', () => {
  it('409 idempotency_key_reused with another body or query', async () => {
    const { request, name } = fresh();
    await call(request);
    const another = await call({ ...request, body: JSON.stringify({ name, weight: 1 }) });
    expect([another.status, code(another)]).toEqual([409, 'idempotency_key_reused']);
    expect(code(await call({ ...request, path: '/v1/things?x=1' }))).toBe('idempotency_key_reused');
    expect((await call(request)).replayed).toBe(true);
  });

  it('the same key is a different key for another caller, method or path', async () => {
    const { request } = fresh();
    await call(request);
    expect((await call({ ...request, account: `acc_${randomId()}` })).replayed).toBe(false);
    expect((await call({ ...request, method: 'PUT', path: '/v1/things/1' })).replayed).toBe(false);
    expect((await call({ ...request, method: 'PUT', path: '/v1/things/2' })).replayed).toBe(false);
  });

  it.each(['x'.repeat(256), 'with space', 'ünicode', ''])(
    '400 validation_failed for the invalid key %j; the message names the header',
    async (key) => {
      const reply = await call({ ...fresh().request, key });
      expect([reply.status, code(reply)]).toEqual([400, 'validation_failed']);
      expect(Buffer.from(reply.bytes, 'hex').toString()).toContain('Idempotency-Key');
    },
  );

  it('a key may have 255 visible ASCII characters', async () => {
    const { request } = fresh();
    const key = `${'~!'.repeat(127)}"`;
    expect((await call({ ...request, key })).status).toBe(201);
    expect((await call({ ...request, key })).replayed).toBe(true);
  });
});

describe('failures', () => {
  it("a 4xx response is stored, but the handler's changes are rolled back", async () => {
    const { name, request } = fresh();
    app.things.failNext = new NotFound('There is no such thing.');
    const first = await call(request);
    const second = await call(request);
    expect([first.status, code(first), second.replayed]).toEqual([404, 'not_found', true]);
    expect(second.bytes).toBe(first.bytes);
    const link = '<http://localhost/errors#not_found>; rel="help"';
    expect([first, second].map(({ headers }) => headers.get('link'))).toEqual([link, link]);
    expect(JSON.parse(Buffer.from(first.bytes, 'hex').toString())).toMatchObject({
      docUrl: 'http://localhost/errors#not_found',
    });
    expect(await made(name)).toBe(0);
  });

  it('the error response to an invalid body is stored', async () => {
    const { request } = fresh();
    const invalid = { ...request, body: '{"nome":"x"}' };
    const [first, second] = [await call(invalid), await call(invalid)];
    expect([first.status, second.status, second.replayed]).toEqual([400, 400, true]);
    expect(second.bytes).toBe(first.bytes);
  });

  it.each([
    ['a crash', new Error('crash'), 500],
    ['a limit', new RateLimited('Later.', 1), 429],
    ['an old If-Match', new PreconditionFailed('thing', '"2"'), 412],
  ])('no response is stored after %s, so that the handler runs again at the retry', async (_, failure, status) => {
    const { name, request } = fresh();
    app.things.failNext = failure;
    expect((await call(request)).status).toBe(status);
    expect(await made(name)).toBe(0);
    const retry = await call(request);
    expect([retry.status, retry.replayed, await made(name)]).toEqual([201, false, 1]);
  });

  it('a waiting request runs its handler when the first request with the same key fails', async () => {
    const { name, request } = fresh();
    let open: () => void = () => undefined;
    app.things.barrier = new Promise((resolve) => (open = resolve));
    app.things.failNext = new Error('crash');
    const before = app.things.writes;
    const first = call(request);
    // Wait until the first request has claimed the key.
    await until(() => app.things.writes > before);
    const second = call({ ...request, node: other });
    open();
    app.things.barrier = Promise.resolve();
    expect((await first).status).toBe(500);
    expect(await second).toMatchObject({ status: 201, replayed: false });
    expect(await made(name)).toBe(1);
  });
});

describe('the transaction', () => {
  /** Sends a request to both nodes. Each begins before the other has a response. */
  async function onBothNodesAtOnce(request: Call): Promise<ApiResponse[]> {
    const barrier = barrierOf(app, other);
    const before = [app.things.runs, other.things.runs];
    const responses = [call(request), call({ ...request, node: other })];
    await until(() => app.things.runs > Number(before[0]) && other.things.runs > Number(before[1]));
    barrier.open();
    return Promise.all(responses);
  }

  it('a request takes no database connection before its handler writes', async () => {
    const small = await TestApp.start((await testDatabase()).url, 0, app.clock, { poolSize: 2 });
    const barrier = barrierOf(small);
    const waiting = [fresh(), fresh(), fresh()].map(({ request }) => call({ ...request, node: small }));
    await until(() => small.things.runs === waiting.length && small.takenConnections === 0);
    small.things.barrierBeforeWriting = Promise.resolve();
    expect((await call({ ...fresh().request, node: small })).status).toBe(201);
    barrier.open();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(small.takenConnections).toBe(0);
    await small.stop();
  });

  it('only one of two duplicates commits its writes, even if both nodes are about to write', async () => {
    const { name, request } = fresh();
    const responses = await onBothNodesAtOnce(request);
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(responses.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect(responses[0]?.bytes).toBe(responses[1]?.bytes);
    expect(await made(name)).toBe(1);
  });

  it('a handler that writes nothing still has its response stored, and a duplicate gets its entity tag', async () => {
    const { request } = fresh();
    const put = { ...request, method: 'PUT', path: '/v1/things/7' };
    const responses = [...(await onBothNodesAtOnce(put)), await call(put)];
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(responses.map(({ bytes }) => bytes)).size).toBe(1);
    expect(new Set(responses.map(({ headers }) => headers.get('etag'))).size).toBe(1);
  });

  /**
   * Sends a request, and then a duplicate that finishes first.
   * @returns the responses of the request and the duplicate
   */
  async function overtaken(request: Call, prepare: () => void = () => undefined): Promise<[ApiResponse, ApiResponse]> {
    const barrier = barrierOf(app);
    const before = app.things.runs;
    const late = call(request);
    await until(() => app.things.runs > before);
    const first = await call({ ...request, node: other });
    prepare();
    barrier.open();
    return [await late, first];
  }

  it('a duplicate gets the first response even if its own handler would reject it', async () => {
    const put = { ...fresh().request, method: 'PUT', path: '/v1/things/7' };
    const [late, first] = await overtaken(put, () => (app.things.failNext = new NotFound('It is gone.')));
    expect(app.things.failNext).toBeNull();
    expect(late).toMatchObject({ status: 200, replayed: true, bytes: first.bytes });
  });

  it('a duplicate that gets the first response drops the headers that its own handler has set', async () => {
    const { request } = fresh();
    other.things.failNext = new NotFound('There is no such thing.');
    const [late, first] = await overtaken({ ...request, method: 'PUT', path: '/v1/things/7' });
    expect(late).toMatchObject({ status: 404, replayed: true, bytes: first.bytes });
    expect(late.headers.has('etag')).toBe(false);
  });

  it('a change is rolled back if the database connection breaks before the response is stored', async () => {
    const { name, request } = fresh();
    let open: () => void = () => undefined;
    app.things.barrier = new Promise((resolve) => (open = resolve));
    const before = app.things.writes;
    const crashed = call(request);
    await until(() => app.things.writes > before);
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND state = 'idle in transaction'`;
    await other.database.reads.query(sql);
    app.things.barrier = Promise.resolve();
    open();
    expect((await crashed).status).toBe(503);
    expect(await made(name)).toBe(0);
    expect(await call(request)).toMatchObject({ status: 201, replayed: false });
    expect(await made(name)).toBe(1);
  });

  it('a node returns a response that an earlier version has stored without a lock', async () => {
    const { name, request } = fresh();
    let open: () => void = () => undefined;
    app.things.barrier = new Promise((resolve) => (open = resolve));
    const claimed = jest.spyOn(app.app.get(IdempotencyRepository), 'claim');
    const before = app.things.writes;
    const late = call(request);
    await until(() => app.things.writes > before);
    const stored = `INSERT INTO idempotency_key (account_id, key_hash, request_hash, created_at, status_code, headers, body)
      VALUES ($1, $2, $3, $4, 201, '{}', '{}')`;
    const [keyHash, requestHash] = claimed.mock.calls.map(([, identity]) => [
      identity.keyHash,
      identity.requestHash,
    ])[0]!;
    await other.database.reads.query(stored, [request.account, keyHash, requestHash, app.clock.now()]);
    app.things.barrier = Promise.resolve();
    open();
    claimed.mockRestore();
    expect(await late).toMatchObject({ status: 201, replayed: true, bytes: Buffer.from('{}').toString('hex') });
    expect(await made(name)).toBe(0);
  });

  it('all transactions of a handler, even simultaneous ones, commit or roll back together', async () => {
    const { name, request } = fresh();
    const pair = { ...request, path: '/v1/pairs' };
    app.things.failNext = new NotFound('There is no such thing.');
    expect([(await call(pair)).status, await made(name)]).toEqual([404, 0]);
    const again = { ...pair, key: randomId() };
    expect([(await call(again)).status, (await call(again)).replayed, await made(name)]).toEqual([201, true, 2]);
  });
});

describe('exempt routes', () => {
  it('a response that contains a secret is never stored', async () => {
    const { request } = fresh();
    const secret = { ...request, path: '/v1/secrets', body: '{}' };
    const [first, second] = [await call(secret), await call(secret)];
    expect(second.replayed).toBe(false);
    expect(second.bytes).not.toBe(first.bytes);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const rows = await app.database.reads.query<unknown[]>('SELECT 1 FROM idempotency_key WHERE account_id = $1', [
      request.account,
    ]);
    expect(rows).toEqual([]);
  });

  it('uploads, and requests without a caller or key, never get a stored response', async () => {
    const form = new FormData();
    form.append('file', new Blob(['x']), 'a.png');
    const { request } = fresh();
    const upload = { ...request, path: '/v1/files', body: form };
    expect([(await call(upload)).replayed, (await call(upload)).replayed]).toEqual([false, false]);
    const empty = { ...upload, body: undefined };
    expect((await call(empty)).status).toBe(201);
    expect(await call({ ...empty, path: '/v1/files?other=1' })).toMatchObject({ status: 201, replayed: false });
    const { key: _, ...keyless } = request;
    expect([(await call(keyless)).replayed, (await call(keyless)).replayed]).toEqual([false, false]);
    const anonymous = { ...request, account: '' };
    expect([(await call(anonymous)).replayed, (await call(anonymous)).replayed]).toEqual([false, false]);
  });
});

describe('IdempotencyRepository.complete', () => {
  it('IdempotencyRepository.complete writes the row of a key once and leaves no dead row', async () => {
    const keys = app.app.get(IdempotencyRepository);
    const identity = identityOf(randomId());
    const reply = { statusCode: 201, headers: {}, body: '{}' };
    // Add up the partitions, because the table may be partitioned.
    const countsSql = `SELECT sum(n_tup_ins)::int AS inserted, sum(n_tup_upd)::int AS updated, sum(n_tup_del)::int AS deleted
      FROM pg_stat_xact_user_tables WHERE relname = 'idempotency_key'`;
    await app.database.transaction(async (tx) => {
      const [before] = await tx.query<{ inserted: number }[]>(countsSql);
      await keys.claim(tx, identity, app.clock.now());
      await keys.complete(tx, identity, reply, app.clock.now());
      expect(await tx.query(countsSql)).toEqual([{ ...before, inserted: Number(before?.inserted) + 1 }]);
    });
    expect(await keys.findStored(identity, app.clock.now())).toMatchObject(reply);
  });
});

describe('IdempotencyRepository.claim', () => {
  it('IdempotencyRepository.claim does not change the lock timeout of the transaction', async () => {
    const keys = app.app.get(IdempotencyRepository);
    const identity = identityOf(randomId());
    await app.database.transaction(async (tx) => {
      const before = await tx.query('SHOW lock_timeout');
      await keys.claim(tx, identity, app.clock.now());
      expect(await tx.query('SHOW lock_timeout')).toEqual(before);
    });
  });

  it('429 rate_limited for a request that waits too long for another transaction with the same key', async () => {
    const keys = app.app.get(IdempotencyRepository);
    const identity = identityOf(randomId());
    await app.database.transaction(async (holder) => {
      expect(await keys.claim(holder, identity, app.clock.now())).toBeNull();
      const second = other.database.transaction((tx) => keys.claim(tx, identity, app.clock.now(), 20));
      await expect(second).rejects.toMatchObject({ code: 'rate_limited', headers: { 'Retry-After': '5' } });
    });
  });
});

describe('IdempotencyRepository.deleteExpired', () => {
  it('IdempotencyRepository.deleteExpired deletes only expired rows, in batches', async () => {
    const account = `acc_${randomId()}`;
    await app.database.transaction((tx) =>
      tx.query(
        `INSERT INTO idempotency_key (account_id, key_hash, request_hash, created_at)
         SELECT $1, decode(lpad(to_hex(i), 8, '0'), 'hex'), '', timestamptz '2020-01-03' - i * interval '1 minute'
         FROM generate_series(0, 4000) AS i`,
        [account],
      ),
    );
    await app.app.get(IdempotencyRepository).deleteExpired(new Date('2020-01-03T01:00:00.000Z'));
    const [left] = await app.database.reads.query<object[]>(
      `SELECT count(*)::int AS kept FROM idempotency_key WHERE account_id = $1`,
      [account],
    );
    // The database keeps the keys of the last 24 hours, so 1440 minutes and the current one remain.
    expect(left).toEqual({ kept: 1441 });
  });
});
