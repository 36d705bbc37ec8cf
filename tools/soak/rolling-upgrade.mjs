// A rolling upgrade: two nodes of an earlier version serve a load of writes on Debian's Postgres, and are replaced by nodes of
// this version one after the other; for a while both versions serve beside each other. Fails on a write that was acknowledged
// and is lost or doubled, on an event that its receiver never gets, and on a 5xx other than 503 with Retry-After.
//
//   npm run soak:rolling-upgrade -- <folder of the earlier version, built> [seconds side by side, default 20]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './lib/ledger.mjs';
import { freePort, ServiceNode } from './lib/nodes.mjs';
import { WebhookReceiver } from './lib/outside-services.mjs';
import { startCluster } from './lib/postgres-cluster.mjs';

const [, , earlier, sideBySide = '20'] = process.argv;
if (!earlier) throw new Error('Name the folder of an earlier version in which `npm ci && npm run build` has run.');
const earlierMain = join(resolve(earlier), 'apps/api/dist/main.js');
const RECOVERY_SECONDS = 60;
const dir = mkdtempSync(join(tmpdir(), 'passwright-upgrade-'));
const failures = [];
const cluster = await startCluster();
const receiver = await WebhookReceiver.start();
const ports = [await freePort(), await freePort()];
const environment = {
  BASE_URL: `http://127.0.0.1:${ports[0]}`,
  DATABASE_URL: cluster.url,
  DATA_DIR: dir,
  WEBHOOK_HOSTS_ALLOWED: receiver.host,
};
const nodes = ports.map((port) => new ServiceNode(port, environment, earlierMain));
try {
  await run();
} finally {
  await Promise.all(nodes.map((node) => node.stop()));
  receiver.stop();
  cluster.remove();
  rmSync(dir, { recursive: true, force: true });
}
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

async function run() {
  for (const node of nodes) await begin(node);
  const ledger = new Ledger(nodes.map(({ url }) => url));
  await ledger.open();
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  ledger.start(6, 10);
  await pause(3000);
  for (const [at, port] of ports.entries()) {
    await nodes[at].stop();
    nodes[at] = new ServiceNode(port, environment);
    await begin(nodes[at]);
    const from = performance.now();
    await pause(Number(sideBySide) * 1000);
    const counts = {};
    for (const { status } of ledger.since(from)) counts[status] = (counts[status] ?? 0) + 1;
    console.log(`${at + 1} of 2 nodes replaced, responses since by status:`, counts);
  }
  await ledger.stop();
  await settle(ledger);
}

async function begin(node) {
  node.start();
  await node.ready();
}

async function settle(ledger) {
  const since = performance.now();
  const outcome = ledger.verify((text) => cluster.sql(text));
  const undelivered = () => outcome.stored - receiver.received.size;
  while (undelivered() > 0 && performance.now() - since < RECOVERY_SECONDS * 1000) await pause(100);
  console.log(outcome, `undelivered events: ${undelivered()}`);
  if (outcome.acknowledged === 0) failures.push('nothing was acknowledged');
  if (outcome.lost + outcome.doubled > 0) failures.push('acknowledged writes are lost or doubled');
  if (outcome.counted !== outcome.stored)
    failures.push(`${outcome.counted} passes are counted, ${outcome.stored} stored`);
  if (undelivered() !== 0) failures.push(`${undelivered()} events differ`);
  const wrong = ledger.responses.filter(({ status, retryAfter }) => status >= 500 && !(status === 503 && retryAfter));
  if (wrong.length > 0) failures.push(`${wrong.length} responses: ${[...new Set(wrong.map(({ status }) => status))]}`);
}
