import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import {
  type ColumnMapping,
  idTypeProblem,
  isPassExport,
  passOfLine,
  passOfRow,
  type Passwright,
  type RowTemplate,
} from '@passwright/client';
import { parse } from 'yaml';
import type { Context } from '../../context.js';
import { exitCodes, WrongUsage } from '../../failures.js';
import { count, counted, countedPasses, duration } from '../../number-format.js';
import { dryRun } from './dry-run.js';
import { type ImportFiles, importFiles } from './import-files.js';
import { withImportLock } from './result-lock.js';
import { ImportRun } from './import-run.js';
import { type ImportPlan, type ImportProgress, type ImportState, importState, noProgress } from './import-state.js';
import { checkedMapping, completeMapping } from '../rows/mapping.js';
import { Backoff } from './backoff.js';
import { passTemplate } from '../rows/pass-template.js';
import { Progress } from '../rows/progress.js';
import { ResultFile } from './result-file.js';
import { rowId } from './row-ids.js';
import { type Prepared, RowSender } from './row-sender.js';
import { type Row, rowsOf, type TableFile, tableFile, type TableFormat } from '../rows/table-file.js';

/** The options of `passes import`. */
export interface ImportOptions {
  readonly template: string;
  readonly map?: ColumnMapping;
  readonly mapping?: string;
  readonly format?: TableFormat;
  readonly results?: string;
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly maxErrors?: number;
}

/** Runs `passwright passes import`: creates a pass for each row of a table. */
export async function importPasses(context: Context, path: string, options: ImportOptions): Promise<void> {
  context.io.mustFinish = !options.dryRun;
  const table = await tableFile(resolve(context.io.cwd, path), options.format);
  const client = await context.client();
  const template = await passTemplate(client, options.template, context.io.signal);
  const mapping = await mappingOf(context, table, template, options);
  if (options.dryRun) return dryRun(context, { table, template, mapping });
  const paths = importFiles(table, options.results && resolve(context.io.cwd, options.results));
  const plan: ImportPlan = {
    service: (await context.connection()).url,
    template: options.template,
    file: { sizeBytes: table.sizeBytes, hash: table.hash, format: table.format },
    mapping,
    results: basename(paths.results),
  };
  const job = { client, template, table, paths, maxErrors: options.maxErrors ?? Infinity };
  await withImportLock(paths.results, async () => {
    const state = await importState(paths, plan, options.restart === true);
    if (state.progress.done) return report(context, state.progress, paths.results, 'This table was imported before: ');
    await run(context, job, state);
  });
}

interface Job {
  readonly client: Passwright;
  readonly template: RowTemplate;
  readonly table: TableFile;
  readonly paths: ImportFiles;
  readonly maxErrors: number;
}

async function run(context: Context, { client, template, table, paths, maxErrors }: Job, begun: ImportState) {
  const { io } = context;
  const { results, state } = await resultsOf(context, begun, table, paths.results);
  const { plan, progress: before } = state;
  if (before.rows > 0) context.output.note(`Continuing after row ${count(before.rows)}.`);
  const progress = new Progress(context, before.rows);
  let last = { rows: before.rows, share: 0 };
  const backoff = new Backoff(io.signal, (waited) => progress.update(last.rows, last.share, waited));
  const importing = new ImportRun(state, {
    statePath: paths.state,
    results,
    sender: new RowSender(client, plan.template, backoff, io.signal),
    prepare: preparing(state, plan.mapping, template, isPassExport(table.columns)),
    progress: ({ rows }, endByte) => {
      last = { rows, share: Math.min(1, endByte / Math.max(1, table.sizeBytes)) };
      progress.update(last.rows, last.share);
    },
    signal: io.signal,
    maxErrors,
  });
  let took = { seconds: 0, perSecond: 0 };
  const done = await importing.run(rowsOf(table)).finally(async () => {
    took = progress.end(last.rows);
    await results.close();
  });
  const speed = `In ${duration(took.seconds)} (${count(Math.round(took.perSecond))}/s): `;
  report(context, done, paths.results, speed);
}

/**
 * Opens the result file. If it lacks rows, starts a new file and sends all rows again, because the service then returns
 * the links of existing passes.
 */
async function resultsOf({ output }: Context, state: ImportState, table: TableFile, path: string) {
  const stored = await ResultFile.open(path, table, state.progress.resultBytes);
  if (stored) return { results: stored, state };
  output.note(`${basename(path)} was changed or is incomplete, so the import writes it again.`);
  const results = await ResultFile.open(path, table, 0);
  if (!results) throw new Error(`${path} cannot be created`);
  return { results, state: { ...state, progress: noProgress } };
}

async function mappingOf(
  { io, output }: Context,
  table: TableFile,
  template: RowTemplate,
  { map = {}, mapping: file }: ImportOptions,
): Promise<ColumnMapping> {
  const ofFile = file ? checkedMapping(await readMapping(resolve(io.cwd, file)), file) : {};
  const given = { ...ofFile, ...map };
  // A line of NDJSON is a complete pass, unless there is a mapping.
  if (!table.columns) return given;
  const mapping = completeMapping(given, table.columns, template);
  const unused = table.columns.filter((column) => !Object.values(mapping).includes(column));
  if (unused.length > 0) {
    output.note(
      `Not used: ${unused.map((column) => `"${column}"`).join(', ')}. To use a column: --map <part>=<column>.`,
    );
  }
  return mapping;
}

async function readMapping(path: string): Promise<unknown> {
  try {
    return parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new WrongUsage(`The mapping ${path} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** Converts rows to passes with ids: the id of the row, or else a derived one that is the same in every attempt. */
export function preparing(
  { key }: Pick<ImportState, 'key'>,
  mapping: ColumnMapping,
  template: RowTemplate,
  isExact = false,
): (row: Row) => Prepared {
  const secret = Buffer.from(key, 'base64');
  return (row) => {
    if (row.problem) return { row, problem: row.problem };
    const isPass = Object.keys(mapping).length === 0;
    const pass = isPass ? passOfLine(row.cells) : passOfRow(mapping, row.cells, template, isExact);
    const problem = idTypeProblem(pass.id);
    if (problem !== null) return { row, problem };
    if (pass.id) return { row, pass: { ...pass, id: pass.id } };
    return { row, pass: { ...pass, id: rowId(secret, row.number) }, isIdOurs: true };
  };
}

/** Prints the summary: the counts of created, existing and failed rows, and the reasons of failures. */
function report(context: Context, progress: ImportProgress, results: string, begin: string): void {
  const { output } = context;
  const { created, existing, failed, failures, rows } = progress;
  if (failed > 0) context.exitCode = exitCodes.failed;
  output.result({ rows, created, existing, failed, failures, results });
  const parts = [`${countedPasses(created)} created`];
  if (existing > 0) parts.push(`${count(existing)} existed before (or have an id that occurs twice)`);
  if (failed > 0) parts.push(`${counted(failed, 'row')} failed`);
  output.line(`${begin}${parts.join(', ')}.`);
  for (const [code, { count: many, first }] of Object.entries(failures)) {
    output.line(`  ${code}: ${counted(many, 'row')}`);
    for (const { row, message } of first) output.line(`    row ${row}: ${message}`);
  }
  output.line(`Links: ${results}`);
  if (failed > 0) output.line('Correct the failed rows in a separate file, and import that file.');
}
