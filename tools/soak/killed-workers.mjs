/**
 * Runs one node with two worker processes on Debian's Postgres while clients write. Repeatedly restarts the workers
 * with SIGHUP, and kills a random worker, old or new, during each restart. At the end, kills the node's main process
 * and starts the node again. All kills use `kill -9`.
 *
 * Fails on:
 * - a node that exits, or that does not have two workers again within a minute
 * - a node that does not respond within 10 s after a kill
 * - an acknowledged write that is lost or duplicated
 * - an event or a phone that is not up to date 60 s later
 * - a 5xx other than 503 with Retry-After
 *
 *   npm run soak:killed-workers -- [kills of one worker, default 10]
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { every } from './lib/overload.mjs';
import { countStatuses, requireServer, soak, within } from './lib/stage.mjs';
import { startWatchedService } from './lib/watched-service.mjs';

const kills = Number(process.argv[2] ?? 10);
const WORKERS = 2;
const PHONES = 4;
const RECOVERY_SECONDS = 10;
const RESTART_SECONDS = 60;
const CURRENT_SECONDS = 60;
/** A restart of two workers takes about this long. */
const RESTART_MS = 8000;

requireServer();
await soak(async (stage) => {
  // The main process logs the end of a restart at the level info.
  const environment = { WORKERS: String(WORKERS), LOG_LEVEL: 'info' };
  const service = await startWatchedService(stage, { held: PHONES, environment });
  const { cluster, receiver, phones, node, ledger } = service;
  const restarts = countRestarts(node);
  await within(RESTART_SECONDS, () => isWhole(node));
  ledger.start(6, 5);
  const ended = new AbortController();
  const changes = every(300, () => phones.change(ledger), ended.signal);
  for (let kill = 0; kill < kills; kill += 1) await killInRestart(stage, node, ledger, restarts);
  const from = performance.now();
  await node.kill();
  node.start();
  await node.ready();
  console.log(`primary killed: ready again after ${((performance.now() - from) / 1000).toFixed(1)} s`);
  ended.abort();
  await Promise.all([changes, ledger.stop()]);
  const stored = stage.checkWrites(ledger, (text) => cluster.sql(text));
  await stage.checkEvents(receiver, stored, CURRENT_SECONDS);
  await phones.checkCurrent(stage, ledger, CURRENT_SECONDS);
  stage.checkResponses(ledger.responses);
});

/** Restarts the workers, and kills one of them meanwhile. Waits until there are two workers again. */
async function killInRestart(stage, node, ledger, restarts) {
  const from = performance.now();
  const endedBefore = restarts.ended;
  const before = workersOf(node);
  node.child.kill('SIGHUP');
  await pause(Math.random() * RESTART_MS);
  const workers = workersOf(node);
  const killed = workers[Math.floor(Math.random() * workers.length)];
  const isNew = !before.includes(killed);
  process.kill(killed, 'SIGKILL');
  const killedAt = performance.now();
  const recovery = await within(RECOVERY_SECONDS, async () => (await node.health()) === 200);
  const whole = await within(RESTART_SECONDS, async () => restarts.ended > endedBefore && (await isWhole(node)));
  console.log(
    `${isNew ? 'new' : 'old'} worker killed after ${((killedAt - from) / 1000).toFixed(1)} s: ready after`,
    `${recovery.toFixed(1)} s, ${WORKERS} workers again after ${whole.toFixed(1)} s,`,
    countStatuses(ledger.since(from)),
  );
  stage.check(!node.ended, 'the node has ended');
  stage.check(recovery < Infinity, `the node is not ready ${RECOVERY_SECONDS} s after a kill`);
  stage.check(whole < Infinity, `the workers are ${workersOf(node)}, before the restart ${before}`);
}

/** Returns true if all workers are ready, and no other worker is starting or stopping. */
async function isWhole(node) {
  const metrics = await (await fetch(`${node.url}/metrics`)).text();
  const ready = Number(/^passwright_workers (\d+)/m.exec(metrics)?.[1]);
  return ready === WORKERS && workersOf(node).length === WORKERS;
}

/** Counts the restarts that have ended, whether or not they have replaced all workers. */
function countRestarts(node) {
  const restarts = { ended: 0 };
  node.child.stdout.on('data', (text) => {
    restarts.ended += text.match(/All workers have been restarted|The other workers run on/g)?.length ?? 0;
  });
  return restarts;
}

/** Returns the process ids of the workers. */
function workersOf(node) {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(node.child.pid)], { encoding: 'utf8' });
  return stdout.split(/\s+/).filter(Boolean).map(Number);
}
