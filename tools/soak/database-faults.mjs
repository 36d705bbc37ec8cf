// Faults of the database under two nodes that create passes, one after the other: prints for each how long the service took to
// recover and what callers saw. Fails on a 5xx other than 503 with Retry-After, on a recovery of more than 10 s, on a write
// that is lost or doubled, and on a node that says that it is ready while it cannot write.
//
//   npm run soak:database-faults -- [seconds of each fault, default 12] [names of faults]
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Ledger } from './lib/ledger.mjs';
import { countStatuses, requireServer, soak } from './lib/stage.mjs';

const RECOVERY_MS = 10_000;
const seconds = Number(process.argv[2] ?? 12);
const wanted = process.argv.slice(3);
/** Faults under which no write is possible: no node may say that it is ready. */
const unready = ['kill -9 of the postmaster', 'server frozen', 'packets swallowed', 'disk full', 'read-only'];

/** The network between nodes and database: it can swallow or delay what goes over it, and cut connections or answers. */
class Network {
  sockets = new Set();
  swallows = false;
  lateMs = 0;
  /** The share of answers that break off in the middle. */
  halved = 0;

  async open(port) {
    this.server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
      }
      // A connection that lost bytes stays broken, as one whose way a firewall has forgotten.
      const pass = (from, to) => {
        let broken = false;
        let dueAt = 0;
        from.on('data', (bytes) => {
          broken ||= this.swallows;
          if (broken) return;
          if (from === upstream && Math.random() < this.halved) {
            broken = true;
            to.write(bytes.subarray(0, bytes.length / 2), () => to.destroy());
            return;
          }
          // Never before what is still on its way.
          dueAt = Math.max(dueAt, performance.now() + this.lateMs);
          const waitMs = dueAt - performance.now();
          if (waitMs > 0) setTimeout(() => to.write(bytes), waitMs);
          else to.write(bytes);
        });
        from.on('close', () => to.destroy());
      };
      pass(client, upstream);
      pass(upstream, client);
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this.server.address().port;
  }

  cut() {
    for (const socket of this.sockets) socket.destroy();
  }

  close() {
    this.server.close();
    this.cut();
  }
}

/** Sessions of the test's own that take what nodes need. */
class Guests {
  #clients = [];

  constructor(url) {
    this.url = url;
  }

  async hold(statements = []) {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    this.#clients.push(client);
    for (const statement of statements) await client.query(statement);
  }

  async takeAll() {
    const isRoom = () =>
      this.hold().then(
        () => true,
        () => false,
      );
    while (await isRoom());
  }

  leave() {
    return Promise.all(this.#clients.splice(0).map((client) => client.end().catch(() => undefined)));
  }
}

requireServer();
await soak(async (stage) => {
  const disk = smallDisk(stage);
  const cluster = await stage.cluster({ parent: disk ?? tmpdir(), settings: { max_connections: '100' } });
  const network = new Network();
  const url = new URL(cluster.url);
  url.port = String(await network.open(cluster.port));
  stage.later(() => network.close());
  const guests = new Guests(cluster.url);
  stage.later(() => guests.leave());
  const nodes = await stage.nodes(2, { DATABASE_URL: url.href });
  const ledger = new Ledger(nodes.map((node) => node.url));
  await ledger.open();
  ledger.start(10, 4);
  await pause(3000);
  for (const [name, steps] of Object.entries(faultsOf(cluster, network, guests, disk))) {
    if (wanted.length > 0 && !wanted.some((each) => name.includes(each))) continue;
    if (!steps) {
      console.log(`${name}: SKIPPED, only root may mount the small disk that it needs`);
      continue;
    }
    const brokenAt = performance.now();
    await steps[0]();
    await pause(seconds * 1000);
    const ready = await nodes[0].health();
    await steps[1]();
    const healedAt = performance.now();
    await pause(RECOVERY_MS + 5000);
    judge(stage, name, ready, ledger.since(brokenAt), healedAt);
  }
  await ledger.stop();
  stage.checkWrites(ledger, (text) => cluster.sql(text));
});

/** Mounts a disk that is small enough to be filled. @returns its folder, null where this process may not mount */
function smallDisk(stage) {
  const folder = mkdtempSync(join(tmpdir(), 'passwright-disk-'));
  stage.later(() => rmSync(folder, { recursive: true, force: true }));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=700m,mode=755', 'tmpfs', folder]);
  if (status !== 0) return null;
  stage.later(() => execFileSync('umount', [folder]));
  return folder;
}

/** Returns how each fault begins and ends. */
function faultsOf(cluster, network, guests, disk) {
  const reload = () => cluster.sql('SELECT pg_reload_conf()');
  const fill = () =>
    // Ends when there is no room left.
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'fill')}`, 'bs=1M'], { stdio: 'ignore' });
  return {
    'kill -9 of the postmaster': [() => cluster.killPostmaster(), () => cluster.start()],
    'server frozen': [() => cluster.signal('SIGSTOP'), () => cluster.signal('SIGCONT')],
    'packets swallowed': [() => (network.swallows = true), () => (network.swallows = false)],
    'connections cut': [() => network.cut(), () => undefined],
    'answers cut in half': [() => (network.halved = 0.02), () => (network.halved = 0)],
    '400 ms later each way': [() => (network.lateMs = 400), () => (network.lateMs = 0)],
    'disk full': disk && [fill, () => rmSync(join(disk, 'fill'))],
    'read-only': [
      () => cluster.sql('ALTER SYSTEM SET default_transaction_read_only = on') + reload(),
      () => cluster.sql('ALTER SYSTEM RESET default_transaction_read_only') + reload(),
    ],
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

function judge(stage, name, ready, responses, healedAt) {
  const after = responses.filter(({ startedAt }) => startedAt >= healedAt);
  const isGood = ({ status }) => status > 0 && status < 500;
  const failed = after.filter((response) => !isGood(response));
  const recoveredAt =
    failed.length > 0 ? Math.max(...failed.map(({ endedAt }) => endedAt)) : (after.find(isGood)?.endedAt ?? Infinity);
  const recovery = (recoveredAt - healedAt) / 1000;
  const longest = Math.max(...responses.map(({ startedAt, endedAt }) => endedAt - startedAt)) / 1000;
  console.log(
    `${name.padEnd(27)} recovery ${recovery.toFixed(1)} s, longest answer ${longest.toFixed(1)} s, ready ${ready} at its end,`,
    countStatuses(responses),
  );
  stage.check(recovery <= RECOVERY_MS / 1000, `${name}: recovery took ${recovery.toFixed(1)} s`);
  stage.check(!unready.includes(name) || ready === 503, `${name}: the node was ready (${ready})`);
  stage.checkResponses(responses);
}
