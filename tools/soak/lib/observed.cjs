/**
 * Adds measurements to a node of the service. Preload this file into the node. The node then answers the message
 * `event-loop` with the longest stall of its event loop since the last answer, and `heap` with the live memory after a
 * garbage collection.
 */
const { readFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const RESOLUTION_MS = 10;
const none = { stallMs: 0, waitedMs: 0 };
let longest = none;
let last = { at: performance.now(), waitedMs: waitedForCpuMs() };
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

setInterval(() => {
  const now = { at: performance.now(), waitedMs: waitedForCpuMs() };
  const stallMs = now.at - last.at - RESOLUTION_MS;
  if (stallMs > longest.stallMs) longest = { stallMs, waitedMs: now.waitedMs - last.waitedMs };
  last = now;
}, RESOLUTION_MS).unref();

/** Returns how long this thread was ready to run but had to wait for a core; see proc_pid_schedstat. */
function waitedForCpuMs() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
}

const responses = {
  'event-loop': () => longest,
  heap: () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return { heapMb: (heapUsed + external) / 1024 / 1024 };
  },
};
process.on('message', (/** @type {string} */ message) => {
  if (!Object.hasOwn(responses, message)) return;
  process.send({ question: message, ...responses[message]() });
  longest = none;
});
process.channel?.unref();
