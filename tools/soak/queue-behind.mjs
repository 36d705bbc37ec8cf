/**
 * Gives one node twice the writes that it can serve, so that its job queue falls behind. Each write causes a webhook
 * event. Passes on virtual iPhones change meanwhile. The writes arrive at fixed times, however late the responses are.
 *
 * Fails on:
 * - an event or a phone that is more than 60 s late
 * - a lost or duplicated write
 * - a lost event
 * - a 5xx other than 503 with Retry-After
 * - a call without a response
 * - live memory that has grown by more than 100 MB
 *
 *   npm run soak:queue-behind -- [seconds, default 180]
 */
import { liveHeapMb, observed } from './lib/observed.mjs';
import { capacityOf, every, offer, reportOffer } from './lib/overload.mjs';
import { countStatuses, requireServer, soak } from './lib/stage.mjs';
import { startWatchedService } from './lib/watched-service.mjs';

const seconds = Number(process.argv[2] ?? 180);
const PHONES = 10;
const LATE_SECONDS = 60;
const GROWN_MB = 100;

requireServer();
await soak(async (stage) => {
  // All callers and phones of the test have the same address, so turn off the limit per address.
  const environment = { CONNECTIONS_PER_ADDRESS: '0' };
  const service = await startWatchedService(stage, { held: PHONES, environment, start: observed });
  const { cluster, receiver, phones, node, ledger } = service;
  const capacity = await capacityOf(() => ledger.tryToCreate());
  const heapBefore = await liveHeapMb(node);
  const signal = AbortSignal.timeout(seconds * 1000);
  const from = performance.now();
  const [counts] = await Promise.all([
    offer(() => ledger.tryToCreate(), 2 * capacity, seconds),
    every(500, () => phones.change(ledger), signal),
    every(1000, () => phones.retry(), signal),
  ]);
  reportOffer(stage, capacity, counts);
  console.log(`responses by status:`, countStatuses(ledger.since(from)));
  const stored = stage.checkWrites(ledger, (text) => cluster.sql(text));
  await stage.checkEvents(receiver, stored, LATE_SECONDS);
  await phones.checkCurrent(stage, ledger, LATE_SECONDS);
  console.log(
    `latest event ${receiver.latest.toFixed(1)} s, latest phone ${phones.latest.toFixed(1)} s after its change`,
  );
  stage.check(receiver.latest <= LATE_SECONDS, `an event was ${receiver.latest.toFixed(1)} s late`);
  stage.check(phones.latest <= LATE_SECONDS, `a phone was ${phones.latest.toFixed(1)} s late`);
  const heap = await liveHeapMb(node);
  console.log(`live memory: ${heapBefore.toFixed(0)} MB before, ${heap.toFixed(0)} MB at the end`);
  stage.check(heap - heapBefore <= GROWN_MB, `live memory has grown by ${(heap - heapBefore).toFixed(0)} MB`);
  stage.checkResponses(ledger.responses, { noneAllowed: false });
});
