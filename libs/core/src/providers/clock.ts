/** The only source of time in domain libs, so that tests can move it. */
export abstract class Clock {
  abstract now(): Date;
}

/** The machine's own time. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
