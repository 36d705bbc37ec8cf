import { Logger } from '@nestjs/common';
import { Database } from '@passwright/database';
import { DataSource } from 'typeorm';
import type { TestApp } from '../../test-app.fixtures.js';

/** Thrown at the crash of a process, so that its current work is never finished. */
class Died extends Error {}

/** Runs jobs like a process that may be killed before or after any of its statements and requests. */
export class MortalProcess {
  private left = Infinity;

  constructor(private readonly app: TestApp) {}

  /** Marks a point at which the process may crash. After a crash, the process does nothing more. */
  cross(): void {
    if (this.left <= 0) throw new Died();
    this.left -= 1;
  }

  /**
   * Runs a job.
   * @param boundaries the number of statements and requests before the process crashes; null for no crash
   */
  async run(job: () => Promise<unknown>, boundaries: number | null): Promise<void> {
    if (boundaries === null) return void (await job());
    const runner = this.app.get(DataSource).createQueryRunner();
    const prototype = Object.getPrototypeOf(runner) as { query: (...args: unknown[]) => Promise<unknown> };
    const { query } = prototype;
    const cross = () => this.cross();
    const spies = [
      jest.spyOn(prototype, 'query').mockImplementation(async function (this: unknown, ...args: unknown[]) {
        // The database ends the transactions of a crashed process.
        if (args[0] === 'ROLLBACK') return query.apply(this, args);
        cross();
        const result = await query.apply(this, args);
        cross();
        return result;
      }),
      // A crashed process releases nothing later.
      jest.spyOn(this.app.get(Database), 'eventually').mockReturnValue(undefined),
      jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined),
    ];
    this.left = boundaries;
    await job().catch(() => undefined);
    this.left = Infinity;
    for (const spy of spies) spy.mockRestore();
    await runner.release();
  }
}
