import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type TableFile, tableOf } from '../model/table/table-file.js';
import { FileDrop } from '../ui/file-drop.js';
import { Failure, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { useTask } from '../ui/use-task.js';
import { ChosenFile } from './chosen-file.js';
import type { ImportKind } from './import-kind.js';

interface PanelProps<Line> {
  /** Identifies what the rows become, such as the passes of a template. */
  readonly id: string;
  /** Called for each file. Returns the kind of import for the file. */
  readonly newKind: () => ImportKind<Line>;
  /** Draws a preview of the first line of a file. */
  readonly sample?: (line: Line) => ComponentChildren;
  /** Called whenever rows have been imported. */
  readonly onDone: () => void;
}

/** Imports passes or members from a file that a person chooses or drops. */
export function ImportPanel<Line>({ id, newKind, sample, onDone }: PanelProps<Line>) {
  const [chosen, setChosen] = useState<{ table: TableFile; kind: ImportKind<Line> } | null>(null);
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const access = useLoad(`import ${id}`, (signal) => mayImport(newKind(), signal));
  const task = useTask();
  const { many } = newKind();
  const read = (file: File) =>
    task.run(async () => setChosen({ table: await tableOf(file, ending.current.signal), kind: newKind() }));
  return (
    <section class="panel stack" aria-label={`Import ${many}`}>
      {access.error !== null && (
        <>
          <h2>You cannot import {many} here</h2>
          <Failure error={access.error} onRetry={access.reload} />
        </>
      )}
      {access.isLoading && <Loading rows={2} />}
      {access.data && !chosen && (
        <FileDrop
          title={`Import ${many} from a file`}
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
          task={task}
          onFile={read}
        >
          Drop a CSV here, whose first line names the columns, or an NDJSON file with one object per line. Both are
          UTF-8. You see how the columns are used before anything is sent.
        </FileDrop>
      )}
      {chosen && (
        <ChosenFile
          key={chosen.table.file}
          {...chosen}
          sample={sample}
          onAnother={() => setChosen(null)}
          onDone={onDone}
        />
      )}
    </section>
  );
}

/**
 * Asks the service with a line that it always rejects.
 * @throws PasswrightError if the caller is not allowed to import at all
 */
async function mayImport<Line>(kind: ImportKind<Line>, signal: AbortSignal): Promise<true> {
  for await (const { error } of kind.send([kind.invalid], signal))
    if (!error) throw new Error('A line without content was accepted.');
  return true;
}
