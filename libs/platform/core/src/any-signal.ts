import { setMaxListeners } from 'node:events';

/**
 * Runs `work` with a signal that aborts as soon as one of `signals` aborts, with the same reason. Use it in place of
 * `AbortSignal.any` if one of the signals is long-lived: Node 20 keeps a little memory in that signal for each signal
 * that `AbortSignal.any` makes from it.
 */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const any = new AbortController();
  // Many callers may listen to one signal at the same time, so keep Node from warning of a leak.
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
