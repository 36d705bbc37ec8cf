/** The operations with which benchmarks compare nodes, database engines and proxies. */
import { load } from './load.mjs';
import { issuePasses, openAccount, saveTemplate } from './servers.mjs';

const points = (n) => ({ fields: [{ key: 'points', label: 'Points', value: String(n) }] });
let written = 0;

/**
 * Opens an account with passes of the template `offer`.
 * @param baseUrl the base address of the sample images
 */
export async function openIssuer(node, baseUrl, passes) {
  const account = await openAccount(node);
  await saveTemplate(account, baseUrl, 'offer', 'Benchmark');
  const held = await issuePasses(account, passes, node.url);
  return { ...account, bearer: { Authorization: `Bearer ${account.key}` }, held };
}

/**
 * Returns the operations to measure. Each of them puts load on a server for some seconds, and returns the number of
 * completed requests. Writes run in parallel lanes; each lane sends its requests one after the other.
 * @param issuers the accounts with the passes
 */
export function operationsOf(issuers, seconds) {
  // Change only the second half of the passes, because a changed pass no longer gets 304 for its old entity tag.
  const half = issuers[0].held.length / 2;
  const reads = (requestOf) => {
    const requests = issuers.flatMap(({ held, bearer }) => held.slice(0, half).map((pass) => requestOf(pass, bearer)));
    return async (server) => (await load(seconds, server, requests)).rate * seconds;
  };
  const writes = (method, pathOf, bodyOf) => (server, lanes) =>
    repeat(lanes, seconds, (n) => {
      const { held, bearer } = issuers[n % issuers.length];
      const pass = held[half + (Math.floor(n / issuers.length) % half)];
      return send(server, bearer, method, pathOf(pass), bodyOf(n));
    });
  return {
    'package, 304': reads(({ path, etag }) => ({ path, headers: { 'If-None-Match': etag } })),
    package: reads(({ path }) => ({ path })),
    'read a pass': reads(({ id }, headers) => ({ path: `/v1/pass/offer/${id}`, headers })),
    'issue a pass': writes(
      'POST',
      () => '/v1/pass/offer',
      () => ({}),
    ),
    'patch a pass': writes('PATCH', ({ id }) => `/v1/pass/offer/${id}`, points),
  };
}

/**
 * Calls `write` repeatedly for some seconds.
 * @returns the number of completed calls
 */
async function repeat(lanes, seconds, write) {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const lane = async () => {
    for (; performance.now() < end; count += 1) await write((written += 1));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return count;
}

async function send({ url }, headers, method, path, body) {
  const json = { ...headers, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers: json, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
}
