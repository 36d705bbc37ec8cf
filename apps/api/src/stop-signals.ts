import { constants } from 'node:os';

/*
 * The first import of every program. The kernel gives signals no default action in the first process of a container, so
 * a stop would have no effect while the program loads, or waits for its database.
 */
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A listener that was added since decides how the process ends.
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  });
}
