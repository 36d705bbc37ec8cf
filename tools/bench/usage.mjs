/**
 * Benchmarks the cost of counting passes. Creates passes simultaneously over 1, 8 and 32 connections: first directly in
 * the table, then through the service. The Postgres serves only this benchmark and writes durably (fsync). There are
 * five variants:
 *
 * - the counters of the service, without a limit
 * - with a limit that is never reached
 * - with a limit that the last pass reaches
 * - without counters
 * - with one counter row per account, for which all connections must wait
 *
 * The variants take turns, each with an account of its own. Then measures how long the service takes to report the
 * usage of an account with a million passes and 1,000 templates.
 *
 *   npm run build && node tools/bench/usage.mjs [passes a turn, default 4000] [rounds, default 3] [seeded passes, default 1000000] [direct]
 */
import pg from 'pg';
import { countedRows, usageNowSql } from '../../libs/domain/billing/dist/usage/usage-sql.js';
import { PassUsageListener } from '../../libs/domain/passes/dist/usage/pass-usage.listener.js';
import { TemplateUsageListener } from '../../libs/domain/templates/dist/templates/template-usage.listener.js';
import { emptyDatabase } from './seeded-database.mjs';
import { machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const passes = Number(process.argv[2] ?? 4000);
const rounds = Number(process.argv[3] ?? 3);
const seededPasses = Number(process.argv[4] ?? 1_000_000);
const withService = process.argv[5] !== 'direct';
const crowds = [1, 8, 32];
/**
 * The number of passes that each client creates before the measurement, so that each connection has planned its
 * statements.
 */
const warmUp = 20;
const templateId = 'offer';
let accounts = 0;

const naive = `
  CREATE TABLE naive_count (account_id text PRIMARY KEY, created bigint NOT NULL, active bigint NOT NULL);
  CREATE FUNCTION count_naively() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO naive_count SELECT account_id, count(*), count(*) FROM issued GROUP BY account_id
    ON CONFLICT (account_id) DO UPDATE
      SET created = naive_count.created + excluded.created, active = naive_count.active + excluded.active;
    RETURN NULL;
  END $$;
  CREATE TRIGGER naive AFTER INSERT ON pass REFERENCING NEW TABLE AS issued
    FOR EACH STATEMENT EXECUTE FUNCTION count_naively();
  ALTER TABLE pass DISABLE TRIGGER naive`;

const insert = `
  INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations, metadata,
    version, created_at, updated_at)
  VALUES ($1, '${templateId}', 'offer', $2, $1 || $2, $2, '[{"key":"seat","label":"Seat","value":"14 A"}]', '[]', '[]', '{}', 1,
    now(), now())`;

/** The active counters and the limit of each variant. */
const variants = {
  uncounted: { on: [], limit: null },
  counted: { on: ['pass_issued'], limit: null },
  'limit far': { on: ['pass_issued'], limit: 100_000_000 },
  'limit reached': { on: ['pass_issued'], limit: 'reached' },
  'one row': { on: ['naive'], limit: null },
};

await withServers(async (servers) => {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  const { client } = database;
  await client.query(naive);
  console.log(`\n${machine}; passes per second, medians of ${rounds} rounds of ${passes} passes; the load is here too`);
  await compare('straight into the table', client, (crowd) => directly(database, crowd));
  await updatesInPlace(client);
  if (withService) {
    const ours = await servers.startService({ DATABASE_URL: database.url, RATE_LIMIT_PER_MINUTE: '0' });
    await compare('by the service', client, () => byService(ours));
  }
  await askedFor(client);
});

/**
 * Compares the variants, each with several numbers of simultaneous clients.
 * @param connect called with the number of clients; opens a new account and returns `{ accountId, create(worker, n),
 * close() }`. `create` creates one pass in the account
 */
async function compare(title, client, connect) {
  const rates = Object.fromEntries(Object.keys(variants).map((name) => [name, crowds.map(() => [])]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, crowd] of crowds.entries()) {
      for (const [name, variant] of Object.entries(variants)) {
        const { accountId, create, close } = await connect(crowd);
        await prepare(client, accountId, variant, passes + crowd * warmUp);
        rates[name][index].push(await rate(crowd, create));
        await close();
      }
    }
  }
  console.log(`\n${title.padEnd(24)}${crowds.map((crowd) => `${crowd} at once`.padStart(20)).join('')}`);
  for (const [name, perCrowd] of Object.entries(rates)) {
    const cells = perCrowd.map((of, index) => {
      const share = median(of) / median(rates.uncounted[index]);
      return `${Math.round(median(of))}/s (${share.toFixed(2)})`.padStart(20);
    });
    console.log(`${name.padEnd(24)}${cells.join('')}`);
  }
}

