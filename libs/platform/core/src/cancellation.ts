/**
 * A way to cancel a waiting task. Unlike an `AbortSignal`, it is cheap enough to create one for each waiting request.
 */
export interface Cancellation {
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
