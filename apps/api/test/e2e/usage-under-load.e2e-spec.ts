import { UsageService } from '@passwright/billing';
import { Database } from '@passwright/database';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { type Account, type ApiResponse, RunningService } from '../support/running-service.js';

/*
 * Simulates the failures that prevent the check of an account's limit. Each creation over the limit must get 403, or
 * 503 with Retry-After.
 */

const CONNECTIONS = 4;

let service: RunningService;
let account: Account;
/** Connections to the database from outside of the service. */
let outside: DataSource;

beforeAll(async () => {
  service = await RunningService.start({
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    DATABASE_STATEMENT_SECONDS: '1',
  });
  const { url } = await testDatabase();
  outside = await new DataSource({ type: 'postgres', url, poolSize: 2 }).initialize();
  account = await service.register();
  await account.saveTemplate('offer');
  await limit(1);
  expect((await create(0)).status).toBe(201);
});
afterEach(async () => {
  await outside.query('DROP TRIGGER IF EXISTS staged ON pass; DROP FUNCTION IF EXISTS staged_failure');
  // After the failures, the service reports the limit again.
  expect(summary(await creations())).toEqual(['403 limit_exceeded']);
});
afterAll(async () => {
  await outside.destroy();
  await service.stop();
});

async function limit(most: number): Promise<void> {
  const database = service.app.get(Database);
  await database.transaction((tx) =>
    service.app.get(UsageService).changeTerms(tx, account.id, async () => {
      await tx.query(
        `INSERT INTO billing (account_id, max_pass_creations, operator_settings, updated_at) VALUES ($1, $2, '{}', now())`,
        [account.id, most],
      );
    }),
  );
}

/** Creates a pass without options, with an idempotency key, or with a chosen id, in turn. */
function create(n: number): Promise<ApiResponse> {
  const { token } = account;
  const path = n % 3 === 2 ? `/v1/pass/offer/p${n}` : '/v1/pass/offer';
  const headers: Record<string, string> = n % 3 === 1 ? { 'Idempotency-Key': crypto.randomUUID() } : {};
  return service.request('POST', path, { token, headers, body: {} });
}

function creations(): Promise<ApiResponse[]> {
  return Promise.all(Array.from({ length: 9 }, (_, n) => create(n)));
}

/** Returns the distinct outcomes, sorted. */
function summary(responses: readonly ApiResponse[]): string[] {
  const outcomes = responses.map(({ status, body, headers }) => {
    const when = headers.get('retry-after');
    return `${status} ${body.code}${when === null ? '' : `, retry after ${when} s`}`;
  });
  return [...new Set(outcomes)].sort();
}

/** Makes the database run a PL/pgSQL statement before it inserts a pass. */
async function stage(statement: string): Promise<void> {
  await outside.query(`
    CREATE FUNCTION staged_failure() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$;
    CREATE TRIGGER staged BEFORE INSERT ON pass FOR EACH ROW EXECUTE FUNCTION staged_failure()`);
}

const retry = ['503 not_ready, retry after 1 s'];

it('503 not_ready for a creation while all connections of the node are in use', async () => {
  const { master } = service.app.get(DataSource).driver as unknown as {
    master: { options: { connectionTimeoutMillis: number } };
  };
  const { connectionTimeoutMillis } = master.options;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const database = service.app.get(Database);
  const holders = Array.from({ length: CONNECTIONS }, () =>
    database.transaction(async (tx) => {
      await tx.query('SELECT');
      await released;
    }),
  );
  try {
    while (database.poolUse.used < CONNECTIONS) await new Promise((resolve) => setTimeout(resolve, 5));
    master.options.connectionTimeoutMillis = 200;
    expect(summary(await creations())).toEqual(retry);
  } finally {
    master.options.connectionTimeoutMillis = connectionTimeoutMillis;
    release();
    await Promise.all(holders);
  }
});

it.each([
  ['the terms of the account', 'SELECT pg_advisory_xact_lock(usage_lock($1))'],
  ['the template', 'SELECT FROM template WHERE account_id = $1 FOR UPDATE'],
])('503 not_ready for a creation while another transaction holds the lock on %s', async (_, sql) => {
  await outside.transaction(async (tx) => {
    await tx.query(sql, [account.id]);
    expect(summary(await creations())).toEqual(retry);
  });
});

it('503 not_ready for a creation that exceeds the time limit of a statement', async () => {
  await stage('PERFORM pg_sleep(5)');
  expect(summary(await creations())).toEqual(retry);
});

it.each(['40P01', '40001', '25P03', '25P04', '53100', '53200', '53300', '55P03', '57P01', '58030'])(
  '503 not_ready for a creation if each of its attempts ends with the SQL state %s',
  async (code) => {
    await stage(`RAISE EXCEPTION 'staged' USING ERRCODE = '${code}'`);
    expect(summary(await creations())).toEqual(retry);
  },
);

it('403 limit_exceeded or 503 not_ready for creations whose connections break', async () => {
  await stage('PERFORM pg_sleep(0.2)');
  const running = creations();
  const cutSql = `SELECT count(pg_terminate_backend(pid))::int AS cut FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ILIKE '%INSERT INTO%pass%' AND state = 'active'`;
  let cut = 0;
  while (cut === 0) cut = (await outside.query<[{ cut: number }]>(cutSql))[0].cut;
  expect(summary(await running)).toEqual(['403 limit_exceeded', ...retry]);
});
