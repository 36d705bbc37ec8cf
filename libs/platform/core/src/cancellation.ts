/**
 * Says that a waiting task is no longer wanted. An `AbortSignal` does too, but creating one for each waiting request
 * would cost more than the wait.
 */
export interface Cancellation {
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
