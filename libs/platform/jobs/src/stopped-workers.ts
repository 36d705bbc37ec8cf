import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { type BlobStorage, type Clock, loggedError } from '@passwright/core';

/** The time limit of a look-up. It is short, because look-ups delay the heartbeat of this process. */
const LOOK_UP_MS = 300;
const WRITE_MS = 2000;
/** A margin, because a node only estimates the database's time, which the note states. */
const CLOCK_ERROR_MS = 2000;

/**
 * Notes, outside of the database, when workers stopped or released their jobs while the database was unavailable. The
 * worker that takes over their jobs can then distinguish them from workers whose process died.
 */
export class StoppedWorkers {
  /**
   * @param storage if null, nothing is noted, and a stop during an outage of the database counts as a death
   * @param clock the database's, because the time of a note is compared with the times at which jobs were locked
   */
  constructor(
    private readonly storage: Pick<BlobStorage, 'put' | 'get' | 'delete'> | null,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly logger: Logger,
  ) {}

  async note(workerIds: readonly string[]): Promise<void> {
    const at = Buffer.from(this.clock.now().toISOString());
    const put = async (id: string) => this.storage?.put(keyOf(id), at, 'text/plain');
    await this.quietly(WRITE_MS, () => Promise.all(workerIds.map(put)));
  }

  /**
   * Returns the latest time at which a worker may have stopped, according to its note; null if there is no note. A note
   * may be outdated, because its deletion failed or because the write ended only after the deletion. So the time says
   * nothing about jobs that the worker began later.
   */
  async stoppedUntil(workerId: string): Promise<Date | null> {
    const note = await this.quietly(LOOK_UP_MS, async () => this.storage?.get(keyOf(workerId)));
    const at = note ? Date.parse(Buffer.from(note).toString()) : NaN;
    return Number.isNaN(at) ? null : new Date(at + CLOCK_ERROR_MS);
  }

  async forget(workerIds: readonly string[]): Promise<void> {
    const remove = async (id: string) => this.storage?.delete(keyOf(id));
    await this.quietly(LOOK_UP_MS, () => Promise.all(workerIds.map(remove)));
  }

  /** Ignores storage that fails or is slow; the stop then counts as a death. */
  private async quietly<T>(withinMs: number, work: () => Promise<T>): Promise<T | undefined> {
    const done = new AbortController();
    const late = pause(withinMs, undefined, { signal: done.signal }).then(() => {
      throw new Error(`the storage has not responded within ${withinMs} ms`);
    });
    late.catch(() => undefined);
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      this.logger.warn(`Notes of workers that stopped without the database fail: ${loggedError(error).message}`);
      return undefined;
    } finally {
      done.abort();
    }
  }
}

/** Returns the storage key of the note about a worker. It needs no other parts, because ids of workers are random. */
function keyOf(workerId: string): string {
  return `stopped-workers/${workerId}`;
}
