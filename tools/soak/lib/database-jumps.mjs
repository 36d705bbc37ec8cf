// Moves the database's clock ahead and back, while two nodes with correct clocks handle writes, phones and a webhook.
import { setTimeout as pause } from 'node:timers/promises';
import { FakeClock } from './fake-clock.mjs';
import { within } from './stage.mjs';
import { startWatchedService } from './watched-service.mjs';

const JUMPS = [{ jump: '+1h' }, { jump: '+400d' }, { jump: '+400d', whileStopped: true }];
const PHONES = 4;
const NOTICED_SECONDS = 15;
const STARTED_SECONDS = 60;
const RECOVERED_SECONDS = 60;
/**
 * The time limit for the delivery of late events. A schedule looks for them every minute, and the delivery takes a
 * while.
 */
const DELIVERED_SECONDS = 75;

/**
 * Moves the database's clock, and then checks that phones and webhooks have everything within a minute after the clock
 * is right again.
 */
export async function jumpDatabase(stage, library, seconds) {
  const clock = new FakeClock(stage, library);
  const cluster = await stage.cluster({ env: clock.environment });
  const sql = (text) => cluster.sql(text);
  const environment = { APPLE_PUSH_WINDOW_SECONDS: '1', RATE_LIMIT_PER_MINUTE: '30000' };
  const service = await startWatchedService(stage, { held: PHONES, count: 2, cluster, environment });
  const { phones, nodes, ledger } = service;
  const all = async (status) => {
    for (const node of nodes) if ((await node.health()) !== status) return false;
    return true;
  };
  ledger.start(2, 2);
  for (const { jump, whileStopped } of JUMPS) {
    const name = `database ${jump}${whileStopped ? ', set back while no node runs' : ''}`;
    clock.set(jump);
    const noticed = await within(NOTICED_SECONDS, () => all(503));
    stage.check(noticed < Infinity, `${name}: a node says that it is ready`);
    const until = performance.now() + seconds * 1000;
    while (performance.now() < until) {
      // The access token may expire meanwhile.
      await phones.change(ledger).catch(() => undefined);
      await pause(1000);
    }
    if (whileStopped) await setBackWhileStopped(clock, nodes);
    else clock.set('+0');
    const ready = await within(whileStopped ? STARTED_SECONDS : NOTICED_SECONDS, () => all(200));
    stage.check(ready < Infinity, `${name}: a node is not ready again`);
    const undelivered = () =>
      sql(`SELECT count(*) FROM webhook_delivery
        WHERE due_at IS NOT NULL AND occurred_at > clock_timestamp() + interval '2 minutes'`);
    const delivered = await within(DELIVERED_SECONDS, () => undelivered() === '0');
    stage.check(delivered < Infinity, `${name}: ${undelivered()} events of the jump are undelivered`);
    await checkCurrent(stage, phones, ledger, `${name}: after the jump`);
    for (let count = 0; count < PHONES; count += 1) await phones.change(ledger);
    await checkCurrent(stage, phones, ledger, `${name}: after a later change`);
    const [readyIn, deliveredIn] = [ready, delivered].map((took) => took.toFixed(1));
    console.log(`${name}: ready again after ${readyIn} s, its events delivered after ${deliveredIn} s more`);
  }
  await ledger.stop();
  stage.checkWrites(ledger, sql);
}

/**
 * Stops all nodes, sets the clock back, and restarts them. The node that phones call starts last, so a phone may miss a
 * push.
 */
async function setBackWhileStopped(clock, nodes) {
  for (const node of nodes) await node.stop();
  clock.set('+0');
  for (const node of nodes.toReversed()) node.start();
}

async function checkCurrent(stage, phones, ledger, when) {
  let stale = [];
  // A real phone repeats failed steps by itself, such as a call to a node that had not started yet.
  const isCurrent = async () => (await phones.retry()) && (stale = await phones.stale(ledger)).length === 0;
  const took = await within(RECOVERED_SECONDS, isCurrent);
  console.log(`${when} the phones are current after ${took.toFixed(1)} s`);
  const failed = phones.devices.flatMap((phone) => phone.failed);
  stage.check(
    took < Infinity,
    `${when} phones are stale: ${stale.join(', ')}; steps that failed: ${failed.join(', ')}`,
  );
}
