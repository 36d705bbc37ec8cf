import { readFileSync } from 'node:fs';
import { type Row, rowsOf } from '../rows/table-file.js';
import { temporaryTables } from '../rows/tables.fixtures.js';
import { ResultFile } from './result-file.js';
import { ImportRun } from './import-run.js';
import type { Prepared, SentRow } from './row-sender.js';
import { type ImportPlan, type ImportState, noProgress } from './import-state.js';

const { pathOf, table } = temporaryTables();

const runPlan = {
  service: 's',
  template: 't',
  file: { sizeBytes: 1, hash: 'a', format: 'csv' },
  mapping: {},
  results: 'r',
};
const state: ImportState = { version: 1, key: 'k', plan: runPlan as ImportPlan, progress: noProgress };

async function runOf(rowCount: number, send: (rows: readonly Prepared[]) => Promise<SentRow[]>, maxErrors = Infinity) {
  const file = await table(`n\n${Array.from({ length: rowCount }, (_, i) => `${i + 1}\n`).join('')}`);
  const results = (await ResultFile.open(pathOf('out.csv'), file, 0))!;
  const prepare = (row: Row) => ({ row, pass: { id: `i${row.number}` } });
  const parts = {
    statePath: pathOf('state.json'),
    results,
    sender: { send },
    prepare,
    progress: () => undefined,
    signal: new AbortController().signal,
    maxErrors,
  };
  const outcome = await new ImportRun(state, parts).run(rowsOf(file)).catch((error: Error) => error);
  await results.close();
  const saved = JSON.parse(readFileSync(parts.statePath, 'utf8')) as ImportState;
  return { outcome, saved: saved.progress, lines: readFileSync(pathOf('out.csv'), 'utf8').split('\n') };
}
const messageOf = (outcome: unknown) => (outcome as Error).message;
const done = ({ row }: Prepared): SentRow => ({ row, id: `i${row.number}` });

it('a run writes rows in order even if later requests end first, and counts the failures by reason', async () => {
  let turn = 0;
  const { outcome, lines } = await runOf(2500, async (rows) => {
    // The first request gets its response last.
    for (let waits = 8 - turn++ * 3; waits > 0; waits--) await new Promise(setImmediate);
    return rows.map((one) =>
      one.row.number % 1000 === 0 ? { row: one.row, code: 'pass_exists', error: 'pass_exists: there' } : done(one),
    );
  });
  expect(lines.slice(1, -1).map((text) => Number(text.split(',')[0]))).toEqual(
    Array.from({ length: 2500 }, (_, i) => i + 1),
  );
  expect(outcome).toMatchObject({ rows: 2500, created: 2498, failed: 2, done: true });
  expect(outcome).toMatchObject({
    failures: { pass_exists: { count: 2, first: [{ row: 1000, message: 'there' }, {}] } },
  });
});

it('a run stops if a row exceeds a limit, if too many rows fail, or if all rows fail', async () => {
  const limited = await runOf(10, (rows) =>
    Promise.resolve(
      rows.map((one) =>
        one.row.number > 4 ? { row: one.row, code: 'limit_exceeded', error: 'limit_exceeded: full' } : done(one),
      ),
    ),
  );
  expect(limited).toMatchObject({ saved: { rows: 4, created: 4, done: false } });
  expect(messageOf(limited.outcome)).toContain('full (at row 5)');
  const failing = (rows: readonly Prepared[]) =>
    Promise.resolve(rows.map(({ row }) => ({ row, code: 'validation_failed', error: 'validation_failed: no' })));
  expect(messageOf((await runOf(10, failing, 3)).outcome)).toContain('More than 3 rows failed');
  expect(messageOf((await runOf(300, failing)).outcome)).toContain('have all failed: no');
});

it('a run records its rows as open on disk before it sends the first one', async () => {
  const open: boolean[] = [];
  const seen = () => (JSON.parse(readFileSync(pathOf('state.json'), 'utf8')) as ImportState).progress.open === true;
  const failing = (rows: readonly Prepared[]) => {
    open.push(seen());
    return Promise.resolve(rows.map(({ row }) => ({ row, code: 'validation_failed', error: 'validation_failed: no' })));
  };
  const { saved } = await runOf(2500, failing);
  expect(open).toEqual([true, true, true]);
  expect([saved.open, saved.rows]).toEqual([false, 2500]);
  const gone = await runOf(1500, (rows) =>
    rows[0]?.row.number === 1 ? Promise.reject(new Error('gone')) : Promise.resolve(rows.map(done)),
  );
  expect(gone.saved).toMatchObject({ rows: 0, open: true });
});
