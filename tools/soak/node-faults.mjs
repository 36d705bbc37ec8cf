/**
 * Causes errors on the machine of one node, one after the other: few and then no file handles, a missing storage
 * folder, a frozen process, a port in use. Two nodes handle writes, events and virtual iPhones meanwhile. Then kills
 * nodes while they migrate a database with data. Prints for each error how long the node took to recover, and which
 * responses callers got.
 *
 * Fails on:
 * - a recovery of more than 10 s
 * - a node that ends
 * - a 5xx other than 503 with Retry-After
 * - a lost or duplicated write
 * - an event or a phone that is not up to date 60 s later
 * - a migration that runs twice or not at all
 *
 *   npm run soak:node-faults -- [seconds of each error, default 30] [names of errors]
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FileCalls, limitHandles, openSocket } from './lib/file-calls.mjs';
import { stageKilledMigrations } from './lib/killed-migrations.mjs';
import { ServiceNode } from './lib/nodes.mjs';
import { every } from './lib/overload.mjs';
import { countStatuses, requireServer, soak, within } from './lib/stage.mjs';
import { startWatchedService } from './lib/watched-service.mjs';

const [, , seconds = '30', ...wanted] = process.argv;
const isWanted = (name) => wanted.length === 0 || wanted.some((each) => name.includes(each));
const RECOVERY_SECONDS = 10;
const CURRENT_SECONDS = 60;
/** The time limit of a start in seconds. A busy machine needs some seconds to load the service. */
const START_SECONDS = 60;
const PHONES = 5;
const HANDLES = 128;
const MANY_HANDLES = 20_000;

/**
 * The functions that begin and end each error.
 *
 * @type {Record<string, { begin: Function, end: Function, after?: Function }>}
 */
const problems = {
  'few file handles': {
    begin: async ({ node, sockets }) => {
      await node.stop();
      node.start();
      limitHandles(node, HANDLES);
      await node.ready();
      // Use up the remaining file handles with silent connections.
      for (let at = 0; at < 2 * HANDLES; at += 1) sockets.push(openSocket(node.port));
    },
    end: ({ sockets }) => sockets.splice(0).forEach((socket) => socket.destroy()),
    after: ({ node }) => limitHandles(node, MANY_HANDLES),
  },
  'no file handle left': {
    begin: ({ node }) => limitHandles(node, 1),
    end: ({ node }) => limitHandles(node, MANY_HANDLES),
  },
  'storage folder gone': {
    begin: ({ storage }) => renameSync(storage, `${storage}-away`),
    end: ({ storage }) => {
      // Delete the folder again, because a node may have created a new one meanwhile.
      rmSync(storage, { recursive: true, force: true });
      renameSync(`${storage}-away`, storage);
    },
  },
  'process frozen': {
    begin: ({ node }) => node.child.kill('SIGSTOP'),
    end: ({ node }) => node.child.kill('SIGCONT'),
  },
  'port taken': {
    begin: async ({ stage, node }) => {
      const other = new ServiceNode(node.port, node.environment);
      other.start();
      const ended = await within(START_SECONDS, () => other.ended);
      stage.check(ended < Infinity && other.child.exitCode > 0, 'a second node on a port that is taken goes on');
      stage.check(other.log.join(' ').includes(String(node.port)), `it does not name the port: ${other.log.at(-1)}`);
      await other.kill();
    },
    end: () => undefined,
  },
};

requireServer();
await soak(async (stage) => {
  if (Object.keys(problems).some(isWanted)) await stageErrors(stage);
  if (isWanted('killed while migrating')) await stageKilledMigrations(stage);
});

async function stageErrors(stage) {
  const { cluster, receiver, phones, nodes, ledger } = await startWatchedService(stage, {
    held: PHONES,
    count: 2,
    // Each call of the webhook needs a DNS lookup. Without file handles, it fails differently from a connection.
    receiverHost: 'localhost',
    route: ([, other]) => other.url,
  });
  const files = new FileCalls(nodes[0].url, ledger);
  await files.open(phones.held[0].id);
  ledger.start(4, 4);
  const test = { stage, node: nodes[0], sockets: [], storage: join(stage.dataDir, 'storage') };
  for (const [name, { begin, end, after }] of Object.entries(problems)) {
    if (!isWanted(name)) continue;
    const from = performance.now();
    await begin(test);
    const signal = AbortSignal.timeout(Number(seconds) * 1000);
    // Do not wait for these calls while the node is frozen, because they end only after it resumes.
    const calls = [every(500, () => phones.change(ledger), signal), every(500, () => files.callAll(), signal)];
    await pause(Number(seconds) * 1000);
    await end(test);
    const healedAt = performance.now();
    const recovery = await within(
      RECOVERY_SECONDS,
      async () => (await test.node.health()) === 200 && (await succeeds(files)),
    );
    await Promise.all(calls);
    await after?.(test);
    const callers = ledger.since(from);
    const longest = Math.max(...callers.map(({ startedAt, endedAt }) => endedAt - startedAt)) / 1000;
    console.log(
      `${name.padEnd(20)} recovery ${recovery.toFixed(1)} s, longest response ${longest.toFixed(1)} s,`,
      countStatuses(callers),
      'files:',
      files.takeStatuses(),
    );
    stage.check(recovery < Infinity, `${name}: the node has not recovered after ${RECOVERY_SECONDS} s`);
    stage.check(!test.node.ended, `${name}: the node has ended`);
    await pause(Math.max(0, 3000 - (performance.now() - healedAt)));
  }
  await ledger.stop();
  const stored = stage.checkWrites(ledger, (text) => cluster.sql(text));
  await stage.checkEvents(receiver, stored, CURRENT_SECONDS);
  await phones.checkCurrent(stage, ledger, CURRENT_SECONDS);
  stage.checkResponses(ledger.responses);
  for (const problem of files.tenant.problems) stage.failures.add(problem);
}

function succeeds(files) {
  return files.callAll().then(
    () => true,
    () => false,
  );
}
