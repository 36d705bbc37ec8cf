import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { csvLine, type ItemOf, jsonParts, type ResponseOf, type RowTemplate } from '@passwright/client';
import type { Context } from '../../context.js';
import { Failure, Interrupted, WrongUsage } from '../../failures.js';
import { countedPasses } from '../../number-format.js';
import { REDEEMED_AGAIN } from '../rows/mapping.js';
import { passTemplate } from '../rows/pass-template.js';
import { Progress } from '../rows/progress.js';
import type { TableFormat } from '../rows/table-file.js';

/** The options of `passes export`. */
export interface ExportOptions {
  readonly template: string;
  readonly format?: TableFormat;
  /** A file, or `-`. */
  readonly out: string;
  readonly voided?: boolean;
  readonly updatedSince?: string;
  readonly expiresBefore?: string;
}

type Listed = ItemOf<'listPasses'>;
type Side = 'fields' | 'backFields';
const sides: readonly Side[] = ['fields', 'backFields'];

const own = [
  'id',
  'code',
  'primaryValue',
  'validFrom',
  'expiry',
  'voided',
  'redeemedAt',
  'createdAt',
  'updatedAt',
] as const;
const related = ['language', 'group', 'group.order'] as const;
const links = ['walletAUrl', 'walletBUrl', 'webUrl'] as const;

/** Runs `passwright passes export`: writes the passes of a template as a table, page by page. */
export async function exportPasses(context: Context, options: ExportOptions): Promise<void> {
  const format = formatOf(options, context.options.json === true);
  const client = await context.client();
  const { template: templateId, voided, updatedSince, expiresBefore } = options;
  const template = await passTemplate(client, templateId, context.io.signal);
  const { fields = [], backFields = [] } = template;
  const isFile = options.out !== '-';
  const path = resolve(context.io.cwd, options.out);
  const draft = `${path}.${process.pid}.tmp`;
  const out = isFile ? createWriteStream(draft, { flags: 'wx', mode: 0o600 }) : context.io.stdout;
  const filters = {
    ...(voided !== undefined && { voided }),
    ...(updatedSince && { updatedSince }),
    ...(expiresBefore && { expiresBefore }),
  };
  const pages = client.pages('listPasses', { templateId, ...filters, signal: context.io.signal });
  try {
    if (isFile) await opened(out, path);
    const { exported, redeemed } = await writePages(context, pages, { out, format, template: { fields, backFields } });
    if (isFile) {
      out.end();
      await once(out, 'close');
      await rename(draft, path);
      context.output.result({ passes: exported, file: path });
      context.output.line(`${countedPasses(exported)} exported to ${path}`);
    }
    for (const note of lostIn(template, redeemed)) context.output.note(note);
  } catch (error) {
    if (isFile) {
      out.destroy();
      await rm(draft, { force: true });
    }
    if (!context.io.signal.aborted) throw error;
    throw new Interrupted(isFile ? 'Stopped; nothing was exported.' : 'Stopped; the export is incomplete.');
  }
}

/**
 * Returns the format of the table.
 * @throws WrongUsage if `--json` asks for JSON on standard output, but `--format` asks for CSV
 */
function formatOf({ format, out }: ExportOptions, isJson: boolean): TableFormat {
  const isOnOutput = out === '-';
  if (isJson && isOnOutput && format === 'csv') {
    throw new WrongUsage(
      '--json prints only JSON on standard output, so a CSV needs a file.',
      'Add --out passes.csv, or omit --json.',
    );
  }
  if (format) return format;
  return (isOnOutput ? isJson : /\.(nd)?jsonl?$/i.test(out)) ? 'ndjson' : 'csv';
}

/** Returns a note for each part of the passes that an import of this export would not restore. */
function lostIn({ type }: RowTemplate, redeemed: number): string[] {
  return [
    ...(type === 'generic'
      ? ["Not included: passes' own thumbnails; after an import, passes show the template's thumbnail."]
      : []),
    ...(redeemed > 0 ? [`Redeemed: ${countedPasses(redeemed)}; ${REDEEMED_AGAIN}`] : []),
  ];
}

