import { PasswrightError } from './passwright-error.js';

/** The longest wait. A call that must wait longer fails immediately. */
const MOST_WAIT_SECONDS = 60;
const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 8_000;
const passing = new Set([429, 502, 503, 504]);

/** An error of a hook of the app. The caller of `withRetries` gets `error` unchanged and unretried. */
export class HookFailed extends Error {
  constructor(readonly error: unknown) {
    super();
  }
}

/**
 * Runs `attempt` until it succeeds, fails permanently, or has been retried `retries` times. Waits as long as
 * `Retry-After` says, or otherwise longer each time, with random jitter.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let done = 0; ; done++) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof HookFailed) throw error.error;
      if (done >= retries || !mayPass(error)) throw error;
      const pauseMs = Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** done);
      const atLeastMs = error.retryAfterSeconds === null ? pauseMs / 2 : error.retryAfterSeconds * 1000;
      await pause(atLeastMs + (Math.random() * pauseMs) / 2, signal);
    }
  }
}

/** Returns true if the same request may succeed later. */
function mayPass(error: unknown): error is PasswrightError {
  if (!(error instanceof PasswrightError)) return false;
  const { code, statusCode, retryAfterSeconds } = error;
  if (retryAfterSeconds !== null && retryAfterSeconds > MOST_WAIT_SECONDS) return false;
  // A wallet that is not configured will not be ready within a minute.
  if (code === 'wallet_unavailable' && retryAfterSeconds === null) return false;
  return code === 'connection_failed' || code === 'timed_out' || passing.has(statusCode);
}

/** Waits for `ms` milliseconds. Rejects with the signal's reason as soon as the signal aborts. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
