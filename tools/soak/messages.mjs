/**
 * Sends messages to one pass and to all passes of a template, and changes passes. This lasts about a year on the clocks
 * of the nodes and Postgres, which libfaketime moves by minutes to days. Google is slow at times, fails, and loses
 * responses.
 *
 * The test kills nodes with `kill -9`. At two of three moves of the clock, it kills one of the two nodes during the
 * calls. At each move, it kills both nodes while they write to Google. The test does not wait for schedules that run
 * every minute; it starts them itself. A job whose process died three times is set aside, as documented. The test puts
 * it back into the queue, like an operator.
 *
 * Fails:
 * - if Google gets a message twice
 * - if a holder gets a notification in quiet hours
 * - if the service tries a fourth notification in 24 hours
 * - if a recipient of a message has no outcome or a wrong one
 * - if the progress of a message does not add up
 * - if a message overtakes an earlier one or replaces a later one with its topic
 * - if a message lacks a language
 * - if an object does not show the last change
 * - on a 5xx other than 503 with Retry-After
 *
 *   npm run soak:messages -- [moves of the clock, default 120]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { FakeClock, fakeTimeLibrary } from './lib/fake-clock.mjs';
import { GoogleHolder } from './lib/google-holder.mjs';
import { Ledger } from './lib/ledger.mjs';
import {
  checkChanges,
  checkHolders,
  checkLanguages,
  checkMessages,
  checkRecipients,
  isQuiet,
} from './lib/message-checks.mjs';
import { checkArrivals, checkShown, checkTopicsAtGoogle, readOrder } from './lib/message-order.mjs';
import { disturb, LATEST_HOURS, MessagePlan, nextMove, pick, QUIET } from './lib/message-plan.mjs';
import { MovedTime } from './lib/moved-time.mjs';
import { operate } from './lib/operator.mjs';
import { requirePackage, requireServer, soak, within } from './lib/stage.mjs';

const moves = Number(process.argv[2] ?? 120);
const publicUrl = 'https://passes.example.com';
const PASSES = 8;
/** The number of passes in Google Wallet. The other passes are in no wallet. */
const AT_GOOGLE = 6;
const IN_HAND_SECONDS = 2;
const IN_HAND_MS = 500;
const DONE_SECONDS = 8;
const FIRST_RUNS = 3;
const FIRST_SECONDS = 30;
/** Once in this many moves of the clock, the test issues a pass on a phone and sends it messages. */
const PHONE_EVERY = 3;
/** Once in this many moves of the clock, the test kills nodes only after all due messages were sent. */
const CALM_EVERY = 3;
/**
 * The test ends with moves of the clock until no message or write waits. It fails if their number does not fall in this
 * many moves in a row.
 */
const USELESS_MOVES = 12;
const HOUR_SECONDS = 3600;
const SETTLED_SECONDS = 10;

requireServer();
const library = fakeTimeLibrary();
requirePackage('faketime', library);

