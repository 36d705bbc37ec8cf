import { useState } from 'preact/hooks';
import { Figure } from '../messages/progress.js';
import { Download } from '../ui/download.js';
import { type Column, Table } from '../ui/table.js';
import type { ImportKind } from './import-kind.js';
import type { Counts, ImportRun, RejectedRow } from './import-run.js';

/** The number of rejected rows that the page shows at first, and that each click on «Show more» adds. */
const ROWS_AT_ONCE = 25;

const columns: readonly Column<RejectedRow>[] = [
  { head: 'Row', isLabelled: true, cell: ({ number }) => number },
  { head: 'Reason', cell: ({ reason }) => reason },
];

interface OutcomeProps {
  readonly run: Pick<ImportRun<unknown>, 'rejected' | 'all' | 'wrong'>;
  readonly counts: Counts;
  readonly kind: Pick<ImportKind, 'many'>;
}

/** The numbers of an import, its rejected rows, and the files with its results. */
export function ImportOutcome({ run, counts, kind }: OutcomeProps) {
  return (
    <>
      <dl class="numbers">
        <Figure label={`New ${kind.many}`} value={counts.created} />
        <Figure label="Already there" value={counts.existing} />
        <Figure label="Rejected" value={counts.rejected} />
      </dl>
      {run.rejected.length > 0 && <Rejected rows={run.rejected} />}
      <div class="actions">
        {run.rejected.length > 0 && <Download label="Download rejected rows" make={() => run.wrong.file('rejected')} />}
        <Download label="Download all rows with links" make={() => run.all.file('results')} />
      </div>
    </>
  );
}

/** The rejected rows of an import or a check: the first ones, and more on request. */
export function Rejected({ rows }: { rows: readonly RejectedRow[] }) {
  const [count, setCount] = useState(ROWS_AT_ONCE);
  return (
    <>
      <h2>Rejected rows</h2>
      <Table rows={rows.slice(0, count)} keyOf={({ number }) => String(number)} columns={columns} />
      {rows.length > count && (
        <p class="more">
          <button type="button" onClick={() => setCount(count + ROWS_AT_ONCE)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}
