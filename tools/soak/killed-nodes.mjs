// Nodes killed with `kill -9` under a load of writes, on Debian's Postgres: two nodes, one killed every few seconds and
// started again. Fails on a write that was acknowledged and is lost or doubled, on an event that its receiver never gets, on a
// counter that differs from what is stored, and on an error that is none of a node that has just died.
//
//   npm run soak:killed-nodes -- [kills, default 10]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './lib/ledger.mjs';
import { startNodes } from './lib/nodes.mjs';
import { WebhookReceiver } from './lib/outside-services.mjs';
import { startCluster } from './lib/postgres-cluster.mjs';

const kills = Number(process.argv[2] ?? 10);
const RECOVERY_SECONDS = 120;
const dir = mkdtempSync(join(tmpdir(), 'passwright-kills-'));
const failures = [];
const cluster = await startCluster();
const receiver = await WebhookReceiver.start();
const nodes = await startNodes(2, { DATABASE_URL: cluster.url, DATA_DIR: dir, WEBHOOK_HOSTS_ALLOWED: receiver.host });
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
  const ledger = new Ledger(nodes.map(({ url }) => url));
  await ledger.open();
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  ledger.start(8, 10);
  const restarts = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(1500 + Math.random() * 1500);
    const node = nodes[kill % nodes.length];
    await node.kill();
    const killedAt = performance.now();
    node.start();
    await node.ready();
    restarts.push((performance.now() - killedAt) / 1000);
  }
  await ledger.stop();
  const since = performance.now();
  const elapsed = () => (performance.now() - since) / 1000;
  const outcome = ledger.verify((text) => cluster.sql(text));
  while (receiver.received.size < outcome.stored && elapsed() < RECOVERY_SECONDS) await pause(100);
  const undelivered = outcome.stored - receiver.received.size;
  console.log(`${kills} kills; a node was ready again after ${Math.max(...restarts).toFixed(1)} s at most`);
  console.log(outcome, `undelivered events: ${undelivered}, the last one ${elapsed().toFixed(1)} s after the load`);
  if (outcome.acknowledged === 0) failures.push('nothing was acknowledged');
  if (outcome.lost + outcome.doubled > 0) failures.push('acknowledged writes are lost or doubled');
  if (outcome.counted !== outcome.stored)
    failures.push(`${outcome.counted} passes are counted, ${outcome.stored} stored`);
  if (undelivered !== 0) failures.push(`${undelivered} events differ`);
  const wrong = ledger.responses.filter(({ status, retryAfter }) => status >= 500 && !(status === 503 && retryAfter));
  if (wrong.length > 0) failures.push(`${wrong.length} responses: ${[...new Set(wrong.map(({ status }) => status))]}`);
}