await soak(async (stage) => {
  const test = await begin(stage);
  const { google, ledger, nodes, objects, plan, sql, time } = test;
  await sendFirst(stage, test);
  const kills = { nodes: 0, inHand: 0 };
  let setAside = 0;
  for (let move = 0; move < moves; move += 1) {
    await time.move(nextMove());
    await startAll(nodes);
    disturb(google);
    runSchedules(sql);
    // At calm moves, kill only after all due messages were sent, so that notifications come on separate days.
    const isCalm = move % CALM_EVERY === 1;
    const other = isCalm ? undefined : pause(100 + Math.random() * 900).then(() => pick(nodes).kill());
    if (move % PHONE_EVERY === 1) await plan.sendToPhone(sql);
    for (let count = 1 + Math.random() * 4; count > 0; count -= 1) await plan.happen();
    await other;
    if (isCalm) {
      setAside += retrySetAside(nodes[0].environment, sql);
      runSchedules(sql);
      await within(DONE_SECONDS, () => due(sql) === '0');
      await plan.happen();
    }
    // Slow down writes to Google, so that the kill interrupts one.
    google.latencyMs = IN_HAND_MS;
    await plan.change(pick([...objects.keys()]));
    const isInHand = () => sql('SELECT count(*) FROM google_resource WHERE leased_until > clock_timestamp()') !== '0';
    if ((await within(IN_HAND_SECONDS, isInHand)) < Infinity) kills.inHand += 1;
    await Promise.all(nodes.map((node) => node.kill()));
    kills.nodes += nodes.length;
  }
  const early = google.addedMessages.length;
  google.reset();
  google.fetchImages = false;
  setAside += await settle(stage, test);
  const { added, notified } = checkHolders(stage, google, plan.known);
  const outcomes = checkRecipients(stage, test);
  await checkMessages(stage, ledger, sql, plan.known);
  const pairs = checkOrder(stage, test);
  const translated = checkLanguages(stage, google, plan.known);
  checkChanges(stage, google, objects, plan.values);
  stage.checkResponses(ledger.responses);
  stage.check(kills.inHand > 0, 'no node had a write in hand at its kill');
  stage.check(notified > 0 && translated > 0, 'Google notified nobody, or got no translation');
  console.log(
    `${time.days.toFixed(0)} days in ${moves} moves, ${kills.nodes} kills of a node, ${kills.inHand} times with a write in hand, ${setAside} jobs set aside`,
  );
  console.log(
    `${plan.known.length} messages: ${added} added at Google with those about changes, ${early} before the last kill, ${notified} notified, ` +
      `${translated} sent in three languages; outcomes ${JSON.stringify(outcomes)}`,
  );
  console.log(`${pairs} pairs of messages on a pass compared, ${plan.paused.size} messages paused`);
});

/**
 * Checks that passes got the messages in their order and show them in their order.
 * @returns the number of compared pairs
 */
function checkOrder(stage, { google, plan, sql }) {
  const order = readOrder(sql);
  const pairs = checkArrivals(stage, order.received, plan.paused);
  checkShown(stage, order, plan.paused);
  checkTopicsAtGoogle(stage, google.addedMessages, order.received);
  stage.check(pairs > 0, 'no pass has two messages');
  return pairs;
}

/** Describes everything that still waits: messages, writes to Google, open circuit breakers and jobs. */
function whatWaits(sql) {
  const now = 'clock_timestamp()';
  return [
    `SELECT 'message', status, count(*), min(due_at) - ${now} FROM message WHERE due_at IS NOT NULL GROUP BY 2`,
    `SELECT 'recipient', r.pass_id, count(*), min(r.sent_at) - ${now} FROM message_recipient r
      WHERE google_outcome = 'waiting' GROUP BY 2`,
    `SELECT 'object', serial_number, due_at - ${now}, leased_until - ${now}, failures, problem, jsonb_array_length(messages)
      FROM google_resource`,
    `SELECT 'circuit', to_jsonb(c) FROM circuit_breaker c`,
    `SELECT 'set aside', task, payload, deaths, set_aside_at FROM suspect_job WHERE set_aside_at IS NOT NULL`,
    `SELECT 'job', task_identifier, run_at - ${now}, attempts, locked_at - ${now}, last_error FROM graphile_worker.jobs`,
  ]
    .map((text) => `\n${sql(text)}`)
    .join('');
}

/** Starts the servers and nodes, and issues the passes. */
async function begin(stage) {
  const clock = new FakeClock(stage, library);
  const cluster = await stage.cluster({ env: clock.environment });
  const sql = (text) => cluster.sql(text);
  const time = new MovedTime(clock, cluster);
  const route = () => nodes.find(({ ended }) => !ended)?.url ?? nodes[0].url;
  const holder = await GoogleHolder.start(stage, route, { now: time.now, tokenTime: time.now });
  const { google } = holder;
  const nodes = await stage.nodes(2, {
    ...holder.environment,
    ...clock.environment,
    BASE_URL: publicUrl,
    DATABASE_URL: cluster.url,
  });
  const ledger = new Ledger(
    nodes.map(({ url }) => url),
    publicUrl,
  );
  await ledger.open();
  await ledger.saveTemplate('soak', {
    language: 'en',
    translations: { de: { title: 'Probe' }, ja: { title: '試験' } },
  });
  await ledger.saveTemplate('phones');
  await ledger.once('PUT', '/v1/account/messages', QUIET);
  const passIds = Array.from({ length: PASSES }, (_, at) => `p${at}`);
  const objects = new Map();
  for (const id of passIds.slice(0, AT_GOOGLE)) objects.set(id, await holder.save(ledger, nodes[0].url, id));
  for (const id of passIds.slice(AT_GOOGLE)) await ledger.once('POST', '/v1/pass/soak', { id });
  // Skip the images, because this test does not need them.
  google.fetchImages = false;
  return { google, ledger, nodes, objects, plan: new MessagePlan(ledger, time, passIds), sql, time };
}

