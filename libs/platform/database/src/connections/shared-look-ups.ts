import type { NamedStatement, Pool } from '../pool-types.js';
import type { Rows } from './pipelined.js';
import { isConnectionLost } from './temporary-errors.js';

/** How many look-ups share a round trip. A backend runs them one after the other. */
const AT_ONCE = 8;

interface WaitingLookUp {
  readonly lookUp: NamedStatement;
  readonly resolve: (result: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the look-ups of one name in one turn of the event loop together over one connection, so that they share a round
 * trip.
 */
export class SharedLookUps {
  private waiting = new Map<string, WaitingLookUp[]>();

  /**
   * @param later schedules the sending. `process.nextTick` combines the look-ups of one callback, `setImmediate` the
   *   look-ups of all requests that arrived in the turn.
   */
  constructor(
    private readonly pool: Pick<Pool, 'connect' | 'query'>,
    private readonly later: (send: () => void) => unknown = (send) => process.nextTick(send),
  ) {}

  /**
   * Runs a look-up. Repeats it on another connection if the first one is lost, because a process notices a lost
   * connection only when it uses it.
   */
  run(lookUp: NamedStatement): Promise<Rows> {
    return this.share(lookUp).catch((error: unknown) => {
      if (!isConnectionLost(error)) throw error;
      return this.pool.query(lookUp);
    });
  }

  private share(lookUp: NamedStatement): Promise<Rows> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) this.later(() => this.send());
      const equal = this.waiting.get(lookUp.name);
      if (equal) equal.push({ lookUp, resolve, reject });
      else this.waiting.set(lookUp.name, [{ lookUp, resolve, reject }]);
    });
  }

  private send(): void {
    const groups = [...this.waiting.values()];
    this.waiting = new Map();
    for (const group of groups) {
      for (let from = 0; from < group.length; from += AT_ONCE)
        void this.sendTogether(group.slice(from, from + AT_ONCE));
    }
  }

  private async sendTogether(group: readonly WaitingLookUp[]): Promise<void> {
    try {
      const results = await this.resultsOf(group.map(({ lookUp }) => lookUp));
      results.forEach((result, at) => {
        if (result.status === 'fulfilled') group[at]?.resolve(result.value);
        else group[at]?.reject(result.reason);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  private async resultsOf(lookUps: readonly NamedStatement[]): Promise<PromiseSettledResult<Rows>[]> {
    const each = () => Promise.allSettled(lookUps.map((lookUp) => this.pool.query(lookUp)));
    if (lookUps.length === 1) return each();
    const client = await this.pool.connect();
    try {
      if (client.queryEach) return await client.queryEach(lookUps);
    } finally {
      client.release();
    }
    return each();
  }
}
