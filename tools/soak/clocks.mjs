/**
 * Runs two nodes and moves clocks with libfaketime while clients write, members and passes expire, and an account is at
 * its rate limit. First, the clock of one node is 400 days ahead, and then a day behind.
 *
 * Fails:
 * - if something expires too early or later than 75 s after its time
 * - if the node with the wrong clock is ready
 * - if a schedule stops
 * - if a limit does not recover within a minute
 * - if a timer overflows (as graphile-worker's crontab would after a jump of more than 72 s)
 * - on a lost or duplicated write
 *
 * Then the clock of the database jumps ahead several times. The last time, it is set back only while all nodes are
 * stopped. Fails if a phone still lacks a change a minute after the database's clock is right again, or if a webhook
 * still lacks an event after 75 s.
 *
 * Between both, one node is four seconds ahead and the other four seconds behind. Fails if a phone misses a change, or if
 * a node rejects a call or its clock.
 *
 *   npm run soak:clocks -- [seconds of each jump of a node, default 106; 0: none] [seconds of each jump of the database, default 40]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { jumpDatabase } from './lib/database-jumps.mjs';
import { FakeClock, fakeTimeLibrary } from './lib/fake-clock.mjs';
import { Ledger } from './lib/ledger.mjs';
import { skewNodes } from './lib/skewed-clocks.mjs';
import { requirePackage, requireServer, soak, within } from './lib/stage.mjs';

const [seconds, databaseSeconds] = [process.argv[2] ?? 106, process.argv[3] ?? 40].map(Number);
const JUMPS = ['+400d', '-1d'];
const NOTICED_SECONDS = 10;
/** The time limit until a member and a pass have expired. A schedule checks every minute, and the job takes a while. */
const EXPIRED_SECONDS = 75;
const LIMIT_PER_MINUTE = 120;
/** The time for which the test watches a node after its clock is right again. */
const AFTERWARDS_SECONDS = 5;

requireServer();
const library = fakeTimeLibrary();
requirePackage('faketime', library);

await soak(async (stage) => {
  if (seconds > 0) await jumpNode(stage);
  await skewNodes(stage, library, databaseSeconds);
  await jumpDatabase(stage, library, databaseSeconds);
});

async function jumpNode(stage) {
  const cluster = await stage.cluster();
  const sql = (text) => cluster.sql(text);
  const clock = new FakeClock(stage, library);
  const environment = { DATABASE_URL: cluster.url, RATE_LIMIT_PER_MINUTE: String(LIMIT_PER_MINUTE) };
  const [right, wrong] = await stage.nodes(2, environment, { env: (at) => (at === 1 ? clock.environment : {}) });
  const ledger = new Ledger([right.url, wrong.url]);
  await ledger.open();
  await ledger.openClub();
  const lasting = await expiring(ledger, 'lasting', 200 * 86_400);
  ledger.start(1, 0.5);
  const afterwards = [];
  for (const jump of JUMPS) {
    const due = await expiring(ledger, `due${jump.replace('+', '')}`, 5);
    const limited = new Ledger([wrong.url], right.url);
    await limited.open();
    clock.set(jump);
    const noticed = await within(NOTICED_SECONDS, async () => (await wrong.health()) === 503);
    stage.check(noticed < Infinity, `${jump}: the wrong node says that it is ready`);
    stage.check((await right.health()) === 200, `${jump}: the right node is not ready`);
    await reachLimit(limited);
    await pause(seconds * 1000);
    stage.check((await wrong.health()) === 503, `${jump}: the wrong node says again that it is ready`);
    clock.set('+0');
    const recovered = await within(NOTICED_SECONDS, async () => (await wrong.health()) === 200);
    stage.check(recovered < Infinity, `${jump}: the node is not ready again`);
    const [noticedIn, readyIn] = [noticed, recovered].map((took) => took.toFixed(1));
    console.log(`${jump}: noticed after ${noticedIn} s, ready again after ${readyIn} s`);
    const cpuBefore = wrong.cpuSeconds;
    await pause(AFTERWARDS_SECONDS * 1000);
    const cores = (wrong.cpuSeconds - cpuBefore) / AFTERWARDS_SECONDS;
    console.log(`${jump}: afterwards the node uses ${cores.toFixed(2)} cores under the same writes`);
    const overflows = wrong.log.filter((line) => line.includes('TimeoutOverflowWarning')).length;
    stage.check(overflows === 0, `${jump}: ${overflows} timers overflow in the last lines of the log`);
    afterwards.push({ jump, due, limited });
  }
  for (const { jump, due, limited } of afterwards) {
    const allowed = await within(60, () => succeeds(limited));
    stage.check(allowed < Infinity, `${jump}: the rate limit has not recovered`);
    const late = await within(EXPIRED_SECONDS, () => stateOf(sql, due) === 'expired');
    stage.check(late < Infinity, `${jump}: what was due has not expired: ${stateOf(sql, due)}`);
  }
  stage.check(stateOf(sql, lasting) === 'active', `expired early: ${stateOf(sql, lasting)}`);
  const cronsOff = sql(`SELECT string_agg(identifier, ', ') FROM graphile_worker._private_known_crontabs
    WHERE identifier IN ('passes.expire', 'memberships.run-due') AND last_execution NOT BETWEEN
      clock_timestamp() - interval '90 seconds' AND clock_timestamp() + interval '5 seconds'`);
  stage.check(cronsOff === '', `schedules that stand still: ${cronsOff}`);
  await ledger.stop();
  stage.checkWrites(ledger, sql);
  stage.checkResponses(ledger.responses, { noneAllowed: false });
}

/**
 * Creates a member and a pass that expire after the given number of seconds.
 * @returns their ids
 */
async function expiring(ledger, name, seconds) {
  const expiry = new Date(Date.now() + seconds * 1000).toISOString();
  const person = { email: `${name}@example.com`, name: 'Ada', status: 'active', expiry };
  const { body } = await ledger.once('POST', '/v1/memberships/members', person);
  const { body: issued } = await ledger.once('POST', '/v1/pass/soak', { id: name, expiry });
  return { member: (body.member ?? body).id, pass: issued.pass.id };
}

/** Returns `active` or `expired`, or both if member and pass differ. */
function stateOf(sql, { member, pass }) {
  const states = [
    sql(`SELECT status FROM member WHERE id = ${Number(member)}`),
    sql(`SELECT CASE WHEN expired_at IS NULL THEN 'active' ELSE 'expired' END FROM pass WHERE id = '${pass}'`),
  ];
  return [...new Set(states)].join(', ');
}

async function reachLimit(ledger) {
  for (let call = 0; call <= 2 * LIMIT_PER_MINUTE; call += 1) if (!(await succeeds(ledger))) return;
  throw new Error('The rate limit was not reached, so that nothing can recover.');
}

async function succeeds(ledger) {
  const response = await ledger.once('GET', '/v1/templates/soak').catch((error) => {
    if (error.status === 429) return null;
    throw error;
  });
  return response !== null;
}
