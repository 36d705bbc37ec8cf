/**
 * Causes errors of the database, one after the other, while two nodes create passes, one by one and in batches. Then does the same with actions of
 * operators at PgBouncer, in session mode and in transaction mode. Prints for each error how long the service took to
 * recover, and which responses callers got.
 *
 * Fails on:
 * - a call without a response
 * - a 5xx other than 503 with Retry-After
 * - a recovery of more than 10 s
 * - a lost or duplicated write
 * - a node that reports that it is ready while it cannot write
 *
 * These rules also apply to calls that are in progress when an error begins or ends.
 *
 *   npm run soak:database-faults -- [seconds of each error, default 12] [names of errors]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Batches } from './lib/batches.mjs';
import { Guests } from './lib/guests.mjs';
import { Ledger, WAITING } from './lib/ledger.mjs';
import { Network } from './lib/network.mjs';
import { hasPgBouncer, PgBouncer } from './lib/pgbouncer.mjs';
import { SessionFaults } from './lib/session-faults.mjs';
import { countStatuses, missing, requireServer, soak } from './lib/stage.mjs';

const RECOVERY_MS = 10_000;
const seconds = Number(process.argv[2] ?? 12);
const wanted = process.argv.slice(3);
/** The errors that prevent every write. During them, no node may report that it is ready. */
const unready = [
  'kill -9 of the postmaster',
  'server frozen',
  'packets swallowed',
  'disk full',
  'read-only',
  'transaction ids used up',
  ...['session', 'transaction'].flatMap((mode) =>
    ['DISABLE', 'KILL', 'restarted'].map((name) => `PgBouncer, ${mode}: ${name}`),
  ),
];

requireServer();
await soak(async (stage) => {
  const disk = smallDisk(stage);
  const cluster = await stage.cluster({ parent: disk ?? tmpdir(), settings: { max_connections: '100' } });
  const guests = new Guests(cluster.url);
  stage.later(() => guests.leave());
  await stageErrors(stage, cluster, 'postgres', cluster.port, (network) => problemsOf(cluster, network, guests, disk));
  if (!hasPgBouncer()) return console.log(missing('pgbouncer'));
  for (const mode of /** @type {const} */ (['session', 'transaction'])) {
    const database = `${mode}_mode`;
    cluster.sql(`CREATE DATABASE ${database}`);
    const pooler = await PgBouncer.start(cluster, mode);
    stage.later(() => pooler.stop());
    const environment = PgBouncer.environmentOf(cluster, mode, database);
    const problems = (network) => poolerErrors(pooler, mode, database, network);
    await stageErrors(stage, cluster, database, pooler.port, problems, environment);
  }
});

/** Causes the selected errors, one after the other. Two nodes use their database at `port` meanwhile. */
async function stageErrors(stage, cluster, database, port, problems, environment = {}) {
  const network = new Network();
  const url = new URL(cluster.url);
  url.port = String(await network.open(port));
  url.pathname = database;
  stage.later(() => network.close());
  const staged = Object.entries(problems(network)).filter(
    ([name]) => wanted.length === 0 || wanted.some((each) => name.includes(each)),
  );
  if (staged.length === 0) return;
  const dataDir = join(stage.dataDir, database);
  const nodes = await stage.nodes(2, { DATABASE_URL: url.href, DATA_DIR: dataDir, ...environment });
  const ledger = new Ledger(nodes.map((node) => node.url));
  await ledger.open();
  const batches = new Batches(ledger);
  ledger.start(10, 4);
  batches.start();
  await pause(3000);
  for (const [name, steps] of staged) {
    if (!steps) {
      console.log(`${name}: SKIPPED, only root may mount the small disk that it needs`);
      continue;
    }
    const brokenAt = performance.now();
    await steps[0]();
    await pause(seconds * 1000);
    const ready = await nodes[0].health();
    const hits = await steps[1]();
    const healedAt = performance.now();
    await pause(RECOVERY_MS + 5000);
    // Calls that began after the recovery may still be waiting for their response. Do not count these.
    const isJudged = ({ startedAt, reason }) => reason !== WAITING || startedAt < healedAt + RECOVERY_MS;
    judge(stage, name, ready, ledger.inHandSince(brokenAt).filter(isJudged), healedAt);
    if (typeof hits === 'number') {
      console.log(`${''.padEnd(33)} hit the nodes ${hits} times`);
      stage.check(hits > 0, `${name}: it never hit a node`);
    }
  }
  await Promise.all([ledger.stop(), batches.stop()]);
  console.log('lines of batches:', batches.counts);
  for (const problem of batches.problems) stage.failures.add(problem);
  stage.checkWrites(ledger, (text) => cluster.sql(text, database));
  for (const node of nodes) await node.stop();
}

