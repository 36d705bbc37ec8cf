/**
 * Runs a fleet of virtual iPhones against two real nodes. Passes change at random, nodes are killed with `kill -9`, and
 * the push service fails at times. At the end, every phone must show the current content of the service, and no job may
 * remain.
 *
 * With --on=NAME, the nodes run on another database engine than the embedded Postgres: see ../soak/lib/engines.mjs. If
 * the engine has a standby, the primary fails over to it in the middle of the changes.
 *
 *   npm run soak:fleet -- [phones, default 1000] [seconds of changes, default 60] [--on=NAME]
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startEmbeddedPostgres } from '@passwright/embedded-postgres';
import { deliverPushes, FakeApns, testCertificates, VirtualIPhone } from '@passwright/testing';
import pg from 'pg';
import { engineOf, startEngine } from '../soak/lib/engines.mjs';
import { Stage, within } from '../soak/lib/stage.mjs';
import { FleetAccount } from './account.mjs';
import { Nodes } from './nodes.mjs';

const { name: engineName, others } = engineOf(process.argv.slice(2));
const [phoneCount = 1000, seconds = 60, longestWait = 240] = others.map(Number);
const LAST_JOBS_SECONDS = 20;
const jobsSql = 'SELECT count(*)::int AS count FROM graphile_worker.jobs';
const devicesSql = 'SELECT coalesce(sum(size), 0)::int AS count FROM apple_push_page';
/**
 * Counts the devices that get a push soon. A phone that has accepted a push gets the next one only after ten minutes.
 */
const soonDueSql = `${devicesSql} WHERE due_at < now() + interval '5 minutes'`;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text) => process.stdout.write(`${text}\n`);
const stage = new Stage();

const authority = testCertificates();
const certificate = authority.pass({ passTypeIdentifier: 'pass.com.example.fleet' });
const apns = await FakeApns.start({ root: authority.rootPem });
/** @type {Pick<import('../soak/lib/engines.mjs').Engine, 'environment' | 'environmentOf' | 'directUrl' | 'handOver'>} */
const engine = engineName ? await startEngine(stage, engineName) : await startEmbedded();
// The web service address on passes. The phones send their requests to the nodes instead.
const publicUrl = 'https://passes.example.com';
const environment = {
  BASE_URL: publicUrl,
  DATA_DIR: join(stage.dataDir, 'data'),
  LOG_LEVEL: 'error',
  RATE_LIMIT_PER_MINUTE: '0',
  APPLE_CERTIFICATE: certificate.certificatePem,
  APPLE_PRIVATE_KEY: certificate.privateKeyPem,
  APPLE_INTERMEDIATE: certificate.intermediatePem,
  APPLE_PUSH_URL: apns.url,
  APPLE_PUSH_CA: apns.ca,
  APPLE_PUSH_WINDOW_SECONDS: process.env.APPLE_PUSH_WINDOW_SECONDS ?? '5',
  APPLE_PUSH_PER_HOUR: process.env.APPLE_PUSH_PER_HOUR ?? '0',
};
const { environmentOf } = engine;
const nodes = new Nodes(2, { ...environment, ...engine.environment }, { environmentOf });
await nodes.start();
let ok = false;
try {
  ok = await main();
} finally {
  await nodes.stop();
  await apns.stop();
  await stage.close();
}
process.exit(ok ? 0 : 1);

async function startEmbedded() {
  const postgres = await startEmbeddedPostgres({ dataDir: join(stage.dataDir, 'postgres') });
  stage.later(() => postgres.stop());
  return { environment: { DATABASE_URL: postgres.url }, environmentOf: () => ({}), directUrl: postgres.url };
}

async function main() {
  const account = new FleetAccount(nodes.url, publicUrl);
  await account.open();
  const phones = await addPasses(account);
  const delivery = deliverPushes(apns, phones);
  const before = apns.pushes.length;
  await disturb(account, phones);
  const convergence = await converge(account, phones);
  const left = await leftInQueue();
  await explain(convergence.stale.slice(0, 5));
  await delivery.stop().catch((error) => say(`a phone threw: ${error}`));
  report(account, phones, apns.pushes.length - before, convergence, left);
  return convergence.stale.length === 0 && left === 0;
}

/** Puts one to three passes on each phone. */
async function addPasses(account) {
  const phones = [];
  for (let from = 0; from < phoneCount; from += 20) {
    const some = Array.from({ length: Math.min(20, phoneCount - from) }, async () => {
      const phone = VirtualIPhone.create({ roots: [authority.rootPem], route: () => nodes.url });
      const count = 1 + Math.floor(Math.random() * 3);
      for (let n = 0; n < count; n += 1) {
        const { path } = await account.issue();
        const response = await fetch(`${nodes.url}${path}`);
        await phone.add(Buffer.from(await response.arrayBuffer()), {
          lastModified: response.headers.get('last-modified'),
        });
      }
      return phone;
    });
    phones.push(...(await Promise.all(some)));
  }
  say(`${phones.length} phones hold ${account.passes.length} passes`);
  return phones;
}

/** Causes all kinds of failures simultaneously for some seconds. */
async function disturb(account, phones) {
  const end = Date.now() + seconds * 1000;
  const during = async (work) => {
    while (Date.now() < end) await work();
  };
  await Promise.all([
    ...Array.from({ length: 8 }, () => during(() => account.change())),
    during(async () => {
      await pause(3000 + Math.random() * 4000);
      await nodes.crash(Math.floor(Math.random() * 2));
    }),
    during(async () => {
      await pause(2000);
      misbehave(phones);
    }),
    during(async () => {
      await pause(1000);
      await Promise.all(phones.map((phone) => phone.retryFailed()));
    }),
    pause((seconds * 1000) / 2).then(() => engine.handOver?.()),
  ]);
  apns.reset();
}

