/**
 * Benchmarks the issuing of single passes. Compares requests to the service with a plain INSERT of the same row, which
 * is as durable and fires the same counting trigger. Both take turns on one Postgres, with the same number of
 * connections.
 *
 *   npm run build && node tools/bench/issue.mjs [seconds, default 3] [rounds, default 5] [connections, default 1,8,16]
 */
import pg from 'pg';
import { load, median } from './load.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const seconds = Number(process.argv[2] ?? 3);
const rounds = Number(process.argv[3] ?? 5);
const crowds = (process.argv[4] ?? '1,8,16').split(',').map(Number);
const goal = 0.4;

const insert = `
  INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations, metadata,
    version, created_at, updated_at)
  VALUES ($1, 'offer', 'offer', $2, $1 || $2, $2, '[]', '[]', '[]', '{}', 1, now(), now())`;
let inserted = 0;

await withServers(async (servers) => {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  const service = await servers.startService({ DATABASE_URL: database.url, RATE_LIMIT_PER_MINUTE: '0' });
  const account = await openAccount(service);
  await saveTemplate(account, service.url, 'offer', 'Benchmark');
  const sides = {
    'bare insert': (crowd) => insertPasses(database.url, account.accountId, crowd),
    service: (crowd) => issuePasses(service, account.key, crowd),
  };
  console.log(`\n${machine}, medians of ${rounds} rounds of ${seconds} s; the load comes from this machine too\n`);
  for (const crowd of crowds) await compare(crowd, sides, database);
});

async function compare(crowd, sides, database) {
  const slices = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(sides)) {
      const cpuBefore = database.cpuSeconds();
      const { rate, cpu = 0 } = await run(crowd);
      const databaseCpu = ((database.cpuSeconds() - cpuBefore) / (rate * seconds)) * 1000;
      // The first round is not counted, because connections plan their statements in it.
      if (round >= 0) slices[name].push({ rate, cpu, databaseCpu });
    }
  }
  const middle = (name, figure) => median(slices[name].map((slice) => slice[figure]));
  for (const name of Object.keys(sides)) {
    const cpu = name === 'service' ? `, service ${middle(name, 'cpu').toFixed(2)} ms` : '';
    console.log(
      `${crowd} at once  ${name.padEnd(12)}${middle(name, 'rate').toFixed(0).padStart(6)}/s   CPU: Postgres ${middle(name, 'databaseCpu').toFixed(2)} ms${cpu}`,
    );
  }
  const ratio = median(slices.service.map(({ rate }, round) => rate / slices['bare insert'][round].rate));
  const verdict = crowd === 8 ? ` (goal ${goal}: ${ratio >= goal ? 'met' : 'MISSED'})` : '';
  console.log(`  the service reaches ${ratio.toFixed(2)} of the bare insert${verdict}\n`);
}

/** On each connection, inserts one pass after the other without a pause. */
async function insertPasses(connectionString, accountId, crowd) {
  const clients = Array.from({ length: crowd }, () => new pg.Client({ connectionString }));
  await Promise.all(clients.map((client) => client.connect()));
  const begin = performance.now();
  let count = 0;
  const lane = async (client) => {
    for (; performance.now() - begin < seconds * 1000; count += 1) {
      await client.query({ name: 'insert', text: insert, values: [accountId, `inserted${(inserted += 1)}`] });
    }
  };
  await Promise.all(clients.map(lane));
  const rate = (count / (performance.now() - begin)) * 1000;
  await Promise.all(clients.map((client) => client.end()));
  return { rate };
}

function issuePasses(service, key, crowd) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return load(seconds, service, { method: 'POST', path: '/v1/pass/offer', body: '{}', headers }, crowd);
}
