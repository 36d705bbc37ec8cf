import {
  type ColumnMapping,
  isPassExport,
  passOfLine,
  passOfRow,
  passProblems,
  type PassRequest,
  type RowTemplate,
} from '@passwright/client';
import type { Context } from '../../context.js';
import { exitCodes } from '../../failures.js';
import { count, counted } from '../../number-format.js';
import { REDEEMED_AGAIN } from '../rows/mapping.js';
import { type Row, rowsOf, type TableFile } from '../rows/table-file.js';

/** A table, and how the import will use it. */
export interface Planned {
  readonly table: TableFile;
  readonly template: RowTemplate;
  readonly mapping: ColumnMapping;
}

const FIRST_REPORTED = 10;

/** Checks every row and shows the pass that the first readable row would create. Sends no request and writes nothing. */
export async function dryRun(context: Context, { table, template, mapping }: Planned): Promise<void> {
  const { output } = context;
  const seen = { id: new Set<string>(), code: new Set<string>() };
  const wrong: { row: number; message: string }[] = [];
  let [rows, failed, redeemed] = [0, 0, 0];
  let first: PassRequest | null = null;
  for await (const row of rowsOf(table)) {
    context.checkInterrupted();
    rows++;
    if (row.cells['redeemedAt']) redeemed++;
    const [pass, problems] = looked(row, { table, mapping, template }, seen);
    if (!row.problem) first ??= pass;
    if (problems.length === 0) continue;
    failed++;
    if (wrong.length < FIRST_REPORTED) wrong.push({ row: row.number, message: problems.join('; ') });
  }
  if (failed > 0) context.exitCode = exitCodes.failed;
  output.result({ rows, failed, redeemed, mapping, first, problems: wrong });
  if (table.columns) {
    output.line('Columns:');
    output.table(
      Object.entries(mapping).map(([target, column]) => [target, '←', column]),
      '  ',
    );
  }
  if (first) {
    output.line(`The first row becomes${first.id ? '' : ' (the import will create its id)'}:`);
    output.line(JSON.stringify(first, null, 2));
  }
  for (const { row, message } of wrong) output.line(`row ${row}: ${message}`);
  if (redeemed > 0) output.line(`Redeemed: ${counted(redeemed, 'row')}; ${REDEEMED_AGAIN}`);
  const rest = failed > wrong.length ? ` The first ${wrong.length} are listed above.` : '';
  output.line(`${counted(rows, 'row')}${validity(rows, failed)}.${rest} Nothing was written.`);
}

function validity(rows: number, failed: number): string {
  if (rows === 0) return '';
  return failed === 0 ? ', all valid' : `, ${count(failed)} of them invalid`;
}

function looked(
  row: Row,
  { table, mapping, template }: Planned,
  seen: Record<'id' | 'code', Set<string>>,
): [PassRequest, string[]] {
  const isPass = Object.keys(mapping).length === 0;
  const isExact = isPassExport(table.columns);
  const made = isPass ? passOfLine(row.cells) : passOfRow(mapping, row.cells, template, isExact);
  if (row.problem) return [made, [row.problem]];
  const problems = passProblems(made, template);
  for (const name of ['id', 'code'] as const) {
    const value = made[name];
    if (typeof value !== 'string') continue;
    if (seen[name].has(value)) problems.push(`${name} "${value}" is also in an earlier row`);
    seen[name].add(value);
  }
  return [made, problems];
}
