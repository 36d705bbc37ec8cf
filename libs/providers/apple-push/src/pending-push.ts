import type { ClientHttp2Stream } from 'node:http2';
import type { PushResult } from '@passwright/core';
import type { PushBurst } from './push-burst.js';

/** A requested push. */
export class PendingPush {
  /** The stream of the push; null until the push is sent. */
  stream: ClientHttp2Stream | null = null;
  settled = false;

  /** @param since the time at which the push began to wait or was sent, in milliseconds of a monotonic clock */
  constructor(
    readonly pushToken: string,
    public since: number,
    private readonly burst: PushBurst,
    private readonly index: number,
  ) {}

  /** True if the push service has rejected the sender meanwhile, so that this push would fail too. */
  get pointless(): boolean {
    return this.burst.rejected;
  }

  /**
   * Ends the push. Only the first result counts.
   * @param result null if the push was not sent, because the push service had rejected its sender
   */
  settle(result: PushResult | null): void {
    if (this.settled) return;
    this.settled = true;
    this.burst.responded(this.index, result);
  }

  /** Ends a push that was never sent. */
  turnAway(result: PushResult): void {
    this.settle(this.pointless ? null : result);
  }
}
