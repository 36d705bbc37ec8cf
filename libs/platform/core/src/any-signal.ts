import { setMaxListeners } from 'node:events';

/**
 * Runs `work` with a signal that aborts as soon as one of `signals` aborts, with the same reason. For long-lived
 * signals, use it instead of `AbortSignal.any`: in Node 20, each call of `AbortSignal.any` leaks a little memory in its
 * signals.
 */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const any = new AbortController();
  // Prevent Node's warning of a leak, because many callers may listen to one signal at the same time.
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
