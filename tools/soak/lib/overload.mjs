// Load beyond what a node can serve.
import { setTimeout as pause } from 'node:timers/promises';

/** Calls in hand at once. What is due beyond them is held back and counted. */
const AT_ONCE = 200;

/** Measures how many calls of `work` a second succeed with `lanes` callers, after a warm-up. */
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
 * Begins `work` so many times a second until `signal` aborts, however long each call takes.
 * @returns how many calls began, and how many could not as too many were in hand
 */
export async function offer(work, perSecond, signal) {
  const counts = { begun: 0, heldBack: 0 };
  const inHand = new Set();
  const from = performance.now();
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - from) / 1000) * perSecond);
    while (counts.begun + counts.heldBack < due) {
      if (inHand.size >= AT_ONCE) {
        counts.heldBack += 1;
        continue;
      }
      counts.begun += 1;
      const call = work()
        .catch(() => undefined)
        .finally(() => inHand.delete(call));
      inHand.add(call);
    }
    await pause(10);
  }
  await Promise.all(inHand);
  return counts;
}

/** Runs `work` every so many milliseconds, one after the other, until `signal` aborts. */
export async function every(ms, work, signal) {
  while (!signal.aborted) {
    const next = pause(ms);
    await work().catch(() => undefined);
    await next;
  }
}
