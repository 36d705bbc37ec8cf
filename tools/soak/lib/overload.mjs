// Sends more load than a node can serve.
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The longest time in seconds for which a node lets a call wait. This limits the simultaneous calls of the test,
 * because each call needs a socket. The test skips calls above the limit and counts them as `heldBack`.
 */
const WAIT_SECONDS = 10;
/** The largest accepted share of skipped calls. If more are skipped, the load is too far below the intended load. */
const HELD_BACK = 0.05;

/** Measures how many calls of `work` succeed per second with `lanes` parallel callers, after a warm-up. */
export async function capacityOf(work, { lanes = 16, seconds = 6 } = {}) {
  await successesOf(work, lanes, AbortSignal.timeout(4000));
  return (await successesOf(work, lanes, AbortSignal.timeout(seconds * 1000))) / seconds;
}

async function successesOf(work, lanes, signal) {
  let done = 0;
  const lane = async () => {
    while (!signal.aborted) {
      await work().then(
        () => (done += 1),
        () => undefined,
      );
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

/**
 * Starts `work` at fixed times, `perSecond` times per second, however late the responses are.
 * @returns the number of started calls, the number of skipped calls, and the longest delay of a start in seconds
 */
export async function offer(work, perSecond, seconds) {
  const arrivals = Array.from({ length: Math.floor(perSecond * seconds) }, (_, at) => (at * 1000) / perSecond);
  const counts = { begun: 0, heldBack: 0, behind: 0 };
  const inHand = new Set();
  const atOnce = perSecond * WAIT_SECONDS;
  const from = performance.now();
  for (const arrival of arrivals) {
    while (performance.now() - from < arrival) await pause(Math.max(1, arrival - (performance.now() - from)));
    if (inHand.size >= atOnce) {
      counts.heldBack += 1;
      continue;
    }
    counts.begun += 1;
    counts.behind = Math.max(counts.behind, (performance.now() - from - arrival) / 1000);
    const call = work()
      .catch(() => undefined)
      .finally(() => inHand.delete(call));
    inHand.add(call);
  }
  await Promise.all(inHand);
  return counts;
}

/** Prints the load, and checks that not too many calls were skipped. */
export function reportOffer(stage, capacity, { begun, heldBack, behind }) {
  console.log(
    `capacity ${capacity.toFixed(0)}/s; offered ${begun + heldBack}, ${heldBack} held back, begun ${behind.toFixed(2)} s late at most`,
  );
  stage.check(heldBack <= HELD_BACK * (begun + heldBack), `${heldBack} of ${begun + heldBack} calls were held back`);
}

/** Runs `work` every `ms` milliseconds until `signal` aborts. If a run takes longer, the next one begins afterwards. */
export async function every(ms, work, signal) {
  while (!signal.aborted) {
    const next = pause(ms);
    await work().catch(() => undefined);
    await next;
  }
}
