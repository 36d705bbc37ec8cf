/**
 * Prints the CPU in ms that one request of each hot route takes: the CPU of the service by stage, and the CPU of its
 * Postgres. The totals are measured without a profiler. A sampled profile then divides the CPU of the event loop
 * between the stages.
 *
 *   npm run bench:costs -- [seconds of a slice, default 4] [--write into docs/scaling.md]
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeTable } from './documented-table.mjs';
import { hotRoutes } from './hot-routes.mjs';
import { loadedBy, median } from './load.mjs';
import { eventLoopSeconds, machine, withServers } from './servers.mjs';

const seconds = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? 4);
const rounds = 3;
const preloaded = fileURLToPath(new URL('profiled.cjs', import.meta.url));

/**
 * The stages, each with a pattern for the files or native functions that belong to it. The first matching pattern
 * applies.
 */
const stages = {
  memory: /^\(garbage collector\)$/,
  'socket writes': /^(writev|writeBuffer|write\w+String|shutdown)$|node:(net|internal\/(streams|stream_base_commons))/,
  'HTTP in Node': /node:_http|node:internal\/http|^parserOn\w+$/,
  promises: /^runMicrotasks$|node:(internal\/)?(async_hooks|process\/task_queues|promise)/,
  framework:
    /node_modules\/(@nestjs|express|router|rxjs|class-|reflect-metadata|body-parser|qs|parseurl|finalhandler|on-finished|content-type|etag|fresh)/,
  'database client': /node_modules\/(pg|typeorm|postgres)|libs\/platform\/database\//,
  Passwright: /\/(libs|apps)\//,
  other: /^/,
};

await withServers(async (servers) => {
  const PROFILE = join(servers.dir, 'profile.json');
  const environment = { NODE_OPTIONS: `--require ${preloaded}`, PROFILE };
  const { service, names, measure } = await hotRoutes(servers, { seconds, environment });
  const rows = [];
  for (const name of names) {
    await measure(name);
    const slices = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = eventLoopSeconds(service.pid);
      const slice = await measure(name);
      slices.push({ ...slice, loop: ((eventLoopSeconds(service.pid) - before) * 1000) / (slice.rate * seconds) });
    }
    process.kill(service.pid, 'SIGUSR2');
    await measure(name);
    process.kill(service.pid, 'SIGUSR2');
    rows.push({ name, ...costs(slices, await profileIn(PROFILE)) });
  }
  const table = tableOf(rows);
  console.log(`\n${machine}, ${loadedBy}, ${rounds} slices of ${seconds} s for each route\n\n${table}`);
  if (process.argv.includes('--write')) writeTable('costs', `${machine}, ${loadedBy}.`, table);
});

/**
 * Reads and deletes the profile. The service writes the file under another name and renames it, so an existing file is
 * complete.
 */
async function profileIn(file) {
  while (!existsSync(file)) await pause(50);
  const profile = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  return profile;
}

/**
 * Returns the CPU per request in ms, in total and by stage. Other threads sign, hash, read files and free memory beside
 * the event loop.
 */
function costs(slices, profile) {
  const middle = (figure) => median(slices.map((slice) => slice[figure]));
  const [cpu, loop, postgres] = [middle('cpu'), middle('loop'), middle('databaseCpu')];
  const byStage = Object.fromEntries(Object.entries(sharesOf(profile)).map(([stage, share]) => [stage, share * loop]));
  return { cpu, postgres, threads: cpu - loop, byStage };
}

/** Returns the share of each stage in the busy time of the event loop. */
function sharesOf({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = Object.fromEntries(Object.keys(stages).map((stage) => [stage, 0]));
  let busyUs = 0;
  samples.forEach((id, index) => {
    const { functionName, url } = frames.get(id);
    if (functionName === '(idle)' || isProfiler(functionName, url)) return;
    busyUs += timeDeltas[index];
    const [stage] = Object.entries(stages).find(([, pattern]) => pattern.test(url || functionName));
    times[stage] += timeDeltas[index];
  });
  return Object.fromEntries(Object.entries(times).map(([stage, us]) => [stage, us / busyUs]));
}

/** Returns true if a frame belongs to the profiler itself, whose start takes long under load. */
function isProfiler(functionName, url) {
  return url === 'node:inspector' || (url === '' && functionName === 'dispatch');
}

function tableOf(rows) {
  const columns = ['service', ...Object.keys(stages), 'threads', 'Postgres'];
  const ms = (value) => (Number.isNaN(value) ? '–' : value.toFixed(2));
  const lines = rows.map(({ name, cpu, byStage, threads, postgres }) =>
    [name, ms(cpu), ...Object.keys(stages).map((stage) => ms(byStage[stage])), ms(threads), ms(postgres)].join(' | '),
  );
  return [
    `| CPU of a request, ms | ${columns.join(' | ')} |`,
    `| - |${' -: |'.repeat(columns.length)}`,
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}
