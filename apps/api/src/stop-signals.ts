import { constants } from 'node:os';

/**
 * The signals that stop a program. They include SIGHUP only in the first process of a container, where the kernel would
 * ignore it. Any other process ends at SIGHUP by default, unless `nohup` has started it.
 */
export const stopSignals =
  process.pid === 1 ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGINT', 'SIGTERM'] as const);

/*
 * Every program imports this file first. In the first process of a container, signals have no default action. So
 * without this file, a stop would have no effect while the program loads or waits for its database.
 */
for (const signal of stopSignals) {
  process.on(signal, () => {
    // Do nothing if a later listener exists, because that listener decides how the process ends.
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  });
}
