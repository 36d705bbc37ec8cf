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
 *   npm run soak:fuzz -- [requests, default 100000] [seed]
 */
import fc from 'fast-check';
import { scopes } from './lib/access-rules.mjs';
import { ApiDocument } from './lib/api-document.mjs';
import { FuzzRequests } from './lib/fuzz-requests.mjs';
import { observed, stall } from './lib/observed.mjs';
import { countStatuses, requireServer, soak } from './lib/stage.mjs';
import { Tenant } from './lib/tenant.mjs';
import { Wire } from './lib/wire.mjs';

const [total = 100_000, seed = Math.floor(Math.random() * 2 ** 31)] = process.argv.slice(2).map(Number);
const BATCH = 1000;
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
  const requests = new FuzzRequests(document, { ...(await openAccount(node)), ended });
  const wire = new Wire(LANES);
  const found = new Map();
  const statuses = {};
  /** The total waiting time in ms by operation, which shows the operations that make a run long. */
  const waits = new Map();
  const [stalls, longest] = [[], []];
  await stall(node);
  const note = (what, example) =>
    found.set(what, { count: (found.get(what)?.count ?? 0) + 1, example: found.get(what)?.example ?? example });

  for (let sent = 0; sent < total; sent += BATCH) {
    const batch = fc.sample(requests.arbitrary(), { seed: seed + sent, numRuns: Math.min(BATCH, total - sent) });
    const queue = batch.values();
    const lane = async () => {
      for (const request of queue) {
        const sentAt = performance.now();
        const response = await wire.send(node.url, request);
        waits.set(request.operation.name, (waits.get(request.operation.name) ?? 0) + performance.now() - sentAt);
        for (const [status, n] of Object.entries(countStatuses([response])))
          statuses[status] = (statuses[status] ?? 0) + n;
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
 * Sends requests one by one.
 * @returns the request for which the event loop's thread computed longest
 */
async function slowest(node, wire, requests) {
  let most = { ms: 0 };
  for (const request of requests) {
    const before = node.loopSeconds;
    await wire.send(node.url, request);
    const ms = (node.loopSeconds - before) * 1000;
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

/**
 * Creates an account with a resource of each kind.
 * @returns the ids of the resources, and the credentials
 */
async function openAccount(node) {
  const admin = await new Tenant(node.url).register();
  const key = (await admin.call('POST', '/v1/auth/keys', { name: 'fuzz', scopes })).body;
  const reader = (await admin.call('POST', '/v1/auth/keys', { name: 'reader', scopes: ['passes:read'] })).body;
  const other = await new Tenant(node.url).register();
  await admin.save('card');
  await admin.save('club', { type: 'membership', primaryLabel: 'Member' });
  await admin.call('POST', '/v1/pass/card', { id: 'held' });
  const member = new Tenant(node.url, { token: key.key });
  await member.call('PUT', '/v1/memberships/settings', { templateId: 'club', reminders: [] });
  const { body: ada } = await member.call('POST', '/v1/memberships/members', { email: 'ada@example.com', name: 'Ada' });
  const { body: webhook } = await admin.call('POST', '/v1/webhooks', {});
  const { body: invite } = await admin.call('POST', '/v1/account/invite', { email: 'guest@example.com' });
  const { body: message } = await admin.call('POST', '/v1/pass/card/held/messages', { text: 'Hello' });
  const { body: account } = await admin.call('GET', '/v1/account');
  const ids = {
    ...{ accountId: account.id, templateId: 'card', passId: 'held', memberId: String(ada.id), keyId: key.id },
    ...{
      webhookId: webhook.id,
      messageId: message.id,
      code: invite.code,
      uid: account.members[0].uid,
      file: 'icon.png',
    },
    ...{ passTypeIdentifier: 'pass.dev.passwright', serialNumber: 'x', deviceLibraryIdentifier: 'device' },
  };
  const bearer = (token) => `Bearer ${token}`;
  const credentials = {
    ...{ nobody: '', admin: bearer(admin.token), key: bearer(key.key), reader: bearer(reader.key) },
    ...{ other: bearer(other.token), phone: 'ApplePass made-up', wrong: 'Bearer a.b.c', basic: 'Basic dXNlcjpwYXNz' },
  };
  return { ids, credentials };
}
