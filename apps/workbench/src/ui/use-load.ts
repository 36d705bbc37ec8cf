import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** The state of data from the API. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Reads the data again. The page shows the previous data meanwhile. */
  readonly reload: () => void;
  /** Replaces the data with the result of a write. */
  readonly replace: (data: T) => void;
}

interface State<T> {
  readonly key: string;
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** Reads data when a component first needs it, and again when the key changes. */
export function useLoad<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ key, data: null, error: null, isLoading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const ending = new AbortController();
    setState((former) => ({ key, data: former.key === key ? former.data : null, error: null, isLoading: true }));
    latest.current(ending.signal).then(
      (data) => ending.signal.aborted || setState({ key, data, error: null, isLoading: false }),
      (error: unknown) => ending.signal.aborted || setState({ key, data: null, error, isLoading: false }),
    );
    return () => ending.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const replace = useCallback((data: T) => setState({ key, data, error: null, isLoading: false }), [key]);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : null,
    error: isCurrent ? state.error : null,
    isLoading: !isCurrent || state.isLoading,
    reload,
    replace,
  };
}
