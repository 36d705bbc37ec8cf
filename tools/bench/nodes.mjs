/**
 * Compares the CPU that a request takes with one, two and four nodes on one Postgres: the CPU of all nodes, and the CPU
 * of Postgres. Each of the three variants has a Postgres of its own. The variants take turns in short slices, in which
 * all of their nodes are under load at the same time. The nodes, Postgres and the load share the cores of this machine,
 * so requests per second say little.
 *
 *   npm run bench:nodes -- [rounds, default 7] [seconds of a slice, default 3]
 */
import { join } from 'node:path';
import { loadedBy, median } from './load.mjs';
import { openIssuer, operationsOf } from './operations.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { cpuSeconds, machine, withServers } from './servers.mjs';

const [, , rounds = '7', seconds = '3'] = process.argv;
const sizes = [1, 2, 4];
const passes = 200;
const lanes = 16;
const connections = 20;

await withServers(async (servers) => {
  const clusters = [];
  for (const size of sizes) clusters.push(await startCluster(servers, size));
  const results = {};
  for (let round = -1; round < Number(rounds); round += 1) {
    for (const name of Object.keys(clusters[0].rows)) {
      const slices = [];
      // Reverse the order each round, because the machine may be warmer during a later slice.
      const order = round % 2 === 0 ? sizes.keys() : [...sizes.keys()].toReversed();
      for (const at of order) slices[at] = await slice(clusters[at], name);
      // The first round is not counted, because the code is not compiled yet.
      if (round >= 0) (results[name] ??= []).push(slices);
    }
  }
  report(results);
});

/**
 * Starts some nodes and a Postgres for them.
 * @returns the nodes, the database, and the operations to measure
 */
async function startCluster(servers, size) {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  // All nodes together have as many database connections as a single node.
  const settings = {
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: String(connections / size),
    DATA_DIR: join(servers.dir, `data-${size}`),
  };
  const nodes = [await servers.startService(settings)];
  const [first] = nodes;
  while (nodes.length < size) nodes.push(await servers.startService({ ...settings, BASE_URL: first.url }));
  const issuer = await openIssuer(first, first.url, passes);
  return { nodes, database, rows: operationsOf([issuer], Number(seconds)) };
}

/** Puts load on all nodes. @returns requests per second, and the CPU of nodes and of Postgres per request in ms */
async function slice({ nodes, database, rows }, name) {
  const totals = () => [cpuSeconds(...nodes.map(({ pid }) => pid)), database.cpuSeconds()];
  const before = totals();
  const counts = await Promise.all(nodes.map((node) => rows[name](node, lanes / nodes.length)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  const [service, postgres] = totals().map((total, at) => ((total - before[at]) / count) * 1000);
  return { rate: count / Number(seconds), service, postgres, all: service + postgres };
}

function report(results) {
  console.log(`\n${machine}, ${loadedBy} to each node, ${rounds} rounds; medians of CPU per request in ms\n`);
  console.log(`${''.padEnd(16)}nodes per second   service   Postgres   CPU beside one node (quartiles)`);
  for (const [name, taken] of Object.entries(results)) {
    for (const [at, size] of sizes.entries()) {
      const of = (figure) => median(taken.map((slices) => slices[at][figure]));
      const ratios = taken.map((slices) => slices[at].all / slices[0].all).toSorted((a, b) => a - b);
      const part = (share) => ratios[Math.floor((ratios.length - 1) * share)].toFixed(2);
      console.log(
        `${(at === 0 ? name : '').padEnd(16)}${String(size).padStart(5)}${of('rate').toFixed(0).padStart(11)}${of('service').toFixed(3).padStart(10)}${of('postgres').toFixed(3).padStart(11)}   ${part(0.5)} (${part(0.25)} to ${part(0.75)})`,
      );
    }
  }
}
