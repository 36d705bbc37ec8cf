import { testDatabase } from '@passwright/testing';
import { Client } from 'pg';
import { EventsWorld } from './events.fixtures.js';

let world: EventsWorld;
let client: Client;
/** The plan of every executed statement, including those within triggers. */
let plans: string[] = [];

beforeAll(async () => {
  world = await EventsWorld.start();
  const { url } = await testDatabase();
  client = new Client({ connectionString: url });
  await client.connect();
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0;
    SET auto_explain.log_nested_statements = on; SET auto_explain.log_level = 'notice'`);
});
afterAll(async () => {
  await client.end();
  await world.stop();
});

/** Runs statements one after another and returns the plans of all statements that they caused. */
async function plansOf(statements: readonly [sql: string, values: readonly unknown[]][]): Promise<string[]> {
  plans = [];
  for (const [sql, values] of statements) await client.query(sql, [...values]);
  return [...plans];
}

/**
 * Matches a plan that a planner setting has disabled. Before Postgres 18, it has a cost of at least 10^10; later
 * versions mark it in EXPLAIN.
 */
const forbidden = /cost=\d+\.\d+\.\.\d{10,}|Disabled: true/;

const insertPasses = `
  INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations, metadata,
    version, created_at, updated_at)
  SELECT $1, 't', 'offer', 'p' || n, 'p' || n || $1, n, '[]', '[]', '[]', '{}', 1, now(), now()
  FROM generate_series(1, $2::int) AS n`;
const updatePasses = `UPDATE pass SET voided_at = now(), updated_at = now() + interval '1 s' WHERE account_id = $1`;

/** The default of `jit_above_cost`. Postgres compiles a plan with a greater cost if JIT is on. */
const WORTH_COMPILING = 100_000;
const costsOf = (seen: readonly string[]) =>
  seen.flatMap((text) => [...text.matchAll(/cost=[\d.]+\.\.([\d.]+)/g)].map(([, cost]) => Number(cost)));
/** Counts the database pages that these plans read. The first line about buffers in a plan covers the whole plan. */
const pagesOf = (seen: readonly string[]) =>
  seen.reduce((sum, text) => {
    const [, hit = '0', read = '0'] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(text) ?? [];
    return sum + Number(hit) + Number(read);
  }, 0);

it('Postgres from Debian’s packages has JIT, so that tests on Debian cover plans with JIT', async () => {
  await client.query('SET jit = on');
  const { rows } = await client.query<{ debian: boolean; jit: boolean }>(
    `SELECT version() ~ '^PostgreSQL \\S+ \\((Debian|Ubuntu)' AS debian, pg_jit_available() AS jit`,
  );
  await client.query('RESET jit');
  expect(rows[0]?.jit || !rows[0]?.debian).toBe(true);
});

it('a subscribed webhook makes the change of a pass read only a few more database pages, without JIT', async () => {
  await client.query('SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on; SET jit = on');
  const change = async (account: string) => {
    await client.query(insertPasses, [account, 1000]);
    await client.query('ANALYZE pass');
    // plpgsql caches a plan after five executions.
    for (let n = 0; n < 7; n++) await client.query(`${updatePasses} AND id = 'p1'`, [account]);
    return plansOf([[`${updatePasses} AND id = 'p1'`, [account]]]);
  };
  const called = await world.account();
  await world.webhook(called, { url: 'https://crm.example' });
  const [without, seen] = [await change(await world.account()), await change(called)];
  await client.query('RESET auto_explain.log_analyze; RESET auto_explain.log_buffers; RESET jit');
  expect(seen.join('\n')).toContain('INSERT INTO webhook_delivery');
  expect(seen.join('\n')).not.toContain('JIT:');
  expect(Math.max(...costsOf(seen))).toBeLessThan(WORTH_COMPILING);
  // The difference is about 90 pages. A plan that reads all passes reads more than one page per pass.
  expect(pagesOf(seen) - pagesOf(without)).toBeLessThan(300);
});

describe('changes in an account with a subscribed webhook', () => {
  let account: string;
  beforeEach(async () => {
    account = await world.account();
    await world.webhook(account, { url: 'https://crm.example' });
  });

  it('no trigger runs a plan that a planner setting has disabled', async () => {
    const seen = await plansOf([
      [insertPasses, [account, 3]],
      [updatePasses, [account]],
      [
        `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
         VALUES ($1, 'd', 'pass.x', $1, 't', now())`,
        [account],
      ],
      [
        `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
         VALUES ($1, 'd', 'p1' || $1, 't', now(), now())`,
        [account],
      ],
      [`DELETE FROM apple_registration WHERE account_id = $1`, [account]],
      [`UPDATE template SET updated_at = now() + interval '1 s' WHERE account_id = $1`, [account]],
      [`DELETE FROM pass WHERE account_id = $1`, [account]],
      [`DELETE FROM webhook WHERE account_id = $1`, [account]],
    ]);
    expect(seen.join('\n')).toContain('INSERT INTO webhook_delivery');
    expect(seen.filter((plan) => forbidden.test(plan))).toEqual([]);
  });

  it('a change of a thousand passes uses a hash or merge join, even if the plan was cached for changes of one pass', async () => {
    await client.query(insertPasses, [account, 1000]);
    await client.query('ANALYZE pass');
    // plpgsql caches a plan after five executions.
    for (let n = 0; n < 7; n++) await client.query(`${updatePasses} AND id = 'p1'`, [account]);
    const seen = await plansOf([[updatePasses, [account]]]);
    const join = seen.find((plan) => plan.includes('FULL JOIN')) ?? '';
    expect(join).toMatch(/(Hash|Merge) Full Join/);
  });
});
