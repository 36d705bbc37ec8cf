import type { Logger } from '@nestjs/common';
import { type BlobStorage, type Clock, loggedError, within } from '@passwright/core';

/** The time limit of a look-up, which delays the heartbeat of this process. */
const LOOK_UP_MS = 300;
const WRITE_MS = 2000;
/** A margin, because the time in a note is only an estimate of the database's time. */
const CLOCK_ERROR_MS = 2000;

/**
 * Writes a note outside of the database when workers stop or release their jobs while the database is unavailable. The
 * worker that takes over their jobs then knows that their process did not crash.
 */
export class StoppedWorkers {
  /**
   * @param storage if null, a stop while the database is unavailable counts as a crash
   * @param clock the database's clock, because jobs are locked by its time
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
   * Returns the latest time at which a worker may have stopped, according to its note; null without a note. The note
   * may be outdated, so it does not apply to jobs that the worker began later.
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

  /** Ignores errors of the storage and slow responses. The stop then counts as a crash. */
  private async quietly<T>(withinMs: number, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await within(withinMs, work());
    } catch (error) {
      this.logger.warn(
        `Notes in the storage about workers that stopped without the database fail: ${loggedError(error).message}`,
      );
      return undefined;
    }
  }
}

/** Returns the storage key of the note about a worker. */
function keyOf(workerId: string): string {
  return `stopped-workers/${workerId}`;
}