function misbehave(phones) {
  const token = [...phones[Math.floor(Math.random() * phones.length)].tokens.values()][0];
  const deeds = [
    () => apns.goAway(),
    () => apns.dropConnections(),
    () => apns.respond('*', { status: 503, reason: 'ServiceUnavailable', times: 50 }),
    () => apns.respond('*', { status: 500, reason: 'InternalServerError', times: 20 }),
    () => apns.respond(token, { status: 429, reason: 'TooManyRequests', times: 1, retryAfter: 2 }),
    () => apns.hang(token, 1),
    () => apns.limitStreams(1),
    () => apns.limitStreams(1000),
  ];
  deeds[Math.floor(Math.random() * deeds.length)]();
}

/**
 * Waits, for some minutes at most, until every phone shows the service's current content. Before each comparison, waits
 * for the pushes that are due, because the service does not push a version that the comparison has fetched.
 */
async function converge(account, phones) {
  apns.limitStreams(1000);
  const start = Date.now();
  for (;;) {
    await within(longestWait, async () => (await countRows(soonDueSql)) === 0);
    await Promise.all(phones.map((phone) => phone.retryFailed()));
    const stale = await staleSerials(phones);
    const took = (Date.now() - start) / 1000;
    if (stale.length === 0 || took > longestWait) return { stale, seconds: took };
    say(`  ${stale.length} passes are not current yet, ${took.toFixed(0)} s after the last change`);
    await pause(2000);
  }
}

/** Fetches each pass again and compares it with the pass on the phone. */
async function staleSerials(phones) {
  const stale = [];
  for (const phone of phones) {
    for (const { json } of phone.passes.values()) if (!(await isCurrent(json))) stale.push(json.serialNumber);
  }
  return stale;
}

async function isCurrent(json) {
  const response = await fetch(`${nodes.url}/v1/passes/${json.passTypeIdentifier}/${json.serialNumber}`, {
    headers: { Authorization: `ApplePass ${json.authenticationToken}` },
  });
  const judge = VirtualIPhone.create({ roots: [authority.rootPem] });
  const { json: current } = await judge.add(Buffer.from(await response.arrayBuffer()), { automaticUpdates: false });
  await judge.close();
  return isDeepStrictEqual(current, json);
}

/** Prints the service's records of passes that phones did not get. */
async function explain(serials) {
  const client = new pg.Client({ connectionString: engine.directUrl });
  await client.connect();
  for (const serial of serials) {
    const { rows } = await client.query(
      `SELECT d.*, r.registered_at AS r_registered_at, r.seen_at, r.fetched_at, r.fetched_status, p.updated_at, t.updated_at AS template_updated_at,
         x.deleted_at, now(),
         (SELECT json_agg(json_build_object('id', q.id, 'due_at', q.due_at, 'since', q.since, 'claim', q.claim, 'size', q.size))
          FROM apple_push_page q WHERE q.account_id = d.account_id AND d.id = ANY (q.device_ids)) AS pages
       FROM apple_registration r JOIN apple_device d ON d.account_id = r.account_id AND d.id = r.device_id
       LEFT JOIN pass p ON p.account_id = r.account_id AND p.serial_number = r.serial_number
       LEFT JOIN template t ON t.account_id = r.account_id AND t.id = r.template_id
       LEFT JOIN deleted_pass x ON x.account_id = r.account_id AND x.serial_number = r.serial_number
       WHERE r.serial_number = $1`,
      [serial],
    );
    say(`${serial}: ${JSON.stringify(rows, null, 1)}`);
  }
  await client.end();
}

/**
 * Waits until no job remains, but only for some seconds.
 * @returns the number of remaining jobs
 */
async function leftInQueue() {
  await within(LAST_JOBS_SECONDS, async () => (await countRows(jobsSql)) === 0);
  const jobs = await countRows(jobsSql);
  say(`left: ${jobs} jobs, ${await countRows(devicesSql)} devices to look at`);
  return jobs;
}

async function countRows(sql) {
  const client = new pg.Client({ connectionString: engine.directUrl });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows[0].count;
}

function report(account, phones, pushes, convergence, left) {
  const requests = phones.flatMap((phone) => phone.requests);
  const fetched = requests.filter(({ path }) => path.includes('/v1/passes/'));
  const updates = fetched.filter(({ status }) => status === 200).length;
  const lists = requests.filter(({ path, method }) => method === 'GET' && path.includes('/registrations/'));
  const empty = lists.filter(({ status }) => status === 204).length;
  const complaints = phones.flatMap((phone) => phone.logLines);
  say(`changes: ${JSON.stringify(account.changes)}; nodes killed: ${nodes.kills}`);
  say(
    `pushes taken by the push service: ${pushes}; updates fetched: ${updates}; lists: ${lists.length}, ${empty} with nothing new`,
  );
  say(
    `lock-screen lines: ${phones.reduce((sum, phone) => sum + phone.notifications.length, 0)}; log lines: ${complaints.length}`,
  );
  for (const line of new Set(complaints.slice(0, 5))) say(`  ${line}`);
  const { length } = convergence.stale;
  const verdict = length === 0 ? 'all phones are current' : `${length} PASSES ARE STALE`;
  say(`${verdict} after ${convergence.seconds.toFixed(0)} s; ${left} jobs left`);
}
