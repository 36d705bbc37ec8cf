import type { Passwright } from '@passwright/client';
import { isRejected } from '../service-errors.js';

/** An event from the service. */
export interface WatchedEvent {
  id: string;
  type: string;
  /** The time in ISO 8601. */
  timestamp: string;
  data: Record<string, unknown>;
}

interface Events {
  data: WatchedEvent[];
  nextCursor: string | null;
  cursor: string;
}

/** The client's method that reads events. */
export interface EventSource {
  listWebhookEvents(request: {
    webhookId: string;
    cursor?: string;
    from?: string;
    limit?: number;
    wait?: number;
    timeoutMs?: number;
    retries?: number;
    signal?: AbortSignal;
  }): Promise<Events>;
}

export interface StreamOptions {
  webhookId: string;
  signal: AbortSignal;
  /** The seconds that a long poll waits. Default: 25, because many proxies time out after 30. */
  waitSeconds?: number;
  /** Called once when the stream has begun. All later events are returned. */
  onReady?: () => void;
  /** Called with the error when the service becomes unavailable, and with null when it is available again. */
  onGap?: (why: Error | null) => void;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const mostRemembered = 10_000;
const gone = new Set([0, 429, 502, 503, 504]);

/**
 * Yields each new event once and in order until the signal aborts. While the service does not respond, retries from the
 * last known position, with pauses of up to 10 seconds.
 * @throws permanent errors, such as a rejection
 */
export async function* eventStream(source: EventSource, options: StreamOptions): AsyncGenerator<WatchedEvent> {
  const { webhookId, signal, waitSeconds = 25, onReady, onGap, pause = pauseFor } = options;
  const seen = new Set<string>();
  let cursor: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    // Do not wait at the start or after a failure. The first response sets the position from which no event is missed.
    const wait = cursor === undefined || failures > 0 ? 0 : waitSeconds;
    const from = cursor === undefined ? { from: 'now' } : { cursor };
    const timeoutMs = (wait + 15) * 1000;
    const page = await source
      .listWebhookEvents({ webhookId, ...from, limit: 100, wait, timeoutMs, retries: 0, signal })
      .catch((error: unknown) => passing(error, signal, cursor !== undefined));
    if (signal.aborted) return;
    // After a database restore or failover, the cursor may refer to events that no longer exist.
    if (page instanceof Error && isRejected(page, 'validation_failed')) {
      onGap?.(page);
      cursor = undefined;
      continue;
    }
    if (page instanceof Error) {
      if (failures === 0) onGap?.(page);
      await pause(Math.min(10_000, 500 * 2 ** failures), signal);
      failures += 1;
      continue;
    }
    if (failures > 0) onGap?.(null);
    failures = 0;
    if (cursor === undefined) onReady?.();
    cursor = page.cursor;
    for (const event of page.data) if (isNew(event, seen)) yield event;
  }
}

/** Returns false if the event was already returned, because the service may repeat events after a failover. */
function isNew({ id }: WatchedEvent, seen: Set<string>): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > mostRemembered) seen.delete(seen.values().next().value ?? '');
  return true;
}

/** Returns the error if it is temporary. @throws the error if it is permanent */
function passing(error: unknown, signal: AbortSignal, hasCursor: boolean): Error {
  if (signal.aborted && error instanceof Error) return error;
  if (isRejected(error) && (gone.has(error.statusCode) || error.statusCode === 500)) return error;
  // While the service is unavailable, a proxy may respond with its own page.
  if (isRejected(error, 'unexpected_response')) return error;
  if (hasCursor && isRejected(error, 'validation_failed')) return error;
  throw error;
}

/** Waits until the time is over or the signal aborts. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/** Uses a client as an event source. */
export const sourceOf = (client: Passwright): EventSource => client;
