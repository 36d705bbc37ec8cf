import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import { isDatabaseUnavailable } from './unavailable.js';

const PAUSE_MS = 1000;

/** Transactions that nobody waits for: each is repeated while the database is away, until the process ends. */
export class BackgroundTransactions {
  private readonly logger = new Logger('Database');
  private readonly ended = new AbortController();

  async run(transaction: () => Promise<unknown>): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      try {
        await transaction();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isDatabaseUnavailable(error)) {
          this.logger.error({ err: loggedError(error) });
          return;
        }
      }
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  end(): void {
    this.ended.abort();
  }
}
