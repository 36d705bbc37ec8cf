import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ColumnMapping } from '@passwright/client';
import { Failure } from '../../failures.js';
import { flush } from './flush.js';
import type { ImportFiles } from './import-files.js';
import type { TableFile } from '../rows/table-file.js';

/** The identity of an import. A run with the same plan continues it; any other plan is a new import. */
export interface ImportPlan {
  readonly service: string;
  readonly template: string;
  readonly file: Pick<TableFile, 'sizeBytes' | 'hash' | 'format'>;
  readonly mapping: ColumnMapping;
  /** The path of the result file beside the state. */
  readonly results: string;
}

/** The recorded progress of an import. The next run may repeat unrecorded work, but creates no pass twice. */
export interface ImportProgress {
  /** Rows in the result file, including failed ones. */
  readonly rows: number;
  readonly resultBytes: number;
  readonly created: number;
  /** The number of rows whose pass already existed. */
  readonly existing: number;
  readonly failed: number;
  readonly failures: Readonly<Record<string, Failures>>;
  readonly done: boolean;
  /**
   * True while results of sent rows may be missing here. If the run is killed during that time, the service may have
   * more passes than this progress counts.
   */
  readonly open: boolean;
}

/** The number of rows that failed for one reason, and the first few of these rows. */
export interface Failures {
  readonly count: number;
  readonly first: readonly { readonly row: number; readonly message: string }[];
}

/** The state of an import, stored beside its table. Its key determines the ids of all passes of the import. */
export interface ImportState {
  readonly version: 1;
  /** 16 random bytes in base64. The ids of passes are derived from the key, so it never changes. */
  readonly key: string;
  readonly plan: ImportPlan;
  readonly progress: ImportProgress;
}

/** The progress of an import before its first row. */
export const noProgress: ImportProgress = {
  rows: 0,
  resultBytes: 0,
  created: 0,
  existing: 0,
  failed: 0,
  failures: {},
  done: false,
  open: false,
};

/**
 * Loads the state of an import, or creates it and writes it to disk. Renames files of version 0.1.
 * @param restart ignores the state of an earlier import; its passes stay, and the new import creates more
 * @throws Failure if an earlier import used another file, template, service or mapping
 */
export async function importState(files: ImportFiles, plan: ImportPlan, restart: boolean): Promise<ImportState> {
  const known = restart ? null : await readState(files.state);
  if (known && isSame(files.state, known, plan)) return known;
  const older = restart || known ? null : await olderState(files, plan);
  if (older) return older;
  const state: ImportState = { version: 1, key: randomBytes(16).toString('base64'), plan, progress: noProgress };
  await saveState(files.state, state);
  return state;
}

/**
 * Renames the files of version 0.1 to their current names. Returns null if there are none, or if they belong to another
 * import.
 */
async function olderState({ older, state, results }: ImportFiles, plan: ImportPlan): Promise<ImportState | null> {
  const known = await readState(older.state);
  if (known?.plan.file.format !== plan.file.format) return null;
  const hasName = known.plan.results === basename(older.results);
  // Return null rather than fail, because after an error the user might delete this file. It contains the key of another
  // table's passes.
  if (known.plan.file.hash !== plan.file.hash && !(older.own && hasName)) return null;
  const renamed = { ...known, plan: { ...known.plan, ...(hasName && { results: plan.results }) } };
  if (!isSame(older.state, renamed, plan)) return null;
  // If there is no result file, the run creates one.
  if (older.results !== results) await rename(older.results, results).catch(() => undefined);
  await saveState(state, renamed);
  await rm(older.state);
  return renamed;
}

/**
 * Returns true if the known import has the same plan. Returns false if it has another plan but created nothing, so that
 * a new import may replace it.
 * @throws Failure if it has another plan and created passes
 */
function isSame(path: string, known: ImportState, plan: ImportPlan): boolean {
  const changed = changeOf(known.plan, plan);
  if (!changed) return true;
  const { created, existing, open } = known.progress;
  if (created + existing > 0 || open) throw differs(path, known, changed);
  return false;
}

function changeOf(before: ImportPlan, now: ImportPlan): string | null {
  if (before.service !== now.service) return `the service was ${before.service}`;
  if (before.template !== now.template) return `the template was "${before.template}"`;
  if (before.file.hash !== now.file.hash || before.file.format !== now.file.format) return 'the table has been changed';
  const inOrder = (mapping: ColumnMapping) => JSON.stringify(Object.entries(mapping).sort());
  if (inOrder(before.mapping) !== inOrder(now.mapping)) return 'the mapping was different';
  return before.results === now.results ? null : `the result file was ${before.results}`;
}

function differs(path: string, { progress, plan }: ImportState, changed: string): Failure {
  const done = progress.done
    ? 'was imported before'
    : `was imported up to row ${progress.rows}${progress.open ? ' or further' : ''}`;
  return new Failure(
    `This table ${done}, and now ${changed.startsWith('the table') ? changed : `something differs: ${changed}`}.`,
    `To continue that import, use its earlier settings (template ${plan.template}). ` +
      `To import more rows, put them into a separate file.\n` +
      `To create new passes for all rows, ignore that import: --restart (or delete ${path}).`,
    'import_differs',
  );
}

/**
 * Reads the state; null if there is none.
 * @throws Failure for a damaged file, because a new key would create all passes twice
 */
async function readState(path: string): Promise<ImportState | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const state = JSON.parse(text) as ImportState;
    if (state.version === 1 && Buffer.from(state.key, 'base64').length === 16 && state.plan && state.progress)
      return state;
  } catch {
    // The error below reports this failure.
  }
  throw new Failure(
    `${path} is not the state of an import.`,
    'Move it away, or start again with --restart. The passes of an interrupted import are then created twice.',
    'state_unreadable',
  );
}

/** Saves the state. After a crash, the file has either the old or the new content. */
export async function saveState(path: string, state: ImportState): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
      await flush(file.fd);
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw new Failure(
      `${basename(path)} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'error'}).`,
      `An import keeps its state beside its table, in ${dirname(path)}: it must be writable.`,
      'state_unwritable',
    );
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot flush a folder to disk, so only the file itself is flushed there.
  const folder = await open(path, 'r').catch(() => null);
  if (!folder) return;
  await flush(folder.fd).catch(() => undefined);
  await folder.close();
}
