/**
 * Kills a worker of a Citus cluster with `kill -9` and restarts it. Meanwhile, two nodes create passes for accounts on
 * both workers. Then does the same with the other worker. Prints the responses to accounts on the lost worker, and to
 * accounts on the other worker.
 *
 * Fails on:
 * - a call without a response, or a 5xx other than 503 with Retry-After
 * - a failed call of an account on the running worker
 * - a call that fails later than 10 s after the worker is back
 * - a lost or duplicated write
 * - a node that reports that it is not ready
 *
 *   npm run soak:citus-lost-worker -- [seconds of each loss, default 15]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startCitusEngine } from './lib/engines.mjs';
import { Ledger, WAITING } from './lib/ledger.mjs';
import { countStatuses, soak, within } from './lib/stage.mjs';

const seconds = Number(process.argv[2] ?? 15);
const ACCOUNTS = 8;
const CALLS = { clients: 2, perSecond: 3 };
const RECOVERY_MS = 10_000;
const START_SECONDS = 30;
/** Calls of any account may fail within this number of milliseconds after the loss, until Citus has noticed it. */
const NOTICED_MS = 1000;

await soak(async (stage) => {
  const { servers, environment, sql } = await startCitusEngine(stage);
  const nodes = await stage.nodes(2, environment);
  const acknowledged = new Set();
  const ledgers = [];
  for (let at = 0; at < ACCOUNTS; at += 1) ledgers.push(await openLedger(nodes, sql, acknowledged));
  for (const ledger of ledgers) ledger.start(CALLS.clients, CALLS.perSecond);
  await pause(3000);
  for (const worker of servers.slice(1)) await lose(stage, worker, nodes, ledgers);
  for (const ledger of ledgers) await ledger.stop();
  stage.checkWrites(ledgers[0], sql);
});

/** Opens an account that adds its writes to `acknowledged`. Finds out which worker stores the account. */
async function openLedger(nodes, sql, acknowledged) {
  const ledger = new Ledger(nodes.map(({ url }) => url));
  await ledger.open();
  ledger.acknowledged = acknowledged;
  const { body } = await ledger.once('GET', '/v1/account');
  const port = sql(
    `SELECT nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
     WHERE shardid = get_shard_id_for_distribution_column('account', '${body.id}')`,
  );
  return Object.assign(ledger, { workerPort: Number(port) });
}

async function lose(stage, worker, nodes, ledgers) {
  const isOf = ({ workerPort }) => workerPort === worker.port;
  const [lost, others] = [ledgers.filter(isOf), ledgers.filter((ledger) => !isOf(ledger))];
  stage.check(lost.length > 0 && others.length > 0, 'all accounts are on one worker');
  const lostAt = performance.now();
  worker.signal('SIGKILL');
  await pause(seconds * 1000);
  const health = await Promise.all(nodes.map((node) => node.health()));
  const endedAt = performance.now();
  const started = await within(START_SECONDS, () => {
    worker.start();
    return true;
  });
  stage.check(started !== Infinity, 'the worker does not start again');
  const backAt = performance.now();
  await pause(RECOVERY_MS + 5000);
  stage.check(
    health.every((status) => status === 200),
    `a node was not ready without the worker: ${health}`,
  );
  console.log(`SQL states of errors: ${JSON.stringify(sqlStatesOf(nodes))}`);
  judge(stage, 'accounts of the lost worker', lost, { lostAt, endedAt, backAt });
  judge(stage, 'accounts of the other worker', others, { lostAt, endedAt, backAt });
  const failed = responsesOf(others, lostAt + NOTICED_MS).filter(({ status }) => status >= 500);
  stage.check(failed.length === 0, `${failed.length} calls of accounts of the other worker failed`);
}

/** Counts the errors in the nodes' logs by SQL state. */
function sqlStatesOf(nodes) {
  const states = nodes.flatMap(({ log }) => log.flatMap((line) => /"sqlState":"(\w+)"/.exec(line)?.[1] ?? []));
  return countStatuses(states.map((status) => ({ status })));
}

function responsesOf(ledgers, time) {
  return ledgers.flatMap((ledger) => ledger.inHandSince(time)).filter(({ startedAt }) => startedAt >= time);
}

/** Checks the responses to some accounts since the loss. The last failure must come soon after the worker's return. */
function judge(stage, whose, ledgers, { lostAt, endedAt, backAt }) {
  const isJudged = ({ startedAt, reason }) => reason !== WAITING || startedAt < backAt + RECOVERY_MS;
  const responses = ledgers.flatMap((ledger) => ledger.inHandSince(lostAt)).filter(isJudged);
  const failed = responses.filter(({ status }) => status === 0 || status >= 500);
  const recovery = Math.max(0, ...failed.map((response) => response.endedAt - backAt)) / 1000;
  const longest = Math.max(...responses.map((response) => response.endedAt - response.startedAt)) / 1000;
  const away = countStatuses(responses.filter((response) => response.endedAt < endedAt));
  const after = countStatuses(responses.filter((response) => response.startedAt >= backAt));
  console.log(
    `${whose}: away ${JSON.stringify(away)}, back ${JSON.stringify(after)}, ` +
      `last failure ${recovery.toFixed(1)} s after the return, longest ${longest.toFixed(1)} s`,
  );
  stage.check(recovery <= RECOVERY_MS / 1000, `${whose}: calls failed ${recovery.toFixed(1)} s after the return`);
  stage.checkResponses(responses, { noneAllowed: false });
}
