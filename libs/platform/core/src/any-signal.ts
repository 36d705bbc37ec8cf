import { setMaxListeners } from 'node:events';

/**
 * Runs `work` with a signal that aborts with the first of `signals`, for the same reason. Use it instead of
 * `AbortSignal.any` for long-lived signals: in Node 20, each call of that leaks a little memory.
 */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const any = new AbortController();
  // Many callers may listen to one signal, and Node would warn of a leak.
  setMaxListeners(0, ...signals);
  const listened = signals.map((signal) => {
    const abort = () => any.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    return { signal, abort };
  });
  try {
    return await work(any.signal);
  } finally {
    for (const { signal, abort } of listened) signal.removeEventListener('abort', abort);
  }
}
