import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { type BlobStorage, loggedError } from '@passwright/core';

/** A look-up delays the sign of life of this process, which looks up one worker of each lane. */
const LOOK_UP_MS = 300;
const WRITE_MS = 2000;

/**
 * Notes outside of the database which workers stopped, or gave up their jobs, while it was away. The worker that takes
 * over their jobs can then tell them from workers whose process died.
 */
export class StoppedWorkers {
  /** @param storage null: nothing is noted, and each of these stops counts like a death */
  constructor(
    private readonly storage: Pick<BlobStorage, 'put' | 'get' | 'delete'> | null,
    private readonly logger: Logger,
  ) {}

  async note(workerIds: readonly string[]): Promise<void> {
    const at = Buffer.from(new Date().toISOString());
    const put = async (id: string) => this.storage?.put(keyOf(id), at, 'text/plain');
    await this.quietly(WRITE_MS, () => Promise.all(workerIds.map(put)));
  }

  async has(workerId: string): Promise<boolean> {
    const note = await this.quietly(LOOK_UP_MS, async () => this.storage?.get(keyOf(workerId)));
    return note !== undefined && note !== null;
  }

  async forget(workerIds: readonly string[]): Promise<void> {
    const remove = async (id: string) => this.storage?.delete(keyOf(id));
    await this.quietly(LOOK_UP_MS, () => Promise.all(workerIds.map(remove)));
  }

  /** Storage that fails or is slow makes a stop count like a death. */
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

/** Ids of workers are random. */
function keyOf(workerId: string): string {
  return `stopped-workers/${workerId}`;
}
