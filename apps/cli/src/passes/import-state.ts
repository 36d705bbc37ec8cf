import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Failure } from '../failures.js';
import type { ImportFiles } from './import-files.js';
import type { Mapping } from './mapping.js';
import type { TableFile } from './table-file.js';

/** What an import is of: the same again goes on with it, anything else is another import. */
export interface ImportPlan {
  readonly service: string;
  readonly template: string;
  readonly file: Pick<TableFile, 'sizeBytes' | 'hash' | 'format'>;
  readonly mapping: Mapping;
  /** Beside the state. */
  readonly results: string;
}

/** How far it has come, as it was last written down: whatever was done since is done again, to no effect. */
export interface ImportProgress {
  /** Rows that stand in the result file, failed ones included. */
  readonly rows: number;
  readonly resultBytes: number;
  readonly created: number;
  /** Of passes that were there before. */
  readonly existing: number;
  readonly failed: number;
  readonly failures: Readonly<Record<string, Failures>>;
  readonly done: boolean;
  /** Rows are under way, or were when it stopped: more may have been made than is counted here. */
  readonly open: boolean;
}

/** Rows that failed for one reason: how many, and the first of them. */
export interface Failures {
  readonly count: number;
  readonly first: readonly { readonly row: number; readonly message: string }[];
}

/** An import as it is kept beside its table. Whoever has the key knows the ids of all its passes. */
export interface ImportState {
  readonly version: 1;
  /** 16 random bytes, base64: ids are made from it, so it never changes. */
  readonly key: string;
  readonly plan: ImportPlan;
  readonly progress: ImportProgress;
}

/** Before the first row. */
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
 * The import that `files` are of, begun or gone on with; it is on the disk when this resolves. What version 0.1 has left
 * under its own names is taken over.
 * @param restart forgets an earlier one: its passes stay, and are made again
 * @throws Failure when an earlier one is of another file, template, service or mapping
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

/** What there is of version 0.1, under the names of now; null where there is none, or of another table of that bare name. */
async function olderState({ older, state, results }: ImportFiles, plan: ImportPlan): Promise<ImportState | null> {
  const known = await readState(older.state);
  if (known?.plan.file.format !== plan.file.format) return null;
  const hasName = known.plan.results === basename(older.results);
  // Refused, it would be deleted for this table's sake, and with it the key of the other's passes.
  if (known.plan.file.hash !== plan.file.hash && !(older.own && hasName)) return null;
  const renamed = { ...known, plan: { ...known.plan, ...(hasName && { results: plan.results }) } };
  if (!isSame(older.state, renamed, plan)) return null;
  // Where it is missing, the run begins it anew.
  if (older.results !== results) await rename(older.results, results).catch(() => undefined);
  await saveState(state, renamed);
  await rm(older.state);
  return renamed;
}

/** @returns false for another import of which nothing was made: there is nothing to go on with. @throws Failure otherwise */
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
  const inOrder = (mapping: Mapping) => JSON.stringify(Object.entries(mapping).sort());
  if (inOrder(before.mapping) !== inOrder(now.mapping)) return 'the mapping was another one';
  return before.results === now.results ? null : `the result file was ${before.results}`;
}

function differs(path: string, { progress, plan }: ImportState, changed: string): Failure {
  const done = progress.done
    ? 'was imported before'
    : `was imported up to row ${progress.rows}${progress.open ? ' or further' : ''}`;
  return new Failure(
    `This table ${done}, and now ${changed.startsWith('the table') ? changed : `something differs: ${changed}`}.`,
    `To go on with that import, give everything as it was (template ${plan.template}). ` +
      `For further rows, put them into a file of their own.\n` +
      `To make new passes of all rows, forget that import: --restart (or delete ${path}).`,
    'import_differs',
  );
}

/** Null when there is none. @throws Failure for a damaged one: without its key, passes could be made twice */
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
    // Told below.
  }
  throw new Failure(
    `${path} is not the state of an import.`,
    'Move it away, or begin anew with --restart: passes of an interrupted import are then made again.',
    'state_unreadable',
  );
}

/** Whole, old or new, whenever the process or the machine stops. */
export async function saveState(path: string, state: ImportState): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
      await file.sync();
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
  // Windows has no way to; there the rename is enough.
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
