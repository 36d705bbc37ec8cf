import { constants } from 'node:os';

/**
 * The signals that stop a program. SIGHUP is included only in the first process of a container, where the kernel
 * ignores it. Other processes end at SIGHUP by default.
 */
export const stopSignals =
  process.pid === 1 ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGINT', 'SIGTERM'] as const);

/*
 * Every program imports this file first, because in the first process of a container, signals have no default action
 * and could not stop a program that is still loading.
 */
for (const signal of stopSignals) {
  process.on(signal, () => {
    // Do nothing if a later listener exists, which then decides how the process ends.
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  });
}
