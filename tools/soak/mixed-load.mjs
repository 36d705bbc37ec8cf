/**
 * Makes calls of every kind at twice the rate that one node can serve. Meanwhile, there are webhook events, mails,
 * members and passes that expire, and passes on virtual iPhones. Prints statuses by kind of call, memory, and the
 * tables that grow.
 *
 * Fails on:
 * - a lost or duplicated write
 * - a 5xx other than 503 with Retry-After
 * - a call without a response
 * - an event or a phone that is more than 60 s late
 *
 * A run of at least five minutes also fails on an event loop that stalls for more than 250 ms, and on live memory that
 * has grown by more than 100 MB.
 *
 *   npm run soak:mixed-load -- [minutes, default 20]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { MixedCalls } from './lib/mixed-calls.mjs';
import { liveHeapMb, observed, stall } from './lib/observed.mjs';
import { capacityOf, every, offer, reportOffer } from './lib/overload.mjs';
import { requireServer, soak } from './lib/stage.mjs';
import { startWatchedService } from './lib/watched-service.mjs';

const seconds = Number(process.argv[2] ?? 20) * 60;
const PHONES = 10;
const LATE_SECONDS = 60;
const STALL_MS = 250;
const GROWN_MB = 100;
/** How long to wait until idle connections are closed, in ms. A node closes them after 65 s; the rest is a margin. */
const KEPT_OPEN_MS = 80_000;
/** The shortest run that checks memory and stalls. At first, caches fill and code is compiled. */
const JUDGED_SECONDS = 300;
/**
 * The statuses that do not count as failures: success, a busy node, wrong credentials, an exceeded limit, and a pass
 * that another call has deleted, voided or redeemed.
 */
const EXPECTED = [200, 401, 404, 409, 410, 429, 503];

requireServer();
await soak(async (stage) => {
  const mails = await stage.mails();
  const environment = {
    // All callers and phones of the test have the same address, so turn off the limit per address.
    CONNECTIONS_PER_ADDRESS: '0',
    SMTP_URL: mails.url,
    MAIL_FROM: 'passes@example.com',
  };
  const service = await startWatchedService(stage, { held: PHONES, environment, start: observed });
  const { cluster, receiver, phones, node, ledger, webhook } = service;
  const sql = (text) => cluster.sql(text);
  const eventsBefore = Number(sql('SELECT count(*) FROM pass'));
  const calls = new MixedCalls(ledger);
  await calls.open();
  calls.webhookId = webhook.id;

  const capacity = await capacityOf(() => calls.next());
  const tables = tableSizes(sql);
  const heapBefore = await liveHeapMb(node);
  const signal = AbortSignal.timeout(seconds * 1000);
  const from = performance.now();
  const [counts] = await Promise.all([
    offer(() => calls.next(), 2 * capacity, seconds),
    every(1000, () => phones.change(ledger), signal),
    every(1000, () => phones.retry(), signal),
  ]);
  const { stallMs, text } = await stall(node);
  reportOffer(stage, capacity, counts);
  report(calls, ledger.since(from));

  const created = Number(sql('SELECT count(*) FROM pass')) + Number(sql('SELECT count(*) FROM deleted_pass'));
  stage.checkWrites(ledger, sql);
  await stage.checkEvents(receiver, created - eventsBefore, LATE_SECONDS);
  await phones.checkCurrent(stage, ledger, LATE_SECONDS);
  console.log(
    `latest event ${receiver.latest.toFixed(1)} s, latest phone ${phones.latest.toFixed(1)} s after its change`,
  );
  stage.check(receiver.latest <= LATE_SECONDS, `an event was ${receiver.latest.toFixed(1)} s late`);
  stage.check(phones.latest <= LATE_SECONDS, `a phone was ${phones.latest.toFixed(1)} s late`);
  console.log(text);
  const heap = await liveHeapMb(node);
  console.log(`live memory: ${heapBefore.toFixed(0)} MB before, ${heap.toFixed(0)} MB at the end`);
  if (seconds >= JUDGED_SECONDS) {
    stage.check(stallMs <= STALL_MS, `the event loop stalled for ${stallMs.toFixed(0)} ms`);
    stage.check(heap - heapBefore <= GROWN_MB, `live memory has grown by ${(heap - heapBefore).toFixed(0)} MB`);
    // Wait until connections are closed, because thousands of open connections need memory too.
    await pause(KEPT_OPEN_MS);
    console.log(`live memory after the clients' connections have closed: ${(await liveHeapMb(node)).toFixed(0)} MB`);
  }
  reportGrowth(tables, tableSizes(sql), seconds);
  for (const [kind, statuses] of Object.entries(calls.counts)) {
    const odd = Object.keys(statuses).filter((status) => !EXPECTED.includes(Number(status)));
    stage.check(odd.length === 0, `${kind}: status ${odd.join(', ')}`);
  }
  stage.checkResponses(ledger.responses, { noneAllowed: false });
});

function report(calls, responses) {
  const times = responses.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((one, other) => one - other);
  const at = (share) => `${(times[Math.floor(times.length * share)] / 1000).toFixed(2)} s`;
  console.log(`${(responses.length / seconds).toFixed(0)} responses/s, p50 ${at(0.5)}, p99 ${at(0.99)}`);
  for (const [kind, statuses] of Object.entries(calls.counts)) {
    console.log(`  ${kind.padEnd(16)} ${JSON.stringify(statuses)}`);
  }
}

/** Returns the number of rows and bytes of each table. */
function tableSizes(sql) {
  sql('ANALYZE');
  const lines =
    sql(`SELECT format('%s.%s', n.nspname, c.relname), greatest(c.reltuples, 0), pg_total_relation_size(c.oid)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname IN ('public', 'graphile_worker')`).split('\n');
  return new Map(lines.map((line) => [line.split('|')[0], line.split('|').slice(1).map(Number)]));
}

function reportGrowth(before, after, seconds) {
  const growth = [...after].map(([name, [rows, bytes]]) => {
    const [rowsBefore, bytesBefore] = before.get(name) ?? [0, 0];
    return { name, rows: rows - rowsBefore, kilobytes: (bytes - bytesBefore) / 1024 };
  });
  growth.sort((one, other) => other.kilobytes - one.kilobytes);
  console.log(`tables that grew most in ${seconds} s:`);
  for (const { name, rows, kilobytes } of growth.slice(0, 10)) {
    console.log(`  ${name.padEnd(40)} ${String(rows).padStart(8)} rows ${kilobytes.toFixed(0).padStart(8)} kB`);
  }
}
