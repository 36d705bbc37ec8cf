/** The only source of time in domain libs, so that tests can control it. */
export abstract class Clock {
  abstract now(): Date;
}

/** The machine's time. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** The largest difference between the clocks of two ready nodes, because each may be off by 5 seconds. */
export const MAX_CLOCK_DIFFERENCE_MS = 10_000;
