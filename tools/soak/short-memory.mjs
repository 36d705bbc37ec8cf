// Memory short: a node with a small heap is asked for everything that could fill it, at once: a batch of thousands of lines,
// the widest lists, previews, packages and bodies that never end. Fails when the process ends, on a 5xx other than
// 503 with Retry-After, and when the memory of the process passes a bound.
//
//   npm run soak:short-memory -- [lines of the batch, default 20000] [heap in MB, default 160]
import { setMaxListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './lib/ledger.mjs';
import { startNodes } from './lib/nodes.mjs';

const lines = Number(process.argv[2] ?? 20_000);
const heapMb = Number(process.argv[3] ?? 160);
const MEMORY_MB = 700;
const dir = mkdtempSync(join(tmpdir(), 'passwright-memory-'));
const failures = [];
const [node] = await startNodes(1, { DATA_DIR: dir }, { execArgv: [`--max-old-space-size=${heapMb}`] });
const ledger = new Ledger([node.url]);
let highest = 0;
try {
  await run();
} finally {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
}
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

async function run() {
  await ledger.open();
  const watch = setInterval(() => (highest = Math.max(highest, memoryMb())), 200);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  // A pass near the limit of a body makes lists wide.
  const wide = Array.from({ length: 40 }, (_, at) => ({ key: `k${at}`, label: 'Note', value: 'x'.repeat(1900) }));
  for (let at = 0; at < 100; at += 1)
    await ledger.once('POST', '/v1/pass/soak', { id: `wide-${at}`, backFields: wide });
  const endless = Array.from({ length: 200 }, () => endlessBody(stop.signal));
  const batch = sendBatch();
  const callers = ['/v1/pass/soak?limit=100', '/v1/templates/soak/preview?format=html', '/v1/account/events?limit=100'];
  const repeated = callers.flatMap((path) => Array.from({ length: 4 }, () => repeat(path, stop.signal)));
  const { issued, failed } = await batch;
  stop.abort();
  await Promise.all([...repeated, ...endless]);
  clearInterval(watch);
  console.log(`heap of ${heapMb} MB: ${issued} of ${lines} lines issued, ${highest.toFixed(0)} MB of memory at most`);
  if (node.ended) failures.push(`the node has ended: ${node.log.slice(-3).join(' ')}`);
  if (issued !== lines) failures.push(`${failed} lines were refused, ${lines - issued - failed} have no answer`);
  if (highest > MEMORY_MB) failures.push(`${highest.toFixed(0)} MB of memory`);
  const wrong = ledger.responses.filter(({ status, retryAfter }) => status >= 500 && !(status === 503 && retryAfter));
  if (wrong.length > 0) failures.push(`${wrong.length} responses: ${[...new Set(wrong.map(({ status }) => status))]}`);
}

/** One batch, line by line. */
async function sendBatch() {
  const line = (at) => `${JSON.stringify({ id: `b-${at}`, fields: [{ key: 'n', label: 'N', value: String(at) }] })}\n`;
  const body = Readable.toWeb(Readable.from(Array.from({ length: lines }, (_, at) => at).map(line)));
  const headers = { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${ledger.token}` };
  const response = await fetch(`${node.url}/v1/pass/soak/batch`, { method: 'POST', headers, body, duplex: 'half' });
  const answers = (await response.text()).split('\n').filter(Boolean);
  const failed = answers.filter((answer) => JSON.parse(answer).statusCode).length;
  return { issued: answers.length - failed, failed };
}

async function repeat(path, signal) {
  while (!signal.aborted) {
    await ledger.once('GET', path).catch((error) => {
      if (error.status === undefined && node.ended) failures.push(String(error));
    });
    await pause(20);
  }
}

/** A request whose body never ends, of nobody. */
async function endlessBody(signal) {
  const call = request(`${node.url}/v1/auth/login`, { method: 'POST', signal });
  call.on('error', () => undefined).on('response', (response) => response.resume());
  call.setHeader('Content-Type', 'application/json').setHeader('Content-Length', '1000000');
  call.write('x'.repeat(900_000));
  await new Promise((resolve) => call.on('close', resolve));
}

function memoryMb() {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${node.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
