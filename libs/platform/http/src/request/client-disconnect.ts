import { type Cancellation, RateLimited } from '@passwright/core';

/** Cancels a request's wait for a slot when its client closes the connection. */
export class ClientDisconnect implements Cancellation {
  reason: RateLimited | undefined;
  private readonly listeners = new Set<() => void>();

  throwIfAborted(): void {
    if (this.reason) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  /** Calls the listeners. Later calls do nothing. */
  end(): void {
    if (this.reason) return;
    this.reason = disconnected();
    for (const listener of [...this.listeners]) listener();
  }
}

/**
 * Returns an error that is never sent. It is a 429, so it is neither logged as an error nor stored under an idempotency
 * key.
 */
export function disconnected(): RateLimited {
  return new RateLimited('The client closed the connection; send it again.', 1);
}