async function opened(out: Writable, path: string): Promise<void> {
  await once(out, 'open').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be written (${error.code ?? error.message}).`, undefined, 'file_unwritable');
  });
}

interface Target {
  readonly out: Writable;
  readonly format: TableFormat;
  readonly template: Record<Side, readonly { readonly key: string; readonly label: string }[]>;
}

async function writePages(
  context: Context,
  pages: AsyncIterable<Awaited<ResponseOf<'listPasses'>>>,
  { out, format, template }: Target,
): Promise<{ exported: number; redeemed: number }> {
  const progress = new Progress(context);
  let columns: Columns | null = null;
  let [exported, redeemed] = [0, 0];
  try {
    for await (const { data } of pages) {
      if (format === 'ndjson') await write(out, data.map((pass) => `${JSON.stringify(pass)}\n`).join(''));
      else {
        if (!columns) await write(out, csvLine((columns = new Columns(template, data)).names));
        await write(out, data.map((pass) => csvLine((columns as Columns).cellsOf(pass))).join(''));
      }
      exported += data.length;
      redeemed += data.filter(({ redeemedAt }) => redeemedAt).length;
      progress.update(exported, null);
    }
  } finally {
    progress.end(exported);
  }
  return { exported, redeemed };
}

/**
 * The columns of a CSV. Each field of the template has a column, and so has each additional field of the first passes.
 * All other parts are in columns with JSON.
 */
export class Columns {
  readonly names: readonly string[];
  private readonly keys: Record<Side, ReadonlySet<string>>;

  constructor(
    private readonly template: Target['template'],
    first: readonly Listed[],
  ) {
    const keysOf = (side: Side) => new Set([template, ...first].flatMap((one) => one[side].map(({ key }) => key)));
    this.keys = { fields: keysOf('fields'), backFields: keysOf('backFields') };
    const fields = sides.flatMap((side) => [...this.keys[side]].map((key) => `${side}.${key}`));
    this.names = [...own, ...fields, 'metadata', ...links, ...related, ...jsonParts];
  }

  cellsOf(pass: Listed): string[] {
    const values = sides.flatMap((side) => {
      const byKey = new Map(pass[side].map(({ key, value }) => [key, value]));
      return [...this.keys[side]].map((key) => byKey.get(key) ?? '');
    });
    return [
      ...own.map((name) => String(pass[name] ?? '')),
      ...[...values, jsonOf(pass.metadata)],
      ...links.map((name) => pass[name]),
      ...[pass.language ?? '', pass.group?.id ?? '', String(pass.group?.order ?? '')],
      ...sides.map((side) => (this.isExpressed(side, pass) ? '' : JSON.stringify(pass[side]))),
      ...[jsonOf(pass.locations), jsonOf(pass.translations)],
      // Keep an empty list, which hides the actions of the template.
      pass.actions ? JSON.stringify(pass.actions) : '',
      jsonOf(pass.linkedPasses),
    ];
  }

  /** Returns true if an import can restore the fields from their own columns and the labels of the template. */
  private isExpressed(side: Side, pass: Listed): boolean {
    const labels = new Map(this.template[side].map(({ key, label }) => [key, label]));
    const imported = [...this.keys[side]].flatMap((key) => {
      const value = pass[side].find((field) => field.key === key)?.value ?? '';
      return value === '' ? [] : [{ key, label: labels.get(key) ?? `${side}.${key}`, value }];
    });
    return isDeepStrictEqual(imported, pass[side]);
  }
}

/** Returns a part of a pass as JSON, or an empty text if the part is empty. */
function jsonOf(value: object | null | undefined): string {
  return Object.keys(value ?? {}).length > 0 ? JSON.stringify(value) : '';
}

/** Writes text, and waits if the reader is slower. */
async function write(out: Writable, text: string): Promise<void> {
  if (text === '' || out.write(text)) return;
  await once(out, 'drain');
}
