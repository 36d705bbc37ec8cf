// A rolling upgrade: two nodes of an earlier version serve a load of writes on Debian's Postgres, and are replaced by nodes of
// this version one after the other; for a while both versions serve beside each other. Fails on a write that was acknowledged
// and is lost or doubled, on an event that its receiver never gets, and on a 5xx other than 503 with Retry-After.
//
//   npm run soak:rolling-upgrade -- <folder of the earlier version, built> [seconds side by side, default 20]
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './lib/ledger.mjs';
import { freePort, ServiceNode } from './lib/nodes.mjs';
import { requireServer, soak } from './lib/stage.mjs';

const [, , earlier = '', sideBySide = '20'] = process.argv;
const earlierMain = join(resolve(earlier), 'apps/api/dist/main.js');
if (!earlier || !existsSync(earlierMain)) {
  console.error('Name the folder of an earlier version in which `npm ci && npm run build` has run.');
  process.exit(2);
}
const RECOVERY_SECONDS = 60;

requireServer();
await soak(async (stage) => {
  const cluster = await stage.cluster();
  const receiver = await stage.receiver();
  const ports = [await freePort(), await freePort()];
  const environment = {
    BASE_URL: `http://127.0.0.1:${ports[0]}`,
    DATABASE_URL: cluster.url,
    DATA_DIR: stage.dataDir,
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
    // The earlier version cannot read encrypted members.
    PERSONAL_DATA: 'clear',
  };
  const nodes = stage.adopt(ports.map((port) => new ServiceNode(port, environment, earlierMain)));
  for (const node of nodes) await begin(node);
  const ledger = new Ledger(nodes.map(({ url }) => url));
  await ledger.open();
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  ledger.start(6, 10);
  await pause(3000);
  for (const [at, node] of nodes.entries()) {
    await node.stop();
    const { port } = node;
    const newer = new ServiceNode(port, environment);
    stage.adopt([newer]);
    await begin(newer);
    const from = performance.now();
    await pause(Number(sideBySide) * 1000);
    console.log(`${at + 1} of 2 nodes replaced, responses since by status:`, countStatuses(ledger.since(from)));
  }
  await ledger.stop();
  const stored = stage.checkWrites(ledger, (text) => cluster.sql(text));
  await stage.checkEvents(receiver, stored, RECOVERY_SECONDS);
  stage.checkResponses(ledger.responses);
});

async function begin(node) {
  node.start();
  await node.ready();
}

function countStatuses(responses) {
  const counts = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
