/**
 * Benchmarks how fast passes are imported from a table: the import command of the CLI, and raw NDJSON requests to the
 * batch route. They take turns on one service whose own Postgres writes durably. The import is killed (kill -9) twice
 * and continued. Then every row must have one pass and its links. Prints the memory of the import as it runs.
 *
 *   npm run build && node tools/bench/import.mjs [rows, default 100000] [raw rows, default 20000]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const rows = Number(process.argv[2] ?? 100_000);
const rawRows = Number(process.argv[3] ?? 20_000);
const cli = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const load = () => loadavg()[0].toFixed(1);
const perSecond = (count, ms) => `${Math.round(count / (ms / 1000))}/s`;

await withServers(async (servers) => {
  const { url, pid } = await servers.startService();
  const account = await openAccount({ url });
  const token = account.key;
  for (const id of ['raw', 'imported']) await saveTemplate(account, url, id, id);
  console.log(`\n${machine}; ${rows} rows; load ${load()}`);
  await tellRaw(url, token, 'before');
  await tellImport(servers.dir, url, token, pid);
  await tellRaw(url, token, 'after');
});

/**
 * Measures the upper limit. Sends lines as fast as the service accepts them, first in one request, and then in as many
 * simultaneous requests as the import uses.
 */
async function tellRaw(url, token, when) {
  for (const requests of [1, 3]) {
    const startedAt = performance.now();
    const prefixes = Array.from({ length: requests }, (_, n) => `${when}-${requests}-${n}`);
    const issued = await Promise.all(prefixes.map((prefix) => sendRaw(url, token, prefix)));
    const all = issued.reduce((sum, count) => sum + count, 0);
    const ms = performance.now() - startedAt;
    console.log(`${requests} raw requests, ${when}: ${all} passes, ${perSecond(all, ms)}; load ${load()}`);
  }
}

async function sendRaw(url, token, prefix) {
  const sending = request(`${url}/v1/pass/raw/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-ndjson' },
  });
  const responded = once(sending, 'response');
  const write = async () => {
    for (let i = 0; i < rawRows; i++) {
      const line = { id: `${prefix}-${i}`, fields: [{ key: 'seat', label: 'Seat', value: `${i}` }] };
      if (!sending.write(`${JSON.stringify(line)}\n`)) await once(sending, 'drain');
    }
    sending.end();
  };
  const count = async () => {
    const [response] = await responded;
    let issued = 0;
    for await (const line of createInterface({ input: response })) if (line.includes('walletAUrl')) issued++;
    return issued;
  };
  const [issued] = await Promise.all([count(), write()]);
  return issued;
}

async function tellImport(dir, url, token, servicePid) {
  const table = join(dir, 'people.csv');
  const out = createWriteStream(table);
  out.write('Name,Seat\n');
  for (let i = 1; i <= rows; i++) if (!out.write(`"Person, ${i}",${i}\n`)) await once(out, 'drain');
  out.end();
  await once(out, 'close');
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
  const run = () => spawn(process.execPath, [cli, ...words], { env: environment(dir, url, token), stdio: 'inherit' });
  const startedAt = performance.now();
  let killed = 0;
  for (const share of [1 / 3, 2 / 3, Infinity]) {
    const memory = [];
    const child = run();
    const ended = once(child, 'exit');
    let code = null;
    void ended.then(([given]) => (code = given));
    while (child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const mib = residentMib(child.pid);
      if (mib) memory.push(mib);
      if (progressOf(dir).rows < rows * share) continue;
      child.kill('SIGKILL');
      killed++;
      break;
    }
    await ended;
    console.log(
      `import: ${progressOf(dir).rows} rows, ${code === null ? 'killed' : `ended with ${code}`}; memory of the command line ` +
        `${spread(memory)} MiB, of the service ${residentMib(servicePid)} MiB; load ${load()}`,
    );
    if (code !== null) break;
  }
  const ms = performance.now() - startedAt;
  console.log(`import in all: ${perSecond(rows, ms)}, ${Math.round(ms / 1000)} s, killed ${killed} times`);
  await tellWhole(dir, url, token);
}

/** Checks that every row appears once in the service and in the result file, with the same links. */
async function tellWhole(dir, url, token) {
  const file = join(dir, 'passes.ndjson');
  const startedAt = performance.now();
  const words = ['passes', 'export', '-t', 'imported', '-o', file];
  await once(spawn(process.execPath, [cli, ...words], { env: environment(dir, url, token), stdio: 'inherit' }), 'exit');
  const ms = performance.now() - startedAt;
  const urls = new Map();
  const seats = new Set();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { id, webUrl, fields } = JSON.parse(line);
    urls.set(id, webUrl);
    seats.add(fields[0].value);
  }
  let [linked, results] = [0, -1];
  for await (const line of createInterface({ input: createReadStream(join(dir, 'people.results.csv')) })) {
    results++;
    const [, id, webUrl] = /,(\w{22}),[^,]*,[^,]*,([^,]*),$/.exec(line) ?? [];
    if (id && urls.get(id) === webUrl) linked++;
  }
  console.log(`export: ${urls.size} passes, ${perSecond(urls.size, ms)}`);
  const isWhole = [urls.size, seats.size, results, linked].every((count) => count === rows);
  console.log(
    `passes ${urls.size}, seats ${seats.size}, results ${results}, with their pass's link ${linked}: ${isWhole ? 'whole' : 'NOT WHOLE'}`,
  );
  if (!isWhole) process.exitCode = 1;
}

function environment(dir, url, token) {
  return { ...process.env, HOME: dir, PASSWRIGHT_URL: url, PASSWRIGHT_KEY: token };
}

function progressOf(dir) {
  const path = join(dir, 'people.csv.import.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).progress : { rows: 0 };
}

function residentMib(pid) {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
  } catch {
    return null;
  }
}

/** Formats the first, middle, last and largest value. They show whether memory use grows. */
function spread(values) {
  const at = (share) => values[Math.floor((values.length - 1) * share)] ?? '?';
  return `${at(0.25)} → ${at(0.5)} → ${at(1)} (at most ${Math.max(...values)})`;
}
