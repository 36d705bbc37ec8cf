import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock, loggedError } from '@passwright/core';
import { Database } from '../database.js';

const MEASURE_EVERY_MS = 2000;
/** The largest difference between a node's clock and the database's that counts as correct. */
export const CLOCK_OFF_AT_MOST_MS = 5000;
/** A change of the database's time against this process's monotonic clock by at least this much is a jump. */
export const CLOCK_JUMP_MS = 60_000;
/** How long timed work waits after a clock jump. Operators usually correct a wrong clock sooner. */
const STEADY_AFTER_MS = 15 * 60_000;

interface Measured {
  /** The time of the database, in milliseconds. */
  readonly databaseMs: number;
  /** The reading of this process's monotonic clock when the time was measured. */
  readonly at: number;
  /** The uncertainty that the round trip adds to the measurement. */
  readonly errorMs: number;
}

/**
 * Provides the time of the database, so that all nodes agree. Measures it every two seconds and uses the monotonic
 * clock in between. Uses the machine's time before the first measurement.
 */
@Injectable()
export class DatabaseClock extends Clock implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Clock');
  private measured: Measured | null = null;
  private timer: NodeJS.Timeout | null = null;
  private failing = false;
  private isOff = false;
  private stopped = false;
  private jumpedAt = -Infinity;
  /** True after a forward jump of both clocks, the database's and this machine's, because both may then be wrong. */
  private mayBeAhead = false;
  /**
   * True after the database's time has gone back by more than a minute. The job that repairs times from the future
   * resets this property.
   */
  wentBack = false;

  constructor(@Inject(Database) private readonly database: Pick<Database, 'now'>) {
    super();
  }

  async onModuleInit(): Promise<void> {
    await this.measureAgain();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
  }

  now(): Date {
    return new Date(this.databaseMs());
  }

  /** Milliseconds by which this machine's clock is ahead of the database's. */
  get nodeAheadMs(): number {
    return Date.now() - this.databaseMs();
  }

  /**
   * True while jobs may delete or expire data. False for a while after each forward jump, because the machine and the
   * database may share one wrong clock.
   */
  get allowsTimedWork(): boolean {
    return this.isRight && performance.now() - this.jumpedAt >= STEADY_AFTER_MS;
  }

  /**
   * True while scheduled jobs that delete nothing may run. False while both clocks may be ahead, because webhooks would
   * seem to have failed for days and would be disabled.
   */
  get allowsLooks(): boolean {
    return this.allowsTimedWork || (this.isRight && !this.mayBeAhead);
  }

  /** True while this machine's clock agrees with the database's. Webhooks wait while the clocks disagree. */
  get isRight(): boolean {
    return this.measured !== null && Math.abs(this.nodeAheadMs) - this.measured.errorMs <= CLOCK_OFF_AT_MOST_MS;
  }

  async measure(): Promise<void> {
    const askedAt = performance.now();
    const databaseMs = await this.database.now();
    const at = performance.now();
    const errorMs = (at - askedAt) / 2;
    const middle = { databaseMs, at: askedAt + errorMs, errorMs };
    // Ignore differences within the measurement error, so that time does not oscillate.
    const movedMs = this.measured
      ? middle.databaseMs - middle.at - (this.measured.databaseMs - this.measured.at)
      : Infinity;
    if (this.measured && Math.abs(movedMs) - errorMs - this.measured.errorMs > CLOCK_JUMP_MS)
      this.noteJump(at, movedMs);
    if (Math.abs(movedMs) > errorMs) this.measured = middle;
  }

  /** Records that the database's time has gone back, unless this process has already measured that. */
  noteStepBack(byMs: number): void {
    if (!this.wentBack) this.noteJump(performance.now(), -byMs);
  }

  private databaseMs(): number {
    const { measured } = this;
    return measured ? Math.round(measured.databaseMs + performance.now() - measured.at) : Date.now();
  }

  private noteJump(at: number, byMs: number): void {
    this.jumpedAt = at;
    this.mayBeAhead = byMs > 0 && !this.isOff;
    if (byMs < 0) this.wentBack = true;
    this.logger.error(
      `The time of the database has jumped by ${Math.round(byMs / 1000)} s: this node deletes and expires nothing for 15 minutes. Check NTP`,
    );
  }

  private async measureAgain(): Promise<void> {
    try {
      await this.measure();
      this.failing = false;
      this.tell();
    } catch (error) {
      if (!this.failing) this.logger.warn(`The time of the database could not be read: ${loggedError(error).message}`);
      this.failing = true;
    }
    if (!this.stopped) this.timer = setTimeout(() => void this.measureAgain(), MEASURE_EVERY_MS).unref();
  }

  /** Logs when this machine's clock becomes wrong, and when it is right again. */
  private tell(): void {
    const isOff = !this.isRight;
    if (isOff === this.isOff) return;
    this.isOff = isOff;
    if (isOff) {
      const seconds = Math.round(Math.abs(this.nodeAheadMs) / 1000);
      this.logger.error(
        `The clock of this node is ${seconds} s off the database's: it runs no timed job and sends no webhook until they agree. Check NTP on both`,
      );
    } else this.logger.log('The clock of this node agrees with the database again: timed jobs run, webhooks are sent');
  }
}
