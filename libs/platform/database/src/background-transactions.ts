import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import { isDatabaseUnavailable } from './connections/temporary-errors.js';

const PAUSE_MS = 1000;
/** How long shutdown waits for running transactions. */
const END_WITHIN_MS = 2000;

/**
 * Runs transactions that no caller waits for. Repeats a transaction while the database is unavailable. During shutdown,
 * tries it only once more.
 */
export class BackgroundTransactions {
  private readonly logger = new Logger('Database');
  private readonly ended = new AbortController();
  private readonly running = new Set<Promise<void>>();

  run(transaction: () => Promise<unknown>): void {
    const run = this.repeat(transaction).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  /** Waits for running transactions and stops repeating failed ones. */
  async end(): Promise<void> {
    this.ended.abort();
    const done = new AbortController();
    const late = pause(END_WITHIN_MS, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.all(this.running), late]);
    done.abort();
  }

  private async repeat(transaction: () => Promise<unknown>): Promise<void> {
    const { signal } = this.ended;
    for (;;) {
      try {
        await transaction();
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) {
          this.logger.error({ err: loggedError(error) });
          return;
        }
      }
      if (signal.aborted) return;
      // Shutdown ends the pause early, to try once more.
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
