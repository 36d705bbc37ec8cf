import { constants } from 'node:os';

/**
 * The signals that stop a program. The kernel ignores SIGHUP in the first process of a container. Elsewhere SIGHUP ends
 * a process that does not handle it, unless `nohup` has started the process.
 */
export const stopSignals =
  process.pid === 1 ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGINT', 'SIGTERM'] as const);

/*
 * The first import of every program. The kernel gives signals no default action in the first process of a container, so
 * a stop would have no effect while the program loads, or waits for its database.
 */
for (const signal of stopSignals) {
  process.on(signal, () => {
    // If a later listener exists, it decides how the process ends.
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  });
}
