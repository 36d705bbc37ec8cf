import type { Logger } from '@nestjs/common';
import { type BlobStorage, loggedError } from '@passwright/core';

/**
 * Notes outside of the database which workers stopped in order while it was away. Whoever takes over their jobs can then
 * tell them from workers whose process died.
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
    await this.quietly(() => Promise.all(workerIds.map(put)));
  }

  async has(workerId: string): Promise<boolean> {
    const note = await this.quietly(async () => this.storage?.get(keyOf(workerId)));
    return note !== undefined && note !== null;
  }

  async forget(workerId: string): Promise<void> {
    await this.quietly(async () => this.storage?.delete(keyOf(workerId)));
  }

  /** Storage that fails makes a stop count like a death. */
  private async quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.logger.warn(`Notes of workers that stopped without the database fail: ${loggedError(error).message}`);
      return undefined;
    }
  }
}

/** Ids of workers are random. */
function keyOf(workerId: string): string {
  return `stopped-workers/${workerId}`;
}
