/**
 * Compares a node with two workers and a node with one worker. Each has a database of its own, and they take turns
 * under load in short slices. The load generator, the nodes and Postgres share the cores. On a small machine, requests
 * per second alone therefore say little. The last column estimates the ratio if each worker has a core of its own:
 * twice the CPU per request with one worker, divided by the CPU per request with two workers and their primary.
 *
 *   npm run build && node tools/bench/workers.mjs [rounds, default 7] [seconds of a slice, default 3]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadedBy, median } from './load.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { cpuSeconds, issuePasses, machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const rounds = Number(process.argv[2] ?? 7);
const seconds = Number(process.argv[3] ?? 3);
const passes = 200;

await withServers(async (servers) => {
  const [one, two] = [await node(servers, 1), await node(servers, 2)];
  const results = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const name of Object.keys(one.rows)) {
      // Alternate the order, because the machine may be warmer during the second of two slices.
      const order = round % 2 === 0 ? [one, two] : [two, one];
      const slices = new Map();
      for (const each of order) slices.set(each, await slice(each, each.rows[name]));
      // The first round is not counted, because the code is not compiled yet.
      if (round >= 0) (results[name] ??= []).push({ one: slices.get(one), two: slices.get(two) });
    }
  }
  report(results);
});

/**
 * Starts a node.
 * @returns its processes, and the requests of each row of the table
 */
async function node(servers, workers) {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  const settings = { DATABASE_URL: database.url, DATA_DIR: join(servers.dir, `data-${workers}`) };
  const service = await servers.startService({ ...settings, WORKERS: String(workers) });
  await allServe(service, workers);
  const account = await openAccount(service);
  await saveTemplate(account, service.url, 'offer', 'Benchmark');
  const held = await issuePasses(account, passes);
  const bearer = { Authorization: `Bearer ${account.key}` };
  const rows = {
    'package, 304': held.map(({ path, etag }) => ({ path, headers: { 'If-None-Match': etag } })),
    package: held.map(({ path }) => ({ path })),
    'read a pass': held.map(({ id }) => ({ path: `/v1/pass/offer/${id}`, headers: bearer })),
  };
  return { service, pids: [service.pid, ...childrenOf(service.pid)], rows };
}

/** Waits until all workers serve requests. */
async function allServe({ url }, workers) {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    if (text.includes(`\npasswright_workers ${workers}\n`)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** Puts load on a node. @returns requests per second, and CPU of all its processes per request in ms */
async function slice({ service, pids }, requests) {
  const cpuBefore = cpuSeconds(...pids);
  const { rate } = await load(seconds, service, requests);
  return { rate, cpu: ((cpuSeconds(...pids) - cpuBefore) / (rate * seconds)) * 1000 };
}

function report(results) {
  console.log(`\n${machine}, ${loadedBy}, ${rounds} rounds; medians\n`);
  console.log(`${''.padEnd(16)}one/s   two/s   rate   CPU one   CPU two   ratio by CPU (quartiles)`);
  for (const [name, pairs] of Object.entries(results)) {
    const of = (side, figure) => median(pairs.map((pair) => pair[side][figure]));
    const ratios = pairs.map(({ one, two }) => (2 * one.cpu) / two.cpu).toSorted((a, b) => a - b);
    const at = (part) => ratios[Math.floor((pairs.length - 1) * part)].toFixed(2);
    const rate = median(pairs.map(({ one, two }) => two.rate / one.rate)).toFixed(2);
    console.log(
      `${name.padEnd(14)}${of('one', 'rate').toFixed(0).padStart(7)}${of('two', 'rate').toFixed(0).padStart(8)}   ${rate}   ${of('one', 'cpu').toFixed(3).padStart(7)}   ${of('two', 'cpu').toFixed(3).padStart(7)}   ${at(0.5)} (${at(0.25)} to ${at(0.75)})`,
    );
  }
}
