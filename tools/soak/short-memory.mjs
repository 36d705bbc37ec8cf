/**
 * Runs a node with a small heap, and requests everything at once that could fill its memory: a batch of thousands of
 * lines, the largest lists, previews, packages, and bodies that never end.
 *
 * Fails if the process ends, on a 5xx other than 503 with Retry-After, and if the memory of the process exceeds a
 * limit.
 *
 *   npm run soak:short-memory -- [lines of the batch, default 20000] [heap in MB, default 160]
 */
import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './lib/ledger.mjs';
import { soak } from './lib/stage.mjs';

const lines = Number(process.argv[2] ?? 20_000);
const heapMb = Number(process.argv[3] ?? 160);
const MEMORY_MB = 700;

await soak(async (stage) => {
  const [node] = await stage.nodes(1, {}, { execArgv: [`--max-old-space-size=${heapMb}`] });
  const ledger = new Ledger([node.url]);
  await ledger.open();
  let highest = 0;
  const watch = setInterval(() => (highest = Math.max(highest, node.memoryMb)), 200);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  // Make each pass nearly as large as a body may be, so that lists are large.
  const wide = Array.from({ length: 40 }, (_, at) => ({ key: `k${at}`, label: 'Note', value: 'x'.repeat(1900) }));
  for (let at = 0; at < 100; at += 1)
    await ledger.once('POST', '/v1/pass/soak', { id: `wide-${at}`, backFields: wide });
  const endless = Array.from({ length: 200 }, () => endlessBody(node, stop.signal));
  const batch = sendBatch(ledger);
  const callers = ['/v1/pass/soak?limit=100', '/v1/templates/soak/preview?format=html', '/v1/account/events?limit=100'];
  const repeated = callers.flatMap((path) => Array.from({ length: 4 }, () => repeat(ledger, path, stop.signal)));
  const { issued, failed } = await batch;
  stop.abort();
  await Promise.all([...repeated, ...endless]);
  clearInterval(watch);
  console.log(`heap of ${heapMb} MB: ${issued} of ${lines} lines issued, ${highest.toFixed(0)} MB of memory at most`);
  stage.check(!node.ended, 'the node has ended');
  stage.check(issued === lines, `${failed} lines were rejected, ${lines - issued - failed} have no response`);
  stage.check(highest <= MEMORY_MB, `${highest.toFixed(0)} MB of memory`);
  stage.checkResponses(ledger.responses);
});

/** Sends one batch, line by line. */
async function sendBatch({ urls, token }) {
  const line = (at) => `${JSON.stringify({ id: `b-${at}`, fields: [{ key: 'n', label: 'N', value: String(at) }] })}\n`;
  const body = Readable.toWeb(Readable.from(Array.from({ length: lines }, (_, at) => at).map(line)));
  const headers = { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${token}` };
  const request = { method: 'POST', headers, body, duplex: 'half' };
  const response = await fetch(`${urls[0]}/v1/pass/soak/batch`, /** @type {RequestInit} */ (request));
  const replies = (await response.text()).split('\n').filter(Boolean);
  const failed = replies.filter((reply) => JSON.parse(reply).statusCode).length;
  return { issued: replies.length - failed, failed };
}

async function repeat(ledger, path, signal) {
  while (!signal.aborted) {
    // Ignore errors here. The end of the test checks whether the node still runs.
    await ledger.once('GET', path).catch(() => undefined);
    await pause(20);
  }
}

/** Sends a request without credentials whose body never ends. */
async function endlessBody(node, signal) {
  const call = request(`${node.url}/v1/auth/login`, { method: 'POST', signal });
  call.on('error', () => undefined).on('response', (response) => response.resume());
  call.setHeader('Content-Type', 'application/json').setHeader('Content-Length', '1000000');
  call.write('x'.repeat(900_000));
  await new Promise((resolve) => call.on('close', resolve));
}
