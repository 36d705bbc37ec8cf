/**
 * Runs a primary and a synchronous standby of Debian's Postgres: first behind HAProxy, then with both addresses in
 * DATABASE_URL. Two nodes create passes and change passes on virtual iPhones. Meanwhile, the primary dies, freezes, and
 * hands over properly. This script acts as a cluster manager, and promotes the standby after the time to live of the
 * primary. In two other cases, the standby freezes, so that every commit waits. With both addresses, two more cases
 * have two servers that accept writes: the former primary starts again, or keeps running after the promotion.
 *
 * Fails:
 * - if a node stays on a former primary, connects to it, or writes there
 * - if a write fails later than 2 s after the promotion, or if no write succeeds for 2 s longer than there is no primary
 * - on a lost or duplicated write
 * - on a phone that shows a change later than the time to live plus 60 s
 * - on a call without a response
 * - on a 5xx other than 503 with Retry-After
 *
 * These rules also apply to calls that are in progress when an error begins.
 *
 *   npm run soak:failover -- [seconds of the time to live, default 20] [names of cases]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger, WAITING } from './lib/ledger.mjs';
import { hasHaProxy, Pair } from './lib/pair.mjs';
import { Phones } from './lib/phones.mjs';
import { countStatuses, missing, requireServer, soak, within } from './lib/stage.mjs';

const [, , ttl = '20', ...wanted] = process.argv;
const publicUrl = 'https://passes.example.com';
const PHONES = 6;
const CURRENT_SECONDS = 60;
const MORE_SECONDS = 2;
const SETTLED_MS = 5000;
/** A node searches for a newer primary every 5 s. */
const LEFT_SECONDS = 7;
/**
 * The number of idle connections of nodes, except those that ask which server is the primary. A session that waits for
 * a standby or a lock does not notice that its client has gone. Each connected node has idle connections too.
 */
const SESSIONS = `SELECT count(*) FROM pg_stat_activity
  WHERE application_name LIKE 'passwright%' AND application_name NOT LIKE '% search' AND state = 'idle'`;
const STATE = `SELECT (${SESSIONS}), (SELECT count(*) FROM pass)`;

/**
 * The cases. Each makes writes impossible, and returns the time from which they are possible again.
 * @type {Record<string, (pair: Pair, stage: import('./lib/stage.mjs').Stage, environment: Record<string, string>) => Promise<number>>}
 */
const cases = {
  'the primary dies': async (pair) => {
    await pair.die();
    await pause(Number(ttl) * 1000);
    return promoted(pair);
  },
  'the primary hands over': async (pair) => {
    await pair.stop();
    return promoted(pair);
  },
  'the primary freezes': async (pair) => {
    const frozen = pair.leader;
    pair.signal(frozen, 'SIGSTOP');
    await pause(Number(ttl) * 1000);
    const promotedAt = await promoted(pair);
    await pause(SETTLED_MS);
    // Wake the former primary. Now both servers accept writes, until the cluster manager ends the former primary.
    pair.signal(frozen, 'SIGCONT');
    await pause(1000);
    await pair.demote();
    return promotedAt;
  },
  // Every commit waits for the standby, so nothing can be written until it continues.
  'the standby freezes': async (pair) => {
    pair.signal(pair.standby, 'SIGSTOP');
    await pause(Number(ttl) * 1000);
    pair.signal(pair.standby, 'SIGCONT');
    return performance.now();
  },
  // The primary has commits that the standby never gets. No client got a response to them.
  'the standby freezes before a crash': async (pair) => {
    const { standby } = pair;
    pair.signal(standby, 'SIGSTOP');
    await pause((Number(ttl) * 1000) / 2);
    await pair.die();
    await pause((Number(ttl) * 1000) / 2);
    pair.signal(standby, 'SIGCONT');
    return promoted(pair);
  },
};

/** Cases with both addresses in DATABASE_URL, in which both servers accept writes. @type {typeof cases} */
const splits = {
  'the former primary returns': async (pair, stage, environment) => {
    await pair.die();
    await pause(Number(ttl) * 1000);
    await promoted(pair);
    await pair.comeBack();
    const before = pair.formerSql(STATE);
    await stage.nodes(1, environment);
    pair.cutSessions();
    const cutAt = performance.now();
    await pause(SETTLED_MS);
    const after = pair.formerSql(STATE);
    stage.check(after === before, `the former primary had ${before}, and has ${after} sessions and passes`);
    await pair.demote();
    return cutAt;
  },
  // The standby no longer replicates, so no write of the former primary commits.
  'the primary stays': async (pair, stage) => {
    await promoted(pair);
    const took = await within(LEFT_SECONDS, () => pair.formerSql(SESSIONS) === '0');
    console.log(`nodes have left the former primary after ${took.toFixed(1)} s`);
    stage.check(took < Infinity, `nodes are still connected to the former primary after ${LEFT_SECONDS} s`);
    const leftAt = performance.now();
    await pause(SETTLED_MS);
    await pair.demote();
    return leftAt;
  },
};