/**
 * Mounts a small disk, which the test can fill.
 * @returns its folder, or null if this process may not mount a disk
 */
function smallDisk(stage) {
  const folder = mkdtempSync(join(tmpdir(), 'passwright-disk-'));
  stage.later(() => rmSync(folder, { recursive: true, force: true }));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=700m,mode=755', 'tmpfs', folder]);
  if (status !== 0) return null;
  stage.later(() => execFileSync('umount', [folder]));
  return folder;
}

/** Returns the functions that begin and end each error. */
function problemsOf(cluster, network, guests, disk) {
  const sessions = new SessionFaults(cluster);
  const reload = () => cluster.sql('SELECT pg_reload_conf()');
  const fill = () =>
    // This command ends when the disk is full.
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'fill')}`, 'bs=1M'], { stdio: 'ignore' });
  return {
    'kill -9 of the postmaster': [() => cluster.killPostmaster(), () => cluster.start()],
    'server frozen': [() => cluster.signal('SIGSTOP'), () => cluster.signal('SIGCONT')],
    'packets swallowed': [() => (network.swallows = true), () => (network.swallows = false)],
    'connections cut': [() => network.cut(), () => undefined],
    'answers cut in half': [() => (network.halved = 0.02), () => (network.halved = 0)],
    '400 ms later each way': [() => (network.lateMs = 400), () => (network.lateMs = 0)],
    'sessions ended': [() => sessions.endSessions(), () => sessions.end()],
    'statements cancelled': [() => sessions.cancelStatements(), () => sessions.end()],
    'sessions killed': [() => sessions.killSessions(), () => sessions.end()],
    'restarted many times': [() => sessions.restart(), () => sessions.end()],
    'disk full': disk && [fill, () => rmSync(join(disk, 'fill'))],
    'read-only': [
      () => cluster.sql('ALTER SYSTEM SET default_transaction_read_only = on') + reload(),
      () => cluster.sql('ALTER SYSTEM RESET default_transaction_read_only') + reload(),
    ],
    'transaction ids used up': [() => cluster.useUpTransactionIds(), () => cluster.vacuumAlone()],
    'no connections left': [
      async () => {
        network.cut();
        await guests.takeAll();
      },
      () => guests.leave(),
    ],
    'row locked': [() => guests.hold(['BEGIN', 'SELECT FROM template FOR UPDATE']), () => guests.leave()],
  };
}

/** Returns functions for actions of operators at the console of PgBouncer. Each has a function that undoes it. */
function poolerErrors(pooler, mode, database, network) {
  const errors = {
    DISABLE: [
      () => {
        pooler.command(`DISABLE ${database}`);
        network.cut();
      },
      () => pooler.command(`ENABLE ${database}`),
    ],
    KILL: [() => pooler.command(`KILL ${database}`), () => pooler.command(`RESUME ${database}`)],
    RECONNECT: [() => pooler.command(`RECONNECT ${database}`), () => undefined],
    restarted: [() => pooler.stop(), () => pooler.run()],
  };
  return Object.fromEntries(Object.entries(errors).map(([name, steps]) => [`PgBouncer, ${mode}: ${name}`, steps]));
}

function judge(stage, name, ready, responses, healedAt) {
  const isGood = ({ status }) => status > 0 && status < 500;
  const after = responses.filter(({ endedAt }) => endedAt >= healedAt);
  const late = after.filter((response) => response.startedAt < healedAt || !isGood(response));
  const firstGood = after.find(isGood)?.endedAt ?? Infinity;
  const recovery = (Math.max(firstGood, ...late.map(({ endedAt }) => endedAt)) - healedAt) / 1000;
  const longest = Math.max(...responses.map(({ startedAt, endedAt }) => endedAt - startedAt)) / 1000;
  console.log(
    `${name.padEnd(33)} recovery ${recovery.toFixed(1)} s, longest answer ${longest.toFixed(1)} s, ready ${ready} at its end,`,
    countStatuses(responses),
  );
  stage.check(recovery <= RECOVERY_MS / 1000, `${name}: recovery took ${recovery.toFixed(1)} s`);
  stage.check(!unready.includes(name) || ready === 503, `${name}: the node was ready (${ready})`);
  stage.checkResponses(responses, { noneAllowed: false });
}
