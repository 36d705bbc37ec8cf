import type { ColumnMapping } from '@passwright/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TableFile } from '../model/table/table-file.js';
import { useTask } from '../ui/use-task.js';
import type { ImportKind } from './import-kind.js';
import { type Counts, ImportRun } from './import-run.js';

const DRAWN_EVERY_MS = 100;

/** A check or an import of a file, with its progress. */
export interface Work<Line> {
  readonly isCheck: boolean;
  readonly run: ImportRun<Line>;
  readonly counts: Counts;
}

/** Checks and imports a file, and stops when the screen closes. */
export function useImport<Line>(kind: ImportKind<Line>, table: TableFile, mapping: ColumnMapping | null) {
  const [work, setWork] = useState<Work<Line> | null>(null);
  const ending = useRef<AbortController | null>(null);
  useEffect(() => () => ending.current?.abort(), []);
  const task = useTask();
  const start = (isCheck: boolean, run: ImportRun<Line>, onEnd: () => void) =>
    task.run(async () => {
      const { signal } = (ending.current = new AbortController());
      const show = () => setWork({ isCheck, run, counts: run.counts });
      show();
      const timer = setInterval(show, DRAWN_EVERY_MS);
      try {
        await (isCheck ? run.check(signal) : run.send(signal));
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        clearInterval(timer);
        show();
        onEnd();
      }
    });
  const newRun = () => new ImportRun(kind, table, mapping);
  return {
    work,
    task,
    check: () => start(true, newRun(), () => undefined),
    /** Begins the import, or continues a stopped one. */
    send: (onEnd: () => void) => start(false, work && !work.isCheck ? work.run : newRun(), onEnd),
    stop: () => ending.current?.abort(),
    clear: () => setWork(null),
  };
}
