/** Postgres ends a statement at its limit. A server that has not responded this much later is considered gone. */
const GRACE_MS = 1000;

/** The server, or the network path to it, does not respond. */
export class DatabaseSilent extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(afterMs: number) {
    super(`Postgres has not responded for ${afterMs} ms; its connection was given up`);
    this.name = 'DatabaseSilent';
  }
}

/** The time of the server's latest response on any connection of a pool, and the server's time limit for statements. */
export interface Responses {
  /** The time limit of a statement at the server. */
  readonly statementMs: number;
  /** When the server last responded on any of the connections, by `performance.now()`. */
  heardAt: number;
}

/** Notices that the server does not respond on one connection. */
export class SilenceWatch {
  private timer: NodeJS.Timeout | null = null;
  private timerMs = 0;
  private slowBefore = 0;

  /** @param giveUp ends the connection with this error */
  constructor(
    private readonly responses: Responses,
    private readonly giveUp: (silent: DatabaseSilent) => void,
  ) {}

  get isWaiting(): boolean {
    return this.timer !== null;
  }

  /**
   * Notes that a statement was sent.
   * @param slowBefore the number of earlier statements in the same round trip that may each take the whole time limit
   */
  sent(slowBefore: number): void {
    this.slowBefore = slowBefore;
    if (!this.timer) this.wait(this.limitMs);
  }

  /** Notes a response. Other statements may still wait for theirs. */
  responded(): void {
    this.responses.heardAt = performance.now();
    if (this.timer) this.wait(this.limitMs);
  }

  end(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private get limitMs(): number {
    return this.responses.statementMs + GRACE_MS;
  }

  private wait(ms: number): void {
    // Each response restarts the wait, and restarting a timer is cheaper than creating one.
    if (this.timer && ms === this.timerMs) {
      this.timer.refresh();
      return;
    }
    this.end();
    this.timerMs = ms;
    this.timer = setTimeout(() => this.check(), ms);
  }

  /**
   * Ends the connection if the server is silent. A server responds to statements sent together only after the last one,
   * so until then its responses on other connections count.
   */
  private check(): void {
    const { statementMs, heardAt } = this.responses;
    const leftMs = Math.min(statementMs, heardAt + this.limitMs - performance.now());
    if (this.slowBefore === 0 || leftMs <= 0) return this.giveUp(new DatabaseSilent(this.limitMs));
    this.slowBefore--;
    this.wait(leftMs);
  }
}
