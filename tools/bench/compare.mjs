/**
 * Compares two checkouts of the service, such as main and a branch: each with a database of its own, they take turns in
 * slices that follow each other. For each row: requests per second of both, and the median over the rounds of the ratios
 * of rate and of CPU per request. CPU is that of the service and of its Postgres.
 *
 *   npm run build (in both checkouts)
 *   node tools/bench/compare.mjs <other checkout> [rounds, default 7] [seconds of a slice, default 3] [start of a row's name]
 */
import { join, resolve } from 'node:path';
import { load, loadedBy, median } from './load.mjs';
import { packageOf, unzip } from './package-files.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { cpuSeconds, machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const other = resolve(process.argv[2] ?? '.');
const rounds = Number(process.argv[3] ?? 7);
const seconds = Number(process.argv[4] ?? 3);
const wanted = process.argv[5] ?? '';
const passes = 500;
const lanes = 16;
let written = 0;

await withServers(async (servers) => {
  const [before, after] = [await side(servers, other), await side(servers)];
  const results = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const name of Object.keys(before.rows).filter((row) => row.startsWith(wanted))) {
      // The sides swap places each round, as the second of two slices may find the machine warmer.
      const order = round % 2 === 0 ? [before, after] : [after, before];
      const slices = new Map();
      for (const each of order) slices.set(each, await measured(each, each.rows[name]));
      // The first round is not counted: new code is not compiled yet.
      if (round >= 0) (results[name] ??= []).push({ before: slices.get(before), after: slices.get(after) });
    }
  }
  report(results);
});

/** Starts one side. @returns its processes, and for each row a function that puts load on it for one slice */
async function side(servers, checkout) {
  const database = await emptyDatabase({ migrated: checkout === undefined });
  servers.onStop(database.remove);
  const settings = { DATABASE_URL: database.url, DATA_DIR: join(servers.dir, checkout ? 'before' : 'after') };
  const service = await servers.startService(settings, checkout);
  const account = await openAccount(service);
  await saveTemplate(account, service.url, 'offer', 'Benchmark');
  const held = await issue(account);
  const reads = (requests) => () => load(seconds, service, requests);
  const bearer = { Authorization: `Bearer ${account.key}` };
  const rows = {
    'package, 304': reads(held.map(({ walletA, etag }) => ({ path: walletA, headers: { 'If-None-Match': etag } }))),
    package: reads(held.map(({ walletA }) => ({ path: walletA }))),
    'latest pass, 304': reads(
      held.map(({ latest, phone, at }) => ({ path: latest, headers: { ...phone, 'If-Modified-Since': at } })),
    ),
    'web view': reads(held.map(({ web }) => ({ path: web, headers: { Accept: 'text/html' } }))),
    'web view, 304': reads(
      held.map(({ web, webTag }) => ({ path: web, headers: { Accept: 'text/html', 'If-None-Match': webTag } })),
    ),
    'save link': reads(held.map(({ walletB }) => ({ path: walletB }))),
    'read a pass': reads(held.map(({ id }) => ({ path: `/v1/pass/offer/${id}`, headers: bearer }))),
    'issue a pass': () => writes(service, () => account.call('POST', '/v1/pass/offer', {})),
    'patch a pass': () =>
      writes(service, (n) => {
        const fields = [{ key: 'points', label: 'Points', value: String(n) }];
        return account.call('PATCH', `/v1/pass/offer/${held[n % passes].id}`, { fields });
      }),
  };
  return { service, database, rows };
}

/** Issues passes. @returns what a phone, a browser and a backend ask with */
async function issue({ call }) {
  const held = [];
  for (let n = 0; n < passes; n += 1) {
    const { pass, walletAUrl, walletBUrl, webUrl } = await call('POST', '/v1/pass/offer', {});
    const { headers } = await fetch(walletAUrl, { method: 'HEAD' });
    const page = await fetch(webUrl, { method: 'HEAD', headers: { Accept: 'text/html' } });
    const json = JSON.parse((await unzip(await packageOf(walletAUrl)))['pass.json'].toString());
    held.push({
      id: pass.id,
      latest: `/v1/passes/${json.passTypeIdentifier}/${json.serialNumber}`,
      phone: { Authorization: `ApplePass ${json.authenticationToken}` },
      walletA: new URL(walletAUrl).pathname,
      walletB: new URL(walletBUrl).pathname,
      web: new URL(webUrl).pathname,
      at: headers.get('last-modified'),
      etag: headers.get('etag'),
      webTag: page.headers.get('etag'),
    });
  }
  return held;
}

/** Calls `write` from several lanes for one slice. */
async function writes({ pid }, write) {
  const [begun, cpuBefore] = [performance.now(), cpuSeconds(pid)];
  let count = 0;
  const lane = async () => {
    while (performance.now() - begun < seconds * 1000) {
      await write((written += 1));
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const rate = (count / (performance.now() - begun)) * 1000;
  return { count, rate, cpu: ((cpuSeconds(pid) - cpuBefore) / count) * 1000 };
}

/** Measures one slice. @returns requests per second, and CPU per request in ms of the service and of its Postgres */
async function measured({ database }, slice) {
  const pids = await database.processes();
  const cpuBefore = cpuSeconds(...pids);
  const { rate, cpu } = await slice();
  return { rate, cpu, databaseCpu: ((cpuSeconds(...pids) - cpuBefore) / (rate * seconds)) * 1000 };
}

function report(results) {
  console.log(`\n${machine}, ${loadedBy}, ${rounds} rounds; «before» is ${other}\n`);
  console.log(`${''.padEnd(18)}before/s   after/s   rate   CPU before   after   ratio (quartiles)    CPU of Postgres`);
  for (const [name, pairs] of Object.entries(results)) {
    const of = (when, figure) => median(pairs.map((pair) => pair[when][figure]));
    const ratios = (figure) =>
      pairs.map(({ before, after }) => after[figure] / before[figure]).toSorted((a, b) => a - b);
    const at = (figure, part) => {
      const ratio = ratios(figure)[Math.floor((pairs.length - 1) * part)];
      // A row without SQL takes no CPU of Postgres on either side.
      return Number.isNaN(ratio) ? 'none' : ratio.toFixed(2);
    };
    console.log(
      `${name.padEnd(18)}${of('before', 'rate').toFixed(0).padStart(8)}${of('after', 'rate').toFixed(0).padStart(10)}   ${at('rate', 0.5)}   ${of('before', 'cpu').toFixed(3).padStart(10)}   ${of('after', 'cpu').toFixed(3)}   ${at('cpu', 0.5)} (${at('cpu', 0.25)} to ${at('cpu', 0.75)})   ${at('databaseCpu', 0.5)}`,
    );
  }
}
