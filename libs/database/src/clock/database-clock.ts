import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '../database.js';

const MEASURE_EVERY_MS = 2000;

interface Measured {
  /** The time of the database, in milliseconds. */
  readonly databaseMs: number;
  /** On this process's monotonic clock. */
  readonly at: number;
}

/**
 * The time of the database. It is measured every two seconds and goes on monotonically in between, so all nodes agree
 * and none depends on the clock of its machine. Before the first measurement it is the time of the machine.
 */
@Injectable()
export class DatabaseClock extends Clock implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Clock');
  private measured: Measured | null = null;
  private timer: NodeJS.Timeout | null = null;
  private failing = false;

  constructor(private readonly database: Database) {
    super();
  }

  async onModuleInit(): Promise<void> {
    await this.measureAgain();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  now(): Date {
    const { measured } = this;
    return measured ? new Date(Math.round(measured.databaseMs + performance.now() - measured.at)) : new Date();
  }

  /** Milliseconds that this machine's clock is ahead of the database's. */
  get nodeAheadMs(): number {
    return Date.now() - this.now().getTime();
  }

  async measure(): Promise<void> {
    const askedAt = performance.now();
    const databaseMs = await this.database.now();
    const at = performance.now();
    const errorMs = (at - askedAt) / 2;
    const middle = { databaseMs, at: askedAt + errorMs };
    // Within its error a measurement says nothing new, and the time does not go back and forth.
    const differsMs = this.measured
      ? Math.abs(middle.databaseMs - middle.at - (this.measured.databaseMs - this.measured.at))
      : Infinity;
    if (differsMs > errorMs) this.measured = middle;
  }

  private async measureAgain(): Promise<void> {
    try {
      await this.measure();
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn(`The database did not tell the time: ${(error as Error).name}`);
      this.failing = true;
    }
    this.timer = setTimeout(() => void this.measureAgain(), MEASURE_EVERY_MS).unref();
  }
}
