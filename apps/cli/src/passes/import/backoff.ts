import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failures.js';
import { isRejected } from '../../service-errors.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const MOST_MS = 15 * 60_000;

/** Retries temporary failures, such as a restarting service or a rate limit. */
export class Backoff {
  /** @param say called with the reason for waiting, and with an empty text when the work continues */
  constructor(
    private readonly signal: AbortSignal,
    private readonly say: (what: string) => void,
    private readonly mostMs = MOST_MS,
  ) {}

  /** Retries `attempt` until it succeeds or fails for good. @throws Failure if the service stays unavailable */
  async untilDone<T>(attempt: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (let tried = 1; ; tried++) {
      try {
        const done = await attempt();
        if (tried > 1) this.say('');
        return done;
      } catch (error) {
        if (this.signal.aborted || !mayPass(error)) throw error;
        const pauseMs = pauseOf(error, tried);
        if (performance.now() + pauseMs - startedAt > this.mostMs) throw gaveUp(error, this.mostMs);
        this.say(`waiting for the service (${wordsFor(error)})`);
        await pause(pauseMs, undefined, { signal: this.signal });
      }
    }
  }
}

/** Thrown for a line that the service could not process yet. The other lines of the request were processed. */
export class TryAgain extends Error {}

/** Returns true if the same request may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof TryAgain) return true;
  if (!isRejected(error)) return false;
  return ['connection_failed', 'timed_out'].includes(error.code) || error.statusCode === 429 || error.statusCode >= 500;
}

function pauseOf(error: unknown, tried: number): number {
  const asked = isRejected(error) ? error.retryAfterSeconds : null;
  if (asked !== null) return asked * 1000 + Math.random() * 500;
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tried - 1, 10)) * (0.75 + Math.random() / 4);
}

function wordsFor(error: unknown): string {
  if (!isRejected(error)) return (error as Error).message;
  return error.code === 'connection_failed' ? 'it cannot be reached' : error.code;
}

function gaveUp(error: unknown, mostMs: number): Failure {
  return new Failure(
    `The service was unavailable for ${Math.round(mostMs / 60_000)} minutes: ${wordsFor(error)}.`,
    'Nothing is lost: run the same command again once it responds.',
    'unreachable',
  );
}
