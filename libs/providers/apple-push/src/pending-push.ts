import type { ClientHttp2Stream } from 'node:http2';
import type { PushAnswer } from '@passwright/core';
import type { PushBurst } from './push-burst.js';

/** A push that has been asked for. */
export class PendingPush {
  /** Null until it is sent. */
  stream: ClientHttp2Stream | null = null;
  settled = false;

  /** @param since when it began to wait, then when it was sent: milliseconds of a clock that never jumps */
  constructor(
    readonly pushToken: string,
    public since: number,
    private readonly burst: PushBurst,
    private readonly index: number,
  ) {}

  /** Whether the sender was refused since: then it need not be sent. */
  get pointless(): boolean {
    return this.burst.refused;
  }

  /** The first answer counts. @param answer null when it was not sent, as others of its burst show that it is pointless */
  settle(answer: PushAnswer | null): void {
    if (this.settled) return;
    this.settled = true;
    this.burst.answered(this.index, answer);
  }

  /** Ends one that was not sent, and is not going to be. */
  turnAway(answer: PushAnswer): void {
    this.settle(this.pointless ? null : answer);
  }
}
