/**
 * Compares the CPU that a request takes in three variants: two groups (each a node and a Postgres), two nodes on one
 * Postgres, and one node. The CPU includes all nodes, all Postgres servers and the proxy. The proxy is HAProxy. It has
 * the configuration in docker/groups for the groups, and balancer.cfg for the two nodes. Half of the requests go to
 * each of two accounts, which are in different groups. The variants take turns in short slices. They share the cores of
 * this machine with the load generator, so requests per second say little. The goal: two groups take at most 1.15 times
 * the CPU of two nodes.
 *
 *   npm run bench:groups -- [rounds, default 7] [seconds of a slice, default 3]
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Groups, startHaProxy } from '../soak/lib/groups.mjs';
import { hasHaProxy } from '../soak/lib/pair.mjs';
import { requirePackage, requireServer, soak } from '../soak/lib/stage.mjs';
import { loadedBy, median } from './load.mjs';
import { openIssuer, operationsOf } from './operations.mjs';
import { cpuSeconds, cpuSecondsWithChildren, machine } from './servers.mjs';

const [rounds = 7, seconds = 3] = process.argv.slice(2).map(Number);
const GOAL = 1.15;
const passes = 100;
const lanes = 16;
const connections = 20;
const balancer = fileURLToPath(new URL('balancer.cfg', import.meta.url));
const environment = {
  BASE_URL: 'https://passes.example.com',
  REGISTRATION: 'open',
  UV_THREADPOOL_SIZE: String(availableParallelism()),
};
/** The variants. All nodes of a variant together have as many database connections as a single node. */
const variants = { 'one node': startOne, 'two nodes': startTwo, 'two groups': startGroups };

requireServer();
requirePackage('haproxy', hasHaProxy());
await soak(async (stage) => {
  const started = [];
  for (const start of Object.values(variants)) started.push(await start(stage));
  const results = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const name of Object.keys(started[0].operations)) {
      const slices = [];
      // Reverse the order each round, because the machine may be warmer during a later slice.
      const order = round % 2 === 0 ? started.keys() : [...started.keys()].toReversed();
      for (const at of order) slices[at] = await slice(started[at], name);
      // The first round is not counted, because the code is not compiled yet.
      if (round >= 0) (results[name] ??= []).push(slices);
    }
  }
  report(results);
});

async function startOne(stage) {
  const { nodes, cluster } = await startNodes(stage, 1);
  return withIssuers([nodes[0], nodes[0]], { nodes, clusters: [cluster], url: nodes[0].url });
}

async function startTwo(stage) {
  const { nodes, cluster } = await startNodes(stage, 2);
  const [NODE_A, NODE_B] = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const proxy = await startHaProxy(stage, balancer, { NODE_A, NODE_B });
  return withIssuers(nodes, { nodes, clusters: [cluster], ...proxy });
}

async function startGroups(stage) {
  const groups = await Groups.start(stage, { ...environment, DATABASE_POOL_SIZE: String(connections / 2) });
  const { nodes, clusters, proxy } = groups;
  const variant = await withIssuers(nodes, { nodes, clusters, ...proxy });
  await groups.route(variant.issuers[1].accountId, 1, 1);
  return variant;
}

/** Starts some nodes and a Postgres for them. */
async function startNodes(stage, count) {
  const cluster = await stage.cluster();
  const own = {
    DATABASE_URL: cluster.url,
    DATABASE_POOL_SIZE: String(connections / count),
    DATA_DIR: join(stage.dataDir, `data-${count}`),
  };
  return { cluster, nodes: await stage.nodes(count, { ...environment, ...own }) };
}

/** Opens an account on each of the given nodes. A node may be given twice. */
async function withIssuers(nodes, variant) {
  const issuers = [];
  for (const node of nodes) issuers.push(await openIssuer(node, environment.BASE_URL, passes));
  return { ...variant, issuers, operations: operationsOf(issuers, seconds) };
}

/** Puts load on a variant. @returns requests per second, and the CPU of each part per request in ms */
async function slice(variant, name) {
  const before = cpuOf(variant);
  const count = await variant.operations[name](variant, lanes);
  const [service, postgres, proxy] = cpuOf(variant).map((total, at) => ((total - before[at]) / count) * 1000);
  return { rate: count / seconds, service, postgres, proxy, all: service + postgres + proxy };
}

/** Returns the CPU time of all nodes, of all Postgres servers and of the proxy so far. */
function cpuOf({ nodes, clusters, pid }) {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return [
    sum(nodes.map(({ cpuSeconds: used }) => used)),
    sum(clusters.map(({ postmaster }) => cpuSecondsWithChildren(postmaster))),
    pid === undefined ? 0 : cpuSeconds(pid),
  ];
}

function report(results) {
  console.log(`\n${machine}, ${loadedBy}, ${rounds} rounds; medians of CPU per request in ms`);
  console.log('Ratios are medians of all rounds, with quartiles.\n');
  console.log(
    `${''.padEnd(26)}per second  service  Postgres  proxy    all   ${'beside one node'.padEnd(22)}beside two nodes`,
  );
  for (const [name, taken] of Object.entries(results)) {
    for (const [at, variant] of Object.keys(variants).entries()) {
      const of = (figure) => median(taken.map((slices) => slices[at][figure]));
      const [one, two] = [0, 1].map((other) => ratio(taken.map((slices) => slices[at].all / slices[other].all)));
      const goal = two.median <= GOAL ? 'met' : 'MISSED';
      console.log(
        [
          `${(at === 0 ? name : '').padEnd(16)}${variant.padEnd(12)}${of('rate').toFixed(0).padStart(8)}`,
          `${of('service').toFixed(3).padStart(9)}${of('postgres').toFixed(3).padStart(10)}`,
          `${of('proxy').toFixed(3).padStart(7)}${of('all').toFixed(3).padStart(7)}   ${one.text.padEnd(22)}`,
          at === 2 ? `${two.text}  goal of ${GOAL} ${goal}` : '',
        ].join(''),
      );
    }
  }
}

function ratio(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const part = (share) => sorted[Math.floor((sorted.length - 1) * share)].toFixed(2);
  return { median: median(values), text: `${part(0.5)} (${part(0.25)} to ${part(0.75)})` };
}
