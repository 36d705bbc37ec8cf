import type { Logger } from '@nestjs/common';
import type { Pool } from 'pg';

/** A node's clock may be this far from the database's. */
export const CLOCK_OFF_AT_MOST_MS = 5000;
const CHECKED_FOR_MS = 500;

/** Compares the clock of this process with the database's: timed work is left alone while they disagree. */
export class ClockCheck {
  private checked: { readonly at: number; readonly nodeAt: number; readonly isRight: boolean } | null = null;
  private isOff = false;

  constructor(
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {}

  /** Returns the time of the database; null while the clock of this process disagrees. */
  async databaseTime(): Promise<Date | null> {
    const askedAt = performance.now();
    const { rows } = await this.pool.query<{ ms: number }>({
      name: 'database-time',
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    });
    const ms = rows[0]?.ms ?? Number.NaN;
    const at = performance.now();
    // The answer may have taken any part of the time on the way.
    const offMs = Math.abs(Date.now() - ms) - (at - askedAt);
    this.checked = { at, nodeAt: Date.now(), isRight: offMs <= CLOCK_OFF_AT_MOST_MS };
    this.tell(!this.checked.isRight, offMs);
    return this.checked.isRight ? new Date(ms) : null;
  }

  /** Tells whether the clocks agree; asks the database at most twice a second, unless this clock has jumped. */
  async isRight(): Promise<boolean> {
    const { checked } = this;
    const ageMs = checked ? performance.now() - checked.at : Infinity;
    const jumpedMs = checked ? Math.abs(Date.now() - checked.nodeAt - ageMs) : 0;
    if (checked && ageMs < CHECKED_FOR_MS && jumpedMs < CLOCK_OFF_AT_MOST_MS) return checked.isRight;
    return (await this.databaseTime()) !== null;
  }

  private tell(isOff: boolean, offMs: number): void {
    if (isOff === this.isOff) return;
    this.isOff = isOff;
    const seconds = Math.round(offMs / 1000);
    if (isOff) {
      this.logger.error(
        `The clock of this node is ${seconds} s off the database's: it runs no timed job until they agree. Check NTP on both`,
      );
    } else this.logger.log('The clock of this node agrees with the database again: timed jobs run');
  }
}
