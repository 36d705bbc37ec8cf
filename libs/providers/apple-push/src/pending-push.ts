import type { ClientHttp2Stream } from 'node:http2';
import type { PushAnswer } from '@passwright/core';

/** A push that has been asked for. */
export class PendingPush {
  /** Null until it is sent. */
  pushId: string | null = null;
  stream: ClientHttp2Stream | null = null;
  settled = false;

  /** @param since when it began to wait, then when it was sent: milliseconds of a clock that never jumps */
  constructor(
    readonly pushToken: string,
    public since: number,
    private readonly resolve: (answer: PushAnswer) => void,
  ) {}

  /** The first answer counts. */
  settle(answer: PushAnswer): void {
    this.settled = true;
    this.resolve(answer);
  }
}
