// Preloaded into a node of the service. Responds to `event-loop` with the longest stall of its event loop since the
// last response, and to `heap` with the memory that is live after a garbage collection.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const resolution = 10;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const responses = {
  'event-loop': () => ({ stallMs: Math.max(0, delay.max / 1e6 - resolution) }),
  heap: () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return { heapMb: (heapUsed + external) / 1024 / 1024 };
  },
};
process.on('message', (/** @type {string} */ message) => {
  if (!Object.hasOwn(responses, message)) return;
  process.send({ question: message, ...responses[message]() });
  delay.reset();
});
process.channel?.unref();
