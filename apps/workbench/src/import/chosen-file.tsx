import type { ColumnMapping } from '@passwright/client';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { TableFile } from '../model/table/table-file.js';
import { announce } from '../ui/announcer.js';
import { Failure } from '../ui/parts.js';
import type { ImportKind } from './import-kind.js';
import { ImportOutcome, Rejected } from './import-outcome.js';
import { MappingTable } from './mapping-table.js';
import { useImport, type Work } from './use-import.js';

interface ChosenProps<Line> {
  readonly table: TableFile;
  readonly kind: ImportKind<Line>;
  readonly sample?: ((line: Line) => ComponentChildren) | undefined;
  readonly onAnother: () => void;
  readonly onDone: () => void;
}

const number = new Intl.NumberFormat();

/** A chosen file: the use of its columns, its check and its import. */
export function ChosenFile<Line>({ table, kind, sample, onAnother, onDone }: ChosenProps<Line>) {
  const [mapping, setMapping] = useState<ColumnMapping | null>(() => table.columns && kind.match(table.columns));
  const { work, task, check, send, stop, clear } = useImport(kind, table, mapping);
  const missing = mapping ? kind.required.filter(([part]) => mapping[part] === undefined) : [];
  const isBegun = work !== null && !work.isCheck;
  const first = useMemo(() => table.first[0] && kind.lineOf(mapping, table.first[0]), [table, kind, mapping]);
  const end = () => {
    announce('The import has ended.');
    onDone();
  };
  return (
    <>
      <div class="heading">
        <div>
          <h2>{table.file.name}</h2>
          <p class="muted">{rowsInWords(table.rows)}</p>
        </div>
        <button type="button" disabled={task.isRunning} onClick={onAnother}>
          Choose another file
        </button>
      </div>
      <div class={isBegun || !sample ? 'stack' : 'two'}>
        <div class="stack">
          {!isBegun && (
            <MappingTable
              {...{ table, kind, mapping }}
              onChange={(next) => {
                setMapping(next);
                clear();
              }}
            />
          )}
          {missing.map(([part, label]) => (
            <p key={part} class="notice waiting">
              No column becomes “{label}”, which every {kind.one} has.
            </p>
          ))}
          {work && <Progress work={work} rows={table.rows} kind={kind} isRunning={task.isRunning} />}
          <Failure error={task.error} />
          <Steps
            {...{ work, rows: table.rows, isReady: missing.length === 0, isRunning: task.isRunning, stop }}
            check={kind.problems && check}
            send={() => send(end)}
          />
        </div>
        {!isBegun && first !== undefined && sample?.(first)}
      </div>
    </>
  );
}

interface StepsProps {
  readonly work: (Pick<Work<unknown>, 'isCheck'> & { run: { isDone: boolean } }) | null;
  readonly rows: number;
  readonly isReady: boolean;
  readonly isRunning: boolean;
  readonly send: () => void;
  /** Null if the rows cannot be checked without a request. */
  readonly check: (() => void) | null;
  readonly stop: () => void;
}

/** The buttons for the next step of a chosen file. */
function Steps({ work, rows, isReady, isRunning, send, check, stop }: StepsProps) {
  const isBegun = work !== null && !work.isCheck;
  if (isBegun && work.run.isDone) return null;
  if (isRunning) {
    return (
      <div class="actions">
        <button type="button" onClick={stop}>
          Stop
        </button>
      </div>
    );
  }
  return (
    <div class="actions">
      <button type="button" class="primary" disabled={!isReady} onClick={send}>
        {isBegun ? 'Continue' : `Import ${rowsInWords(rows)}`}
      </button>
      {!isBegun && check && (
        <button type="button" disabled={!isReady} onClick={check}>
          Check without importing
        </button>
      )}
    </div>
  );
}

interface ProgressProps<Line> {
  readonly work: Work<Line>;
  readonly rows: number;
  readonly kind: ImportKind<Line>;
  readonly isRunning: boolean;
}

function Progress<Line>({ work: { isCheck, run, counts }, rows, kind, isRunning }: ProgressProps<Line>) {
  const rest = counts.rejected > 0 ? ` The service rejected ${rowsInWords(counts.rejected)}.` : '';
  const done = `${number.format(counts.rows)} of ${rowsInWords(rows)}`;
  return (
    <>
      <div class="import-progress">
        <progress value={counts.rows} max={rows} aria-label={isCheck ? 'Checked rows' : 'Imported rows'} />
        <span class="muted small">{done}</span>
      </div>
      {!isRunning && isCheck && (
        <p class={`notice ${counts.rejected > 0 ? 'waiting' : 'good'}`} role="status">
          {counts.rejected > 0
            ? `The service would reject ${rowsInWords(counts.rejected)}. Nothing was sent.`
            : `No problem found in ${done}. Nothing was sent.`}
        </p>
      )}
      {!isRunning && !isCheck && (
        <p class={`notice ${run.isDone && counts.rejected === 0 ? 'good' : 'waiting'}`} role="status">
          {run.isDone ? `The import is complete.${rest}` : `The import has stopped after ${done}.`}
        </p>
      )}
      {isCheck && counts.rejected > 0 && !isRunning && <Rejected rows={run.rejected} />}
      {!isCheck && <ImportOutcome run={run} counts={counts} kind={kind} />}
    </>
  );
}

const rowsInWords = (count: number) => `${number.format(count)} ${count === 1 ? 'row' : 'rows'}`;
