import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { ResponseOf, ItemOf } from '@passwright/client';
import type { Context } from '../context.js';
import { Failure, Interrupted } from '../failures.js';
import { countedPasses } from '../numbers.js';
import { mappedTemplate } from './mapping.js';
import { Progress } from './progress.js';
import { line } from './result-file.js';
import type { TableFormat } from './table-file.js';

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
/** Columns that an import uses if they are mapped. */
const mapped = ['language', 'group', 'group.order'] as const;
/** Parts of a pass that have no column. */
const unlisted = ['translations', 'actions', 'linkedPasses'] as const;
const links = ['walletAUrl', 'walletBUrl', 'webUrl'] as const;

/** Runs `passwright passes export`: writes the passes of a template as a table, page by page. */
export async function exportPasses(context: Context, options: ExportOptions): Promise<void> {
  const client = await context.client();
  const { template: templateId, voided, updatedSince, expiresBefore } = options;
  const template = mappedTemplate(await client.getTemplate({ templateId, signal: context.io.signal }));
  const isFile = options.out !== '-';
  const path = resolve(context.io.cwd, options.out);
  const format = options.format ?? (/\.(nd)?jsonl?$/i.test(options.out) ? 'ndjson' : 'csv');
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
    const exported = await writePages(context, pages, { out, format, template });
    if (isFile) {
      out.end();
      await once(out, 'close');
      await rename(draft, path);
      context.output.result({ passes: exported, file: path });
      context.output.line(`${countedPasses(exported)} exported to ${path}`);
    }
  } catch (error) {
    if (isFile) {
      out.destroy();
      await rm(draft, { force: true });
    }
    throw context.io.signal.aborted ? new Interrupted('Stopped; nothing is exported.') : error;
  }
}

async function opened(out: Writable, path: string): Promise<void> {
  await once(out, 'open').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be written (${error.code ?? error.message}).`, undefined, 'file_unwritable');
  });
}

interface Target {
  readonly out: Writable;
  readonly format: TableFormat;
  readonly template: Record<Side, readonly { readonly key: string }[]>;
}

async function writePages(
  context: Context,
  pages: AsyncIterable<Awaited<ResponseOf<'listPasses'>>>,
  { out, format, template }: Target,
): Promise<number> {
  const progress = new Progress(context.io.stderr);
  let columns: Columns | null = null;
  let exported = 0;
  try {
    for await (const { data } of pages) {
      if (format === 'ndjson') await write(out, data.map((pass) => `${JSON.stringify(pass)}\n`).join(''));
      else {
        if (!columns) await write(out, line((columns = new Columns(template, data)).names));
        await write(out, data.map((pass) => line((columns as Columns).cellsOf(pass))).join(''));
      }
      exported += data.length;
      progress.update(exported, null);
    }
  } finally {
    progress.end(exported);
  }
  const missing = columns?.missing ?? [];
  if (missing.length > 0) {
    context.output.warn(
      `Some passes have parts without a column (${missing.join(', ')}); --format ndjson has them all.`,
    );
  }
  return exported;
}

/** The columns of a CSV: the fields of the template, and additional fields of the first passes. */
export class Columns {
  readonly names: readonly string[];
  private readonly keys: Record<Side, ReadonlySet<string>>;
  private readonly left = new Set<string>();
  private readonly leftParts = new Set<string>();

  constructor(template: Target['template'], first: readonly Listed[]) {
    const keysOf = (side: Side) => new Set([template, ...first].flatMap((one) => one[side].map(({ key }) => key)));
    this.keys = { fields: keysOf('fields'), backFields: keysOf('backFields') };
    const fields = (['fields', 'backFields'] as const).flatMap((side) =>
      [...this.keys[side]].map((key) => `${side}.${key}`),
    );
    this.names = [...own, ...fields, 'metadata', ...links, ...mapped];
  }

  get missing(): string[] {
    return [...this.leftParts, ...this.left].slice(0, 10);
  }

  cellsOf(pass: Listed): string[] {
    const sides = (['fields', 'backFields'] as const).flatMap((side) => {
      const values = new Map(pass[side].map(({ key, value }) => [key, value]));
      for (const key of values.keys())
        if (!this.keys[side].has(key) && this.left.size < 100) this.left.add(`${side}.${key}`);
      return [...this.keys[side]].map((key) => values.get(key) ?? '');
    });
    for (const part of unlisted) if (hasPart(pass, part)) this.leftParts.add(part);
    const metadata = Object.keys(pass.metadata ?? {}).length > 0 ? JSON.stringify(pass.metadata) : '';
    return [
      ...own.map((name) => String(pass[name] ?? '')),
      ...[...sides, metadata],
      ...links.map((name) => pass[name]),
      ...[pass.language ?? '', pass.group?.id ?? '', String(pass.group?.order ?? '')],
    ];
  }
}

/** Returns true if a pass has the part. An empty list of actions hides those of the template. */
function hasPart(pass: Listed, part: (typeof unlisted)[number]): boolean {
  const value = pass[part] ?? null;
  return part === 'actions' ? value !== null : Object.keys(value ?? {}).length > 0;
}

/** Writes no faster than the reader accepts. */
async function write(out: Writable, text: string): Promise<void> {
  if (text === '' || out.write(text)) return;
  await once(out, 'drain');
}
