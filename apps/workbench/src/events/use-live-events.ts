import { followEvents, type WebhookEvent } from '@passwright/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';

/** The events that arrive while a page watches a webhook. */
export interface LiveEvents {
  /** Newest first. */
  readonly events: readonly WebhookEvent[];
  readonly state: 'stopped' | 'starting' | 'watching';
  readonly error: unknown;
  /** Watches from now on, or continues after a stop. */
  readonly start: () => void;
  readonly stop: () => void;
}

const MOST_EVENTS = 500;

/** Watches the events of a webhook until the page stops it or closes. */
export function useLiveEvents(webhookId: string): LiveEvents {
  const { session } = useWho();
  const [events, setEvents] = useState<readonly WebhookEvent[]>([]);
  const [state, setState] = useState<LiveEvents['state']>('stopped');
  const [error, setError] = useState<unknown>(null);
  const position = useRef<string | null>(null);
  const ending = useRef<AbortController | null>(null);
  const stop = () => {
    ending.current?.abort();
    ending.current = null;
    setState('stopped');
  };
  /** Collects events after the position. Without a position, first asks for the current one. */
  const watch = async (signal: AbortSignal) => {
    position.current ??= (await session.api.listWebhookEvents({ webhookId, limit: 1, from: 'now', signal })).cursor;
    setState('watching');
    for await (const { data, cursor } of followEvents(session.api, { webhookId, signal, cursor: position.current })) {
      position.current = cursor;
      if (data.length > 0) setEvents((former) => [...data.toReversed(), ...former].slice(0, MOST_EVENTS));
    }
  };
  const start = () => {
    if (ending.current) return;
    const { signal } = (ending.current = new AbortController());
    setError(null);
    setState('starting');
    watch(signal).catch((failure: unknown) => {
      if (signal.aborted) return;
      stop();
      setError(failure);
    });
  };
  useEffect(() => () => ending.current?.abort(), []);
  return { events, state, error, start, stop };
}
