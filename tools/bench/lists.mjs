/**
 * Benchmarks the list of changed passes while more and more passes are registered, two per device. Random devices
 * request the list. Measures responses with no changed pass and with one changed pass. Compares them with a minimal
 * response of the framework («hello»), with and without one round trip to the same database. The variants take turns
 * under load. Then measures the database's work for one list, with the statement and the plan of the service. Finally
 * measures how long it takes to archive the template of all passes.
 *
 *   npm run build && node tools/bench/lists.mjs [numbers of passes, default 10000,100000,1000000] [rounds, default 3]
 */
import { findUpdated } from '../../libs/domain/apple-wallet/dist/devices/updated-passes.repository.js';
import { decodeTag } from '../../libs/domain/apple-wallet/dist/devices/update-tag.js';
import { loadedBy, median, race } from './load.mjs';
import { emptyDatabase, SeededPasses } from './seeded-database.mjs';
import { machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const sizes = (process.argv[2] ?? '10000,100000,1000000').split(',').map(Number);
const rounds = Number(process.argv[3] ?? 3);
const seconds = 4;
const askers = 20_000;
const templateId = 'offer';
const passType = 'pass.com.example.bench';

await withServers(async (servers) => {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  const ours = await servers.startService({ DATABASE_URL: database.url });
  const hello = await servers.start('hello-server.mjs', { DATABASE_URL: database.url });
  const account = await openAccount(ours);
  await saveTemplate(account, ours.url, templateId, 'Benchmark');
  const { accountId } = account;
  const seeded = new SeededPasses(database.client, { accountId, templateId, passType, passesPerDevice: 2 });
  console.log(`\n${machine}, ${loadedBy}, medians of ${rounds} rounds; the load comes from this machine too`);
  let plan = '';
  const buffers = [];
  for (const size of sizes) {
    await seeded.growTo(size);
    const devices = await someChanged(ours, seeded);
    const work = await workOf(database.client, devices);
    const contenders = {
      hello: [hello, { path: '/' }],
      select: [hello, { path: '/one' }],
      none: [ours, devices.none.requests],
      one: [ours, devices.one.requests],
    };
    const results = await race(contenders, rounds, seconds);
    report(size, results, work, work.plan === plan ? 'as before' : work.plan);
    plan = work.plan;
    buffers.push(`${work.none.buffers.toFixed(1)} at ${size.toLocaleString('en')}`);
  }
  console.log(`\nbuffers per list: ${buffers.join(', ')}`);
  await archive(account, seeded);
});

/**
 * Changes passes in all parts of the table. Returns devices that have one of them, and random devices that are up to
 * date.
 */
async function someChanged({ url }, seeded) {
  const count = Math.min(5000, seeded.count / 2);
  const every = Math.floor(seeded.count / count);
  const list = (device, tag = '') => `/v1/devices/${device}/registrations/${passType}?passesUpdatedSince=${tag}`;
  const tagOfNow = async () => (await (await fetch(url + list(seeded.device(0)))).json()).lastUpdated;
  const before = await tagOfNow();
  await seeded.change(count, every);
  const now = await tagOfNow();
  const random = () => seeded.device(Math.floor(Math.random() * seeded.count));
  const holders = Array.from({ length: count }, (_, n) => seeded.device(n * every));
  const devices = {
    none: { tag: now, names: Array.from({ length: askers }, random) },
    one: { tag: before, names: holders },
  };
  for (const asked of Object.values(devices)) {
    asked.requests = asked.names.map((name) => ({ path: list(name, asked.tag) }));
  }
  await check(url, devices);
  return devices;
}

async function check(url, { none, one }) {
  const [nothing, something] = await Promise.all([none, one].map(({ requests }) => fetch(url + requests[1].path)));
  const listed = something.status === 200 ? (await something.json()).serialNumbers.length : 0;
  if (nothing.status === 204 && listed === 1) return;
  throw new Error(`returned ${nothing.status} and ${listed} passes instead of 204 and one`);
}

/**
 * Measures the mean cost of the list's statement over many devices. The statement is prepared and planned as in the
 * service.
 */
async function workOf(client, devices) {
  await client.query(`PREPARE list AS ${findUpdated}`);
  const asked = async ({ tag, names }) => {
    const { snapshot, epoch } = decodeTag(tag);
    const runs = [];
    for (const name of names.slice(0, 206)) {
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE list ('${passType}', '${name}', '${snapshot}', '${epoch}')`,
      );
      runs.push(nodesOf(rows[0]['QUERY PLAN'][0].Plan));
    }
    // Skip the first executions, because Postgres settles on a plan only at the sixth.
    const mean = (figure) => runs.slice(6).reduce((sum, nodes) => sum + figure(nodes), 0) / (runs.length - 6);
    return {
      nodes: runs.at(-1),
      buffers: mean(([root]) => root['Shared Hit Blocks'] + root['Shared Read Blocks']),
      heapFetches: mean((nodes) => nodes.reduce((sum, node) => sum + (node['Heap Fetches'] ?? 0), 0)),
    };
  };
  const [none, one] = [await asked(devices.none), await asked(devices.one)];
  await client.query('DEALLOCATE list');
  const named = none.nodes.map((node) => [node['Node Type'], node['Index Name'] ?? node['Relation Name']]);
  return { none, one, plan: named.map((names) => names.filter(Boolean).join(' ')).join('\n    ') };
}

function nodesOf(node) {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function report(size, results, { none, one }, plan) {
  const of = (name, figure) => median(results[name].map((slice) => slice[figure]));
  const line = (label, name, work) =>
    console.log(
      `  ${label.padEnd(32)}${of(name, 'rate').toFixed(0).padStart(6)}/s   p50 ${of(name, 'p50').toFixed(1).padStart(5)} ms   p99 ${of(name, 'p99').toFixed(1).padStart(5)} ms   CPU ${of(name, 'cpu').toFixed(3)} ms   ${(of(name, 'rate') / of('hello', 'rate')).toFixed(2)} of «hello»${work ? `   ${work.buffers.toFixed(1)} buffers, ${work.heapFetches.toFixed(2)} heap fetches` : ''}`,
    );
  console.log(`\n${size.toLocaleString('en')} passes, ${(2 * size).toLocaleString('en')} registrations`);
  line('NestJS on Express, «hello»', 'hello');
  line('the same with one SELECT 1', 'select');
  line('list: nothing has changed, 204', 'none', none);
  line('list: one pass has changed, 200', 'one', one);
  console.log(`  plan: ${plan}`);
}

/** Archives and unarchives the template a few times. Meanwhile, a job notifies the devices of all passes. */
async function archive({ call }, seeded) {
  const times = [];
  for (const deed of ['archive', 'unarchive', 'archive']) {
    const begun = performance.now();
    await call('POST', `/v1/templates/${templateId}/${deed}`);
    times.push(`${deed} ${(performance.now() - begun).toFixed(0)} ms`);
    const n = Math.floor(Math.random() * seeded.count);
    const { pass } = await call('GET', `/v1/pass/${templateId}/${seeded.pass(n)}`);
    times.push(`a pass is ${pass.voided ? 'voided' : 'not voided'} in the next read`);
  }
  console.log(
    `\nthe template of all ${seeded.count.toLocaleString('en')} passes (goal: 200 ms): ${times.join(', ')}\n`,
  );
}
