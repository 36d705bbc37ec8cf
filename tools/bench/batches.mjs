/**
 * Benchmarks how fast batches and imports create passes. Compares them with COPY of the same rows, which is the limit
 * of the database. All variants take turns on one service and one Postgres, which writes durably:
 *
 * - COPY into the table `pass` with all its indexes, triggers and counters, from a file on the server
 * - COPY into a table with the same indexes, without triggers and foreign keys
 * - a batch in one request, and as many simultaneous batches as an import sends
 * - `passwright passes import` of a CSV file
 *
 *   npm run build && node tools/bench/batches.mjs [lines of a slice, default 50000] [rounds, default 3] [folder of another
 *   checkout whose build is measured]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './load.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { cpuSeconds, machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const lines = Number(process.argv[2] ?? 50_000);
const rounds = Number(process.argv[3] ?? 3);
const atOnce = 3;
const checkout = process.argv[4] && resolve(process.argv[4]);
const cli = join(checkout ?? fileURLToPath(new URL('../..', import.meta.url)), 'apps/cli/dist/main.js');
/**
 * The columns of `pass` that the service writes. Each has the SQL expression that exports its value, so that COPY can
 * import the row into another template.
 */
const columns = {
  account_id: 'account_id',
  template_id: `'copied'`,
  template_type: 'template_type',
  id: 'id',
  serial_number: 'reverse(serial_number)',
  code: 'code',
  fields: 'fields',
  back_fields: 'back_fields',
  locations: 'locations',
  metadata: 'metadata',
  version: 'version',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

await withServers(async (servers) => {
  const database = await emptyDatabase({ migrated: checkout === undefined });
  servers.onStop(database.remove);
  const service = await servers.startService({ DATABASE_URL: database.url }, { checkout });
  const account = await openAccount(service);
  for (const id of ['batched', 'imported', 'copied']) await saveTemplate(account, service.url, id, id);
  const { client } = database;
  await client.query('CREATE TABLE bare (LIKE pass INCLUDING ALL)');
  const file = join((await client.query('SHOW data_directory')).rows[0].data_directory, 'rows.copy');
  const copyInto = (table) => () => client.query(`COPY ${table} (${Object.keys(columns).join()}) FROM '${file}'`);
  const slices = {
    'COPY into pass': copyInto('pass'),
    'COPY, no triggers': copyInto('bare'),
    'a batch': (round) => batch(service, account, `${round}-one`, lines),
    [`${atOnce} batches at once`]: (round) =>
      Promise.all(
        Array.from({ length: atOnce }, (_, n) => batch(service, account, `${round}-${n}`, Math.ceil(lines / atOnce))),
      ),
    import: (round) => importTable(servers.dir, service, account, round),
  };
  const figures = Object.fromEntries(Object.keys(slices).map((name) => [name, []]));
  // Round 0 is not counted: it fills caches and warms up the service. Each round also creates the rows for COPY.
  for (let round = 0; round <= rounds; round += 1) {
    await batch(service, account, `${round}-copied`, lines);
    await client.query(
      `COPY (SELECT ${Object.values(columns).join()} FROM pass WHERE template_id = 'batched' AND id LIKE '${round}-copied-%')
       TO '${file}'`,
    );
    for (const [name, slice] of Object.entries(slices)) {
      await client.query('CHECKPOINT');
      const measured = await measure(database, service, () => slice(round));
      if (round > 0) figures[name].push(measured);
    }
  }
  tell(figures);
});

/** Measures a slice. @returns lines per second, and CPU per line in µs of the service and of Postgres */
async function measure(database, service, slice) {
  const before = [performance.now(), cpuSeconds(service.pid), database.cpuSeconds()];
  await slice();
  const perLine = (seconds) => (seconds / lines) * 1e6;
  return {
    rate: lines / ((performance.now() - before[0]) / 1000),
    service: perLine(cpuSeconds(service.pid) - before[1]),
    postgres: perLine(database.cpuSeconds() - before[2]),
  };
}

async function batch({ url }, { key }, prefix, count) {
  const body = Array.from({ length: count }, (_, n) => {
    const fields = [{ key: 'seat', label: 'Seat', value: `${n}` }];
    return `${JSON.stringify({ id: `${prefix}-${n}`, fields, metadata: { name: `Person ${n}` } })}\n`;
  }).join('');
  const sending = request(`${url}/v1/pass/batched/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' },
  });
  sending.end(body);
  const [response] = await once(sending, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('latin1')) text += chunk;
  const issued = text.split('"walletAUrl"').length - 1;
  if (issued !== count) throw new Error(`${issued} of ${count} lines were issued: ${text.slice(-500)}`);
}

async function importTable(dir, { url }, { key }, round) {
  const table = join(dir, `people-${round}.csv`);
  writeFileSync(table, `Name,Seat\n${Array.from({ length: lines }, (_, n) => `Person ${n},${n}\n`).join('')}`);
  const words = [
    'passes',
    'import',
    table,
    '-t',
    'imported',
    '--map',
    'fields.seat=Seat',
    '--map',
    'metadata.name=Name',
  ];
  const env = { ...process.env, HOME: dir, PASSWRIGHT_URL: url, PASSWRIGHT_KEY: key };
  const [code] = await once(
    spawn(process.execPath, [cli, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] }),
    'exit',
  );
  if (code !== 0) throw new Error(`the import ended with ${code}`);
}

function tell(figures) {
  const [copy] = Object.values(figures);
  const of = (name, all) => median(all.map((figure) => figure[name]));
  console.log(`\n${machine}; medians of ${rounds} rounds of ${lines} lines`);
  console.log(`${''.padEnd(20)}  lines/s  beside COPY   CPU of a line, µs: service  Postgres`);
  for (const [name, all] of Object.entries(figures)) {
    const rate = of('rate', all);
    // Compare each rate with that of COPY in the same round, because the machine's speed varies between rounds.
    const share = median(all.map((figure, round) => figure.rate / copy[round].rate));
    console.log(
      `${name.padEnd(20)}${rate.toFixed(0).padStart(9)}${share.toFixed(2).padStart(13)}` +
        `${of('service', all).toFixed(0).padStart(29)}${of('postgres', all).toFixed(0).padStart(10)}`,
    );
  }
}