/**
 * Sends a message to all passes and kills the nodes meanwhile, so that even the shortest test interrupts a message. The
 * nodes also end before each move of the clock. A node that sees the clock move would get no token from Google for 15
 * minutes.
 */
async function sendFirst(stage, { google, nodes, plan, sql, time }) {
  await Promise.all(nodes.map((node) => node.kill()));
  await time.move(untilDay(time, nextMove()));
  await startAll(nodes);
  await plan.sendToAll();
  let took = Infinity;
  // The schedules run every minute, so start them again if their first run missed the message.
  for (let run = 0; run < FIRST_RUNS && took === Infinity; run += 1) {
    runSchedules(sql);
    took = await within(FIRST_SECONDS, () => google.addedMessages.length > 0);
  }
  stage.check(took < Infinity, 'Google did not get the first message');
  await Promise.all(nodes.map((node) => node.kill()));
}

async function startAll(nodes) {
  for (const node of nodes) if (node.ended) node.start();
  for (const node of nodes) await node.ready();
}

/** Counts the messages and writes that are due, and the writes in progress. */
function due(sql) {
  return sql(`SELECT (SELECT count(*) FROM message WHERE due_at <= clock_timestamp()) + (SELECT count(*)
    FROM google_resource WHERE due_at <= clock_timestamp() OR leased_until > clock_timestamp())`);
}

/** Starts the schedules that look for due messages and writes, by adding their jobs. */
function runSchedules(sql) {
  for (const name of ['messages.look', 'google-wallet.look'])
    sql(`SELECT graphile_worker.add_job('${name}', job_key := 'schedule:${name}')`);
}

/** Returns the length of a move in seconds. Adds hours if the move would end in quiet hours. */
function untilDay(time, seconds) {
  let later = seconds;
  while (isQuiet(new Date(time.now().getTime() + later * 1000))) later += HOUR_SECONDS;
  return later;
}

/**
 * Moves the clock until no message and no write waits.
 * @returns the number of jobs that were set aside
 */
async function settle(stage, { nodes, sql, time }) {
  const waiting = () =>
    sql(`SELECT (SELECT count(*) FROM message WHERE due_at IS NOT NULL)
      + (SELECT count(*) FROM message_recipient WHERE google_outcome = 'waiting')
      + (SELECT count(*) FROM google_resource WHERE due_at IS NOT NULL)`);
  let least = Infinity;
  let useless = 0;
  let setAside = 0;
  for (let hours = LATEST_HOURS; useless < USELESS_MOVES; hours = 1) {
    // Move the clock out of the quiet hours, because messages wait until their end.
    await time.move(untilDay(time, hours * HOUR_SECONDS));
    await startAll(nodes);
    setAside += retrySetAside(nodes[0].environment, sql);
    runSchedules(sql);
    if ((await within(SETTLED_SECONDS, () => waiting() === '0')) < Infinity) return setAside;
    const left = Number(waiting());
    useless = left < least ? 0 : useless + 1;
    least = Math.min(least, left);
    await Promise.all(nodes.map((node) => node.kill()));
  }
  stage.failures.add(`${waiting()} messages, recipients or writes still wait: ${whatWaits(sql)}`);
  return setAside;
}

/**
 * Puts the jobs that were set aside back into the queue.
 * @returns the number of jobs
 */
function retrySetAside(environment, sql) {
  const ids = sql('SELECT id FROM suspect_job WHERE set_aside_at IS NOT NULL').split('\n').filter(Boolean);
  for (const id of ids) operate(environment, 'jobs', 'retry', id);
  return ids.length;
}
