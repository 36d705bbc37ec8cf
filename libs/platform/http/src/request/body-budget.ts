import { NotReady, RateLimited } from '@passwright/core';

const RETRY_AFTER_SECONDS = 1;

/**
 * Limits the total bytes of request bodies in the memory of a process. A holder, such as a caller, may take only as
 * many bytes as stay free. A single holder gets half of the budget, several get equal shares.
 */
export class BodyBudget {
  private used = 0;
  private readonly held = new Map<string, number>();

  constructor(private readonly totalBytes: number) {}

  /** Counts bytes that have arrived for a holder. @throws RateLimited, NotReady */
  take(holder: string, bytes: number): void {
    const before = this.held.get(holder) ?? 0;
    const free = this.totalBytes - this.used - bytes;
    if (before + bytes > free) throw rejection(before);
    this.hold(holder, bytes);
  }

  /** Counts bytes for a holder without checking the limit. */
  hold(holder: string, bytes: number): void {
    this.used += bytes;
    this.held.set(holder, (this.held.get(holder) ?? 0) + bytes);
  }

  release(holder: string, bytes: number): void {
    const left = (this.held.get(holder) ?? 0) - bytes;
    this.used -= bytes;
    if (left > 0) this.held.set(holder, left);
    else this.held.delete(holder);
  }
}

function rejection(heldBytes: number): RateLimited | NotReady {
  return heldBytes > 0
    ? new RateLimited(
        'Too many of your request bodies are being received at the same time; send fewer at once.',
        RETRY_AFTER_SECONDS,
      )
    : new NotReady('This node holds as many request bodies as it takes; try again.');
}
