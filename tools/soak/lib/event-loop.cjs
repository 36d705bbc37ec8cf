// Preloaded into a node of the service: answers `event-loop` with the longest stall of its event loop since the last answer.
const { monitorEventLoopDelay } = require('node:perf_hooks');

const resolution = 10;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
process.on('message', (message) => {
  if (message !== 'event-loop') return;
  process.send({ stallMs: Math.max(0, delay.max / 1e6 - resolution) });
  delay.reset();
});
process.channel?.unref();
