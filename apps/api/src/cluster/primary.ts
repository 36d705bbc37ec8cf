import cluster from 'node:cluster';
import { loggedError } from '@passwright/core';
import type { Logger } from 'pino';
import { WORKER_ARGUMENT } from './cluster-messages.js';
import type { WorkerLimits } from './worker-limits.js';
import { WorkerPool } from './worker-pool.js';

interface PrimaryOptions {
  /** The number of workers. */
  readonly count: number;
  readonly limits: WorkerLimits;
  readonly logger: Logger;
  /** Called with the port when the workers are ready. */
  readonly announce: (port: number) => void;
}

/**
 * Runs the primary of a node with several workers. It starts the workers, distributes connections among them, and
 * passes on signals. SIGHUP restarts the workers one by one.
 */
export async function runPrimary({ count, limits, logger, announce }: PrimaryOptions): Promise<void> {
  // Spread connections evenly, because a proxy's keep-alive connections stay with their worker.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ args: [...process.argv.slice(2), WORKER_ARGUMENT] });
  const workers = new WorkerPool(count, limits, logger, (failure) => {
    logger.fatal(`No worker is left. ${loggedError(failure).message}`);
    process.exit(1);
  });
  let stopping: Promise<void> | null = null;
  const stop = (reason: string): void => {
    stopping ??= workers.stop(reason).then((properly) => {
      logger.info(`stopped: ${reason}`);
      process.exit(properly ? 0 : 1);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!stopping) return stop(signal);
      // A second signal ends the node immediately.
      workers.kill();
      process.exit(1);
    });
  }
  process.once('disconnect', () => stop('the process that started it has ended'));
  let restarting = Promise.resolve();
  process.on('SIGHUP', () => {
    restarting = restarting.then(() => workers.restart());
  });
  const port = await workers.start().catch((failure: unknown) => {
    // A stop also ends workers that are starting, so this failure is expected.
    if (stopping) return null;
    throw failure;
  });
  if (port === null || stopping) return;
  process.send?.('ready');
  announce(port);
}
