/**
 * Provides benchmarks with the routes that phones, browsers and backends call most often. The service has a database of
 * its own.
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { load } from './load.mjs';
import { packageOf, unzip } from './package-files.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { cpuSeconds, openAccount, saveTemplate } from './servers.mjs';

const passes = 500;
const lanes = 16;
const changed = 100;
const phones = 50;
const batchLines = 100;
let written = 0;

/**
 * Starts a service.
 * @returns the service, its database, the `names` of the routes, and `measure(name)`, which puts load on a route for
 * one slice
 * @param checkout the folder of the checkout whose build is started; default: this checkout
 * @param node the Node program that runs the service; default: the program that runs the benchmark
 */
export async function hotRoutes(
  servers,
  { seconds, checkout = /** @type {string | undefined} */ (undefined), node = process.execPath, environment = {} },
) {
  const database = await emptyDatabase({ migrated: checkout === undefined });
  servers.onStop(database.remove);
  const DATA_DIR = mkdtempSync(join(servers.dir, 'data-'));
  const settings = { ...environment, DATABASE_URL: database.url, DATA_DIR };
  const service = await servers.startService(settings, { checkout, node });
  const account = await openAccount(service);
  await saveTemplate(account, service.url, 'offer', 'Benchmark');
  const held = await issue(account, passes);
  // Change separate passes. After a change, a request with the old entity tag would no longer get 304.
  const patched = await issue(account, changed);
  const lists = await register(service, await issue(account, phones));
  // Autovacuum would do this within a minute. Until then, statements are planned for empty tables.
  await database.client.query('ANALYZE');
  const reads = (requests) => () => load(seconds, service, requests);
  const bearer = { Authorization: `Bearer ${account.key}` };
  const rows = {
    'package, 304': reads(held.map(({ walletA, etag }) => ({ path: walletA, headers: { 'If-None-Match': etag } }))),
    package: reads(held.map(({ walletA }) => ({ path: walletA }))),
    'latest pass, 304': reads(
      held.map(({ latest, phone, at }) => ({ path: latest, headers: { ...phone, 'If-Modified-Since': at } })),
    ),
    'PassKit list, nothing new': reads(lists),
    'web view': reads(held.map(({ web }) => ({ path: web, headers: { Accept: 'text/html' } }))),
    'web view, 304': reads(
      held.map(({ web, webTag }) => ({ path: web, headers: { Accept: 'text/html', 'If-None-Match': webTag } })),
    ),
    'save link': reads(held.map(({ walletB }) => ({ path: walletB }))),
    'read a pass': reads(held.map(({ id }) => ({ path: `/v1/pass/offer/${id}`, headers: bearer }))),
    'issue a pass': () => writes(service, seconds, () => account.call('POST', '/v1/pass/offer', {})),
    'patch a pass': () =>
      writes(service, seconds, (n) => {
        const fields = [{ key: 'points', label: 'Points', value: String(n) }];
        return account.call('PATCH', `/v1/pass/offer/${patched[n % changed].id}`, { fields });
      }),
    // Keep this route last, because it makes the tables a thousand times larger.
    'a line of a batch': () => writes(service, seconds, () => batch(service, account), batchLines),
  };
  return { service, database, names: Object.keys(rows), measure: (name) => measured(database, seconds, rows[name]) };
}

/**
 * Issues passes.
 * @returns the values that phones, browsers and backends send in their requests
 */
async function issue({ call }, count) {
  const held = [];
  for (let n = 0; n < count; n += 1) {
    const { pass, walletAUrl, walletBUrl, webUrl } = await call('POST', '/v1/pass/offer', {});
    const { headers } = await fetch(walletAUrl, { method: 'HEAD' });
    const page = await fetch(webUrl, { method: 'HEAD', headers: { Accept: 'text/html' } });
    const json = JSON.parse((await unzip(await packageOf(walletAUrl)))['pass.json'].toString());
    held.push({
      id: pass.id,
      passType: json.passTypeIdentifier,
      serial: json.serialNumber,
      latest: `/v1/passes/${json.passTypeIdentifier}/${json.serialNumber}`,
      phone: { Authorization: `ApplePass ${json.authenticationToken}` },
      walletA: new URL(walletAUrl).pathname,
      walletB: new URL(walletBUrl).pathname,
      web: new URL(webUrl).pathname,
      at: headers.get('last-modified'),
      etag: headers.get('etag'),
      webTag: page.headers.get('etag'),
    });
  }
  return held;
}

/**
 * Registers a device for each pass.
 * @returns the request of each device for passes that have changed since then; no pass has
 */
async function register({ url }, held) {
  const requests = [];
  for (const [n, { passType, serial, phone }] of held.entries()) {
    const list = `/v1/devices/bench-${n}/registrations/${passType}`;
    const body = JSON.stringify({ pushToken: n.toString(16).padStart(64, '0') });
    const headers = { ...phone, 'Content-Type': 'application/json' };
    await fetch(`${url}${list}/${serial}`, { method: 'POST', headers, body });
    const { lastUpdated } = await (await fetch(`${url}${list}`)).json();
    requests.push({ path: `${list}?passesUpdatedSince=${encodeURIComponent(lastUpdated)}` });
  }
  return requests;
}

async function batch({ url }, { key }) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' };
  const body = '{}\n'.repeat(batchLines);
  const response = await fetch(`${url}/v1/pass/offer/batch`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`batch: ${response.status} ${text}`);
}

/**
 * Calls `write` in several parallel lanes for one slice.
 * @param lines the number of passes that one call writes
 */
async function writes({ pid }, seconds, write, lines = 1) {
  const [begun, cpuBefore] = [performance.now(), cpuSeconds(pid)];
  let count = 0;
  const lane = async () => {
    while (performance.now() - begun < seconds * 1000) {
      await write((written += 1));
      count += lines;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const rate = (count / (performance.now() - begun)) * 1000;
  return { count, rate, cpu: ((cpuSeconds(pid) - cpuBefore) / count) * 1000 };
}

/** Measures one slice. @returns requests per second, and CPU per request in ms of the service and of its Postgres */
async function measured(database, seconds, slice) {
  const cpuBefore = database.cpuSeconds();
  const { rate, cpu } = await slice();
  return { rate, cpu, databaseCpu: ((database.cpuSeconds() - cpuBefore) / (rate * seconds)) * 1000 };
}
