/**
 * Sends random requests to one node, with several credentials. The requests are built from the API document. Prints the
 * random seed; the same seed gives the same requests.
 *
 * Fails on:
 * - a 5xx other than 503 with Retry-After
 * - a status or a body that the document does not declare
 * - a connection that ends without a response
 * - an event loop that stalls for more than 250 ms because of a computation
 *
 *   npm run soak:fuzz -- [requests, default 100000] [seed] [pattern of the paths to call]
 */
import fc from 'fast-check';
import { ApiDocument } from './lib/api-document.mjs';
import { FuzzAccount } from './lib/fuzz-account.mjs';
import { FuzzRequests } from './lib/fuzz-requests.mjs';
import { observed, stall } from './lib/observed.mjs';
import { countStatuses, requireServer, soak } from './lib/stage.mjs';
import { Wire } from './lib/wire.mjs';

const [total = 100_000, seed = Math.floor(Math.random() * 2 ** 31)] = process.argv.slice(2, 4).map(Number);
const only = new RegExp(process.argv[4] ?? '.');
/** The resources of the account are made usable again after as many requests. */
const BATCH = 100;
const LANES = 16;
const STALL_MS = 250;
/** Leave out these operations, because they would end the credentials of all other requests. */
const ended = ['deleteAccount', 'revokeOtherSessions', 'removeAccountMember', 'updateAccountMember', 'revokeApiKey'];
ended.push('rotateApiKey', 'revokeSession');

requireServer();
await soak(async (stage) => {
  console.log(`seed ${seed}`);
  const cluster = await stage.cluster();
  const environment = { DATABASE_URL: cluster.url, ACCESS_TOKEN_TTL_SECONDS: '3600' };
  const [node] = await stage.nodes(1, environment, observed);
  const document = await ApiDocument.of(node.url);
  const account = await FuzzAccount.open(node);
  const { ids, credentials } = account;
  const images = `${node.url}/images/samples/`;
  const icon = Buffer.from(await (await fetch(`${images}icon.png`)).arrayBuffer());
  const requests = new FuzzRequests(document, { ids, credentials, ended, only, images, icon });
  const wire = new Wire(LANES);
  const found = new Map();
  const statuses = {};
  /** The total waiting time in ms by operation, which shows the operations that make a run long. */
  const waits = new Map();
  /** The numbers of bodies by operation, sent and accepted, which show how deep the requests get. */
  const bodies = new Map();
  const [stalls, longest] = [[], []];
  await stall(node);
  const note = (what, example) =>
    found.set(what, { count: (found.get(what)?.count ?? 0) + 1, example: found.get(what)?.example ?? example });

  for (let sent = 0; sent < total; sent += BATCH) {
    await account.renew();
    const batch = fc.sample(requests.arbitrary(), { seed: seed + sent, numRuns: Math.min(BATCH, total - sent) });
    const queue = batch.values();
    const lane = async () => {
      for (const request of queue) {
        const sentAt = performance.now();
        const response = await wire.send(node.url, request);
        waits.set(request.operation.name, (waits.get(request.operation.name) ?? 0) + performance.now() - sentAt);
        for (const [status, n] of Object.entries(countStatuses([response])))
          statuses[status] = (statuses[status] ?? 0) + n;
        const takesBody = Object.keys(request.operation.bodies).length > 0;
        if (takesBody && request.body && request.method === request.operation.method) {
          const { sent: all, accepted } = bodies.get(request.operation.name) ?? { sent: 0, accepted: 0 };
          const isAccepted = response.status >= 200 && response.status < 300;
          bodies.set(request.operation.name, { sent: all + 1, accepted: accepted + Number(isAccepted) });
        }
        const problem = errorOf(document, request, response);
        if (problem) note(`${request.operation.name}, as ${request.credential}: ${problem}`, shown(request));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if (node.ended) break;
    const { stallMs: longestMs } = await stall(node);
    // The stall may come from another process on the machine. Repeat the requests one by one to find out.
    if (longestMs > STALL_MS) longest.push(await slowest(node, wire, batch));
    stalls.push(longestMs);
  }
  wire.close();
  console.log(`${total} requests: ${JSON.stringify(statuses)}`);
  const shares = [...bodies].map(([name, { sent, accepted }]) => `${name} ${Math.round((100 * accepted) / sent)} %`);
  console.log(`bodies accepted: ${shares.sort().join(', ')}`);
  const longestWaits = [...waits].sort(([, one], [, other]) => other - one).slice(0, 5);
  console.log(`waited most for ${longestWaits.map(([name, ms]) => `${name} ${(ms / 1000).toFixed(0)} s`).join(', ')}`);
  console.log(
    `longest stall of the event loop: ${Math.max(...stalls).toFixed(0)} ms; ${longest.length} batches sent again`,
  );
  for (const { ms, request } of longest) {
    stage.check(ms <= STALL_MS, `${ms.toFixed(0)} ms of processor time: ${shown(request)}`);
  }
  stage.check(!node.ended, 'the service has ended');
  for (const [what, { count, example }] of found) stage.failures.add(`${count} × ${what}\n  ${example}`);
});

/**
 * Sends requests one by one. A stall that is longer than the processor time comes from another process, and a response in
 * several parts may take more processor time than its longest stall, so the shorter time counts.
 * @returns the request for which the event loop's thread computed longest without a pause
 */
async function slowest(node, wire, requests) {
  let most = { ms: 0 };
  for (const request of requests) {
    const before = node.loopSeconds;
    await wire.send(node.url, request);
    const { stallMs } = await stall(node);
    const ms = Math.min(stallMs, (node.loopSeconds - before) * 1000);
    if (ms > most.ms) most = { ms, request };
  }
  return most;
}

/**
 * Returns the error of a response, or null. A request with a changed method may reach another operation or none. For
 * such a request, only a 5xx is an error.
 */
function errorOf(document, request, response) {
  const { status, text } = response;
  // Node's client rejects an invalid header or path, so no request was sent.
  if (text === 'ERR_INVALID_CHAR' || text === 'ERR_UNESCAPED_CHARACTERS') return null;
  if (status === 0) return `no response: ${text}`;
  // The server rejects such requests before they reach an operation.
  if (status === 431 || status === 417 || (status === 400 && text === '')) return null;
  const { operation, method, headers } = request;
  if (method !== operation.method || status === 405 || status === 304)
    return status >= 500 ? document.problem(operation, response) : null;
  if (headers['X-HTTP-Method-Override'] && status < 500) return null;
  return document.problem(operation, response);
}

/** Returns a request as text, without its credential. */
function shown({ method, target, headers, body }) {
  const sent = JSON.stringify({ ...headers, Authorization: undefined }).slice(0, 300);
  return `${method} ${target.slice(0, 300)} ${sent} ${String(body ?? '').slice(0, 500)}`;
}
