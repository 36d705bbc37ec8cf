import { useState } from 'preact/hooks';

/** The state of the work of a button or a form. */
export interface Task {
  readonly isRunning: boolean;
  readonly error: unknown;
  /** Runs work, unless it is already running. */
  readonly run: (work: () => Promise<void>) => void;
  readonly clear: () => void;
}

/** Runs the work of a button or a form, and keeps its error. */
export function useTask(): Task {
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({ isRunning: false, error: null });
  return {
    ...state,
    run: (work) => {
      if (state.isRunning) return;
      setState({ isRunning: true, error: null });
      work().then(
        () => setState({ isRunning: false, error: null }),
        (error: unknown) => setState({ isRunning: false, error }),
      );
    },
    clear: () => setState({ isRunning: false, error: null }),
  };
}