requireServer();
await soak(async (stage) => {
  if (hasHaProxy()) await stageCases(stage, 'HAProxy', (pair) => pair.startHaProxy(stage), cases);
  else console.log(missing('haproxy'));
  const addressOf = async ({ servers: [first, second] }) =>
    first.url.replace('/postgres', `,127.0.0.1:${second.port}/postgres`);
  await stageCases(stage, 'two addresses', addressOf, { ...cases, ...splits });
});

async function promoted(pair) {
  await pair.promote();
  return performance.now();
}

async function stageCases(stage, way, addressOf, all) {
  const staged = Object.entries(all).filter(
    ([name]) => wanted.length === 0 || wanted.some((word) => `${way}: ${name}`.includes(word)),
  );
  if (staged.length === 0) return;
  const pair = await Pair.start(stage);
  const phones = await Phones.start(stage);
  const environment = { ...phones.environment, BASE_URL: publicUrl, DATABASE_URL: await addressOf(pair) };
  const nodes = await stage.nodes(2, environment);
  const ledger = new Ledger(
    nodes.map((node) => node.url),
    publicUrl,
  );
  await ledger.open();
  await phones.install(ledger, PHONES, () => nodes[0].url);
  ledger.start(8, 5);
  const changes = setInterval(() => void phones.change(ledger).catch(() => undefined), 500);
  stage.later(() => clearInterval(changes));
  await pause(SETTLED_MS);
  for (const [name, run] of staged) {
    const brokenAt = performance.now();
    const { leader } = pair;
    const promotedAt = await run(pair, stage, environment);
    await pause(SETTLED_MS);
    // Calls that began after the recovery may still be waiting for their response. Do not count these.
    const isJudged = ({ startedAt, reason }) => reason !== WAITING || startedAt < promotedAt + MORE_SECONDS * 1000;
    judge(stage, `${way}: ${name}`, ledger.inHandSince(brokenAt).filter(isJudged), { brokenAt, promotedAt });
    if (pair.leader !== leader) await pair.rejoin();
    await pause(SETTLED_MS);
  }
  clearInterval(changes);
  await ledger.stop();
  const took = await within(CURRENT_SECONDS, async () => {
    await phones.retry();
    return (await phones.stale(ledger)).length === 0;
  });
  console.log(
    `${way}: all ${PHONES} phones are current after ${took.toFixed(1)} s, the latest showed a change after ${phones.latest.toFixed(1)} s`,
  );
  stage.check(took < Infinity, `${way}: phones do not show the service's content`);
  const limit = Number(ttl) + CURRENT_SECONDS;
  stage.check(phones.latest <= limit, `${way}: a phone showed a change after ${phones.latest.toFixed(1)} s`);
  stage.checkWrites(ledger, (text) => pair.sql(text));
  for (const node of nodes) await node.stop();
}

function judge(stage, name, responses, { brokenAt, promotedAt }) {
  const wentWell = responses.filter(({ status }) => status >= 200 && status < 300).map(({ endedAt }) => endedAt);
  const times = [brokenAt, ...wentWell.sort((a, b) => a - b)];
  const longest = Math.max(...times.slice(1).map((time, at) => time - times[at])) / 1000;
  const without = (promotedAt - brokenAt) / 1000;
  const slowest = Math.max(...responses.map(({ startedAt, endedAt }) => endedAt - startedAt)) / 1000;
  console.log(
    `${name.padEnd(38)} no primary for ${without.toFixed(1)} s, no success for ${longest.toFixed(1)} s, longest answer ${slowest.toFixed(1)} s,`,
    countStatuses(responses),
  );
  const last = responses.filter(({ status }) => status === 503 || status === 0).map(({ endedAt }) => endedAt);
  const recovery = last.length > 0 ? (Math.max(...last) - promotedAt) / 1000 : 0;
  stage.check(recovery <= MORE_SECONDS, `${name}: the last failure came ${recovery.toFixed(1)} s after the promotion`);
  stage.check(longest <= without + MORE_SECONDS, `${name}: no success for ${longest.toFixed(1)} s`);
  stage.checkResponses(responses, { noneAllowed: false });
}
