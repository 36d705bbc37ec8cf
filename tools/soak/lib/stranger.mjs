// Measures how long a caller with few requests waits on each route, on an idle node and during an attack.
import { once } from 'node:events';
import { connect } from 'node:net';

/** The longest permitted stall of the event loop. */
export const STALL_MS = 250;
/** Times below this number of milliseconds are noise. Ratios divide by at least this value. */
const FLOOR_MS = 8;
const RATIO = 3;

/**
 * Calls the routes one after the other. A route may return a time (`performance.now()`), from which its measurement
 * then starts.
 * @returns the times of each route in ms
 */
export async function measure(routes, seconds) {
  const during = AbortSignal.timeout(seconds * 1000);
  const times = Object.fromEntries(Object.keys(routes).map((name) => [name, []]));
  do {
    for (const [name, route] of Object.entries(routes)) {
      let startedAt = performance.now();
      const later = await route();
      if (typeof later === 'number') startedAt = later;
      times[name].push(performance.now() - startedAt);
    }
  } while (!during.aborted);
  return times;
}

/**
 * Sends many requests of `tenant` in one packet, so that they arrive together. Calls `one` after their first response.
 * @returns how many of these requests were answered before `one`
 */
export async function countStoredBefore(one, tenant, path, count) {
  const heads = Object.entries(tenant.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = (more) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${heads.join('')}${more}\r\n`;
  const socket = connect(Number(new URL(tenant.url).port), '127.0.0.1').setEncoding('latin1');
  let text = '';
  const responded = () => text.split('HTTP/1.1 ').length - 1;
  socket.on('data', (some) => (text += some));
  socket.write(`${request('').repeat(count - 1)}${request('Connection: close\r\n')}`);
  const closed = once(socket, 'close');
  await once(socket, 'data');
  await one();
  const before = responded() - 1;
  await closed;
  if (responded() !== count) throw new Error(`${responded()} of ${count} requests were answered`);
  return before;
}

/**
 * Prints p50 and p99 of each route, and their ratios to the times without load.
 * @returns messages about routes that are too slow
 */
export function compare(name, times, idle, { stallMs, text }) {
  const tooSlow = stallMs > STALL_MS ? [`${name}: the event loop stalled for ${stallMs.toFixed(0)} ms`] : [];
  console.log(`${name} (${text})`);
  for (const [route, all] of Object.entries(times)) {
    const [before, now] = [figures(idle[route]), figures(all)];
    const ratio = (of) => now[of] / Math.max(before[of], FLOOR_MS);
    const figure = (of) => `${now[of].toFixed(0)} ms (${ratio(of).toFixed(1)})`.padEnd(18);
    console.log(`  ${route.padEnd(12)} p50 ${figure('p50')} p99 ${figure('p99')} n ${all.length}`);
    if (ratio('p99') > RATIO)
      tooSlow.push(`${name}: p99 of ${route} is ${ratio('p99').toFixed(1)} times that without load`);
  }
  return tooSlow;
}

/** Explains how to read the ratios of `compare`. */
export function explainRatios() {
  console.log(
    `In brackets: the ratio to no load, at most ${RATIO} for p99. What takes less than ${FLOOR_MS} ms without load counts as ${FLOOR_MS} ms.`,
  );
}

function figures(times) {
  const sorted = times.toSorted((one, other) => one - other);
  return { p50: sorted[sorted.length >> 1], p99: sorted[Math.floor(sorted.length * 0.99)] };
}
