// Kills nodes with `kill -9` under a load of writes, on Debian's Postgres: of two nodes, one is killed every few
// seconds and started again.
// Fails on an acknowledged write that is lost or duplicated, on an event that its receiver never gets, on a counter
// that differs from what is stored, and on a 5xx other than 503 with Retry-After.
//
//   npm run soak:killed-nodes -- [kills, default 10]
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './lib/ledger.mjs';
import { requireServer, soak } from './lib/stage.mjs';

const kills = Number(process.argv[2] ?? 10);
/** A node counts as dead after 6 s. Then another one sends what it was sending. */
const RECOVERY_SECONDS = 30;

requireServer();
await soak(async (stage) => {
  const cluster = await stage.cluster();
  const receiver = await stage.receiver();
  const environment = { DATABASE_URL: cluster.url, WEBHOOK_HOSTS_ALLOWED: receiver.host };
  const nodes = await stage.nodes(2, environment);
  const ledger = new Ledger(nodes.map(({ url }) => url));
  await ledger.open();
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  ledger.start(8, 10);
  const restarts = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(1500 + Math.random() * 1500);
    restarts.push(await killAndRestart(nodes[kill % nodes.length]));
  }
  await ledger.stop();
  console.log(`${kills} kills; a node was ready again after ${Math.max(...restarts).toFixed(1)} s at most`);
  const stored = stage.checkWrites(ledger, (text) => cluster.sql(text));
  await stage.checkEvents(receiver, stored, RECOVERY_SECONDS);
  stage.checkResponses(ledger.responses);
});

async function killAndRestart(node) {
  await node.kill();
  const killedAt = performance.now();
  node.start();
  await node.ready();
  return (performance.now() - killedAt) / 1000;
}