async function prepare(client, accountId, { on, limit }, all) {
  for (const trigger of ['pass_issued', 'naive']) {
    await client.query(`ALTER TABLE pass ${on.includes(trigger) ? 'ENABLE' : 'DISABLE'} TRIGGER ${trigger}`);
  }
  if (limit === null) return;
  await client.query(
    `INSERT INTO billing (account_id, max_pass_creations, operator_settings, updated_at) VALUES ($1, $2, '{}', now())`,
    [accountId, limit === 'reached' ? all : limit],
  );
}

/**
 * On each client, creates one pass after the other without a pause.
 * @returns the passes per second
 */
async function rate(crowd, create) {
  let made = 0;
  const work = async (worker, until) => {
    while (made < until) {
      made += 1;
      await create(worker, made);
    }
  };
  const all = (until) => Promise.all(Array.from({ length: crowd }, (_, worker) => work(worker, until)));
  await all(crowd * warmUp);
  const begin = process.hrtime.bigint();
  await all(crowd * warmUp + passes);
  return passes / (Number(process.hrtime.bigint() - begin) / 1e9);
}

async function directly({ url, client }, crowd) {
  const accountId = `acc_bench${(accounts += 1)}`;
  await makeAccount(client, accountId, 1);
  const clients = Array.from({ length: crowd }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((each) => each.connect()));
  const create = (worker, n) => clients[worker].query({ name: 'insert', text: insert, values: [accountId, `p${n}`] });
  return { accountId, create, close: () => Promise.all(clients.map((each) => each.end())) };
}

async function byService({ url }) {
  const account = await openAccount({ url });
  await saveTemplate(account, url, templateId, 'Benchmark');
  const create = () => account.call('POST', `/v1/pass/${templateId}`, {});
  return { accountId: account.accountId, create, close: () => undefined };
}

async function makeAccount(client, accountId, templates) {
  await client.query(`INSERT INTO account (id, name, created_at) VALUES ($1, 'Bench', now())`, [accountId]);
  await client.query(
    `INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
       sharing_prohibited, locations, fields, back_fields, revision, created_at, updated_at)
     SELECT $1, CASE n WHEN 0 THEN '${templateId}' ELSE 'offer' || n END, 'offer', 'Bench', 'Bench', '#000', '#fff', '{}',
       false, '[]', '[]', '[]', 1, now(), now() FROM generate_series(0, $2::int - 1) n`,
    [accountId, templates],
  );
}

/** Prints the share of counter updates that stayed in their database page. Other updates make indexes grow. */
async function updatesInPlace(client) {
  await client.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await client.query(
    `SELECT relname, n_tup_upd::int AS updates, n_tup_hot_upd::int AS in_place FROM pg_stat_user_tables
     WHERE relname IN ('pass_creation', 'active_pass') ORDER BY relname`,
  );
  for (const { relname, updates, in_place } of rows) {
    console.log(`${relname}: ${updates} updates, ${((in_place / updates) * 100).toFixed(1)} % in place`);
  }
}

async function askedFor(client) {
  const accountId = 'acc_large';
  await makeAccount(client, accountId, 1000);
  await client.query(`ALTER TABLE pass ENABLE TRIGGER pass_issued`);
  for (let from = 0; from < seededPasses; from += 100_000) {
    await client.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, expires_at, fields, back_fields,
         locations, metadata, version, created_at, updated_at)
       SELECT $1, CASE n % 1000 WHEN 0 THEN '${templateId}' ELSE 'offer' || n % 1000 END, 'offer', 'p' || n, 'large' || n,
         'c' || n, now() + (n % 400 + 1) * interval '1 day', '[]', '[]', '[]', '{}', 1, now(), now()
       FROM generate_series($2::int, $3::int - 1) n`,
      [accountId, from, Math.min(from + 100_000, seededPasses)],
    );
  }
  for (const table of ['pass', 'template', 'active_pass', 'pass_creation'])
    await client.query(`VACUUM (ANALYZE) ${table}`);
  const text = usageNowSql(countedRows([new TemplateUsageListener(), new PassUsageListener()]));
  const times = [];
  for (let asked = 0; asked < 200; asked += 1) {
    const begin = process.hrtime.bigint();
    await client.query({ name: 'usage', text, values: [accountId, new Date()] });
    times.push(Number(process.hrtime.bigint() - begin) / 1e6);
  }
  times.sort((a, b) => a - b);
  const size = seededPasses.toLocaleString('en');
  console.log(
    `\nusage with ${size} passes of 1,000 templates: ${times[100].toFixed(2)} ms, p99 ${times[197].toFixed(2)} ms`,
  );
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
