import type { Passwright } from '@passwright/client';
import { isRefused } from '../service-errors.js';

/** What happened, as the service tells it. */
export interface WatchedEvent {
  id: string;
  type: string;
  /** ISO 8601. */
  timestamp: string;
  data: Record<string, unknown>;
}

interface Events {
  data: WatchedEvent[];
  nextCursor: string | null;
  cursor: string;
}

/** What is asked of the service. */
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
  /** How long a request stays open for news; 25, below the half minute after which proxies give up. */
  waitSeconds?: number;
  /** Told once: what happens from now on is shown. */
  onReady?: () => void;
  /** Told once when the service is gone, and with null when it is back. */
  onGap?: (why: Error | null) => void;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const mostRemembered = 10_000;
const gone = new Set([0, 429, 502, 503, 504]);

/**
 * What happens from now on, each event once and in order, until the signal aborts. While the service does not answer it asks
 * again, at longer and longer intervals up to 10 seconds, from the last place it knows.
 * @throws what cannot pass: a refusal
 */
export async function* eventStream(source: EventSource, options: StreamOptions): AsyncGenerator<WatchedEvent> {
  const { webhookId, signal, waitSeconds = 25, onReady, onGap, pause = pauseFor } = options;
  const seen = new Set<string>();
  let cursor: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    // The first answer comes at once: from then on nothing is missed.
    const wait = cursor === undefined || failures > 0 ? 0 : waitSeconds;
    const from = cursor === undefined ? { from: 'now' } : { cursor };
    const timeoutMs = (wait + 15) * 1000;
    const page = await source
      .listWebhookEvents({ webhookId, ...from, limit: 100, wait, timeoutMs, retries: 0, signal })
      .catch((error: unknown) => passing(error, signal, cursor !== undefined));
    if (signal.aborted) return;
    // The database was restored or failed over: what the cursor stands for may not have happened.
    if (page instanceof Error && isRefused(page, 'validation_failed')) {
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

/** After a failover the service may tell some again, under the same id. */
function isNew({ id }: WatchedEvent, seen: Set<string>): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > mostRemembered) seen.delete(seen.values().next().value ?? '');
  return true;
}

/** @throws what is no matter of time */
function passing(error: unknown, signal: AbortSignal, hasCursor: boolean): Error {
  if (signal.aborted && error instanceof Error) return error;
  if (isRefused(error) && (gone.has(error.statusCode) || error.statusCode === 500)) return error;
  // Something else answers while the service is away: a proxy's page.
  if (isRefused(error, 'unexpected_answer')) return error;
  if (hasCursor && isRefused(error, 'validation_failed')) return error;
  throw error;
}

/** Resolves after so long, or when the signal aborts. */
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

/** The client as a source of events. */
export const sourceOf = (client: Passwright): EventSource => client;
