import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import { isDatabaseUnavailable } from './unavailable.js';

const PAUSE_MS = 1000;
/** The end of the process waits this long for the transactions that it meets. */
const END_WITHIN_MS = 2000;

/** Transactions that nobody waits for: each is repeated while the database is away; once the process ends, it is tried once. */
export class BackgroundTransactions {
  private readonly logger = new Logger('Database');
  private readonly ended = new AbortController();
  private readonly running = new Set<Promise<void>>();

  run(transaction: () => Promise<unknown>): void {
    const run = this.repeat(transaction).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  /** Waits for what runs, and repeats nothing from now on. */
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
      // At the end, once more: the database may be back.
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
