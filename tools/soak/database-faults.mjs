/**
 * Breaks the database under two nodes that create passes, one fault after the other, and says for each how long the service
 * took to recover, what callers saw, and whether an acknowledged write was lost or doubled. Ends with 1 when an invariant
 * is broken: every 5xx is a 503 with Retry-After, recovery takes at most 10 s, nothing is lost or doubled, and no node is
 * ready while it cannot write.
 *
 *   npm run build && node tools/soak/database-faults.mjs [seconds of each fault, default 12] [names of faults]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Ledger } from './lib/ledger.mjs';
import { startNodes } from './lib/nodes.mjs';
import { startCluster } from './lib/postgres-cluster.mjs';

const RECOVERY_MS = 10_000;
const seconds = Number(process.argv[2] ?? 12);
const wanted = process.argv.slice(3);

/** The network between nodes and database: it can swallow what goes over it, or cut every connection. */
class Network {
  sockets = new Set();
  swallows = false;

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
        from.on('data', (bytes) => {
          broken ||= this.swallows;
          if (!broken) to.write(bytes);
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

const disk = mkdtempSync(join(tmpdir(), 'passwright-disk-'));
const isRoot = userInfo().uid === 0;
// Small enough to be filled. Only root may mount it.
if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=700m,mode=755', 'tmpfs', disk]);
const cluster = await startCluster({ parent: isRoot ? disk : tmpdir(), settings: { max_connections: '100' } });
const network = new Network();
const url = new URL(cluster.url);
url.port = String(await network.open(cluster.port));
const dataDir = mkdtempSync(join(tmpdir(), 'passwright-faults-'));
const guests = [];
const hold = async (sql) => {
  const client = new pg.Client({ connectionString: cluster.url });
  client.on('error', () => undefined);
  await client.connect();
  guests.push(client);
  for (const statement of sql) await client.query(statement);
};
const leave = () => Promise.all(guests.splice(0).map((client) => client.end()));
const readOnly = (value) =>
  cluster.sql(`ALTER SYSTEM SET default_transaction_read_only = ${value}`) + cluster.sql('SELECT pg_reload_conf()');

/** In these no write is possible, so no node may say that it is ready. */
const unready = ['kill -9 of the postmaster', 'server frozen', 'packets swallowed', 'disk full', 'read-only'];

const faults = {
  'kill -9 of the postmaster': [() => cluster.killPostmaster(), () => cluster.start()],
  'server frozen': [() => cluster.signal('SIGSTOP'), () => cluster.signal('SIGCONT')],
  'packets swallowed': [() => (network.swallows = true), () => (network.swallows = false)],
  'connections cut': [() => network.cut(), () => undefined],
  'disk full': isRoot && [
    () => {
      try {
        execFileSync('dd', ['if=/dev/zero', `of=${join(disk, 'fill')}`, 'bs=1M'], { stdio: 'ignore' });
      } catch {
        // It ends when there is no room left.
      }
    },
    () => rmSync(join(disk, 'fill')),
  ],
  'read-only': [
    () => readOnly('on'),
    () => cluster.sql('ALTER SYSTEM RESET default_transaction_read_only') + cluster.sql('SELECT pg_reload_conf()'),
  ],
  'no connections left': [
    async () => {
      network.cut();
      while (
        await hold([]).then(
          () => true,
          () => false,
        )
      );
    },
    leave,
  ],
  'row locked': [() => hold(['BEGIN', `SELECT FROM template FOR UPDATE`]), leave],
};

const broken = [];
let nodes = [];
try {
  nodes = await startNodes(2, { DATABASE_URL: url.href, DATA_DIR: dataDir });
  const ledger = new Ledger(nodes.map((node) => node.url));
  await ledger.open();
  ledger.start(10, 4);
  await pause(3000);
  for (const [name, steps] of Object.entries(faults)) {
    if (!steps || (wanted.length > 0 && !wanted.some((each) => name.includes(each)))) continue;
    const brokenAt = performance.now();
    await steps[0]();
    await pause(seconds * 1000);
    const ready = await nodes[0].health();
    await steps[1]();
    const healedAt = performance.now();
    await pause(RECOVERY_MS + 5000);
    report(name, ready, ledger.since(brokenAt), healedAt);
  }
  await ledger.stop();
  const { acknowledged, stored, lost, doubled, counted } = ledger.verify((text) => cluster.sql(text));
  console.log(`\nacknowledged ${acknowledged}, stored ${stored}, counted ${counted}; lost ${lost}, doubled ${doubled}`);
  if (lost || doubled || counted !== stored) broken.push('writes were lost, doubled or counted wrongly');
} finally {
  for (const node of nodes) await node.stop();
  await leave().catch(() => undefined);
  network.close();
  cluster.remove();
  if (isRoot) execFileSync('umount', [disk]);
  for (const folder of [disk, dataDir]) rmSync(folder, { recursive: true, force: true });
}
for (const line of broken) console.log(`BROKEN: ${line}`);
process.exit(broken.length > 0 ? 1 : 0);

function report(name, ready, responses, healedAt) {
  const seen = {};
  for (const { status } of responses) seen[status || 'none'] = (seen[status || 'none'] ?? 0) + 1;
  const after = responses.filter(({ startedAt }) => startedAt >= healedAt);
  const failed = after.filter(({ status }) => status === 0 || status >= 500);
  const good = after.find(({ status }) => status < 500 && status > 0);
  const recovery =
    failed.length > 0
      ? Math.max(...failed.map(({ endedAt }) => endedAt)) - healedAt
      : (good?.endedAt ?? Infinity) - healedAt;
  const longest = Math.max(...responses.map(({ startedAt, endedAt }) => endedAt - startedAt));
  const wrong = responses.filter(({ status, retryAfter }) => status >= 500 && !(status === 503 && retryAfter)).length;
  console.log(
    `${name.padEnd(27)} recovery ${(recovery / 1000).toFixed(1)} s, longest answer ${(longest / 1000).toFixed(1)} s, ready ${ready} at its end, statuses ${JSON.stringify(seen)}`,
  );
  if (!(recovery <= RECOVERY_MS)) broken.push(`${name}: recovery took ${(recovery / 1000).toFixed(1)} s`);
  if (unready.includes(name) && ready !== 503) broken.push(`${name}: the node was ready (${ready})`);
  if (wrong > 0) broken.push(`${name}: ${wrong} responses were 5xx other than 503 with Retry-After`);
}
