import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { type Options, parse } from 'csv-parse';
import { Failure } from '../../failures.js';
import { counted } from '../../number-format.js';

export type TableFormat = 'csv' | 'ndjson';

/** A row of a table. */
export interface Row {
  /** The number of the row, counted from 1 without the header. */
  readonly number: number;
  /** The cells by column, or the unchanged properties of an NDJSON line. */
  readonly cells: Readonly<Record<string, unknown>>;
  /** The byte position at which the row ends in the file. */
  readonly endByte: number;
  /** The reason why the row is unreadable, in which case cells are missing. */
  readonly problem?: string;
}

/** A file with rows. Its size and hash identify its content. */
export interface TableFile {
  readonly path: string;
  readonly format: TableFormat;
  readonly sizeBytes: number;
  /** SHA-256 in hex. */
  readonly hash: string;
  /** The columns of a CSV in order; null for NDJSON. */
  readonly columns: readonly string[] | null;
  readonly separator: string;
}

const MAX_ROW_BYTES = 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
const NOT_UTF8 = 'It is not UTF-8: save the file as "CSV UTF-8"';

/**
 * Inspects a file without loading it completely.
 * @throws Failure if it is unreadable or has no header
 */
export async function tableFile(path: string, format?: TableFormat): Promise<TableFile> {
  if (isStream(path)) throw notAFile(path);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be read (${error.code ?? error.message}).`, undefined, 'file_unreadable');
  });
  if (!found.isFile()) throw notAFile(path);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const known = format ?? (['.ndjson', '.jsonl'].includes(extname(path).toLowerCase()) ? 'ndjson' : 'csv');
  const base = { path, format: known, sizeBytes: found.size, hash: hash.digest('hex') };
  if (known === 'ndjson') return { ...base, columns: null, separator: '' };
  const separator = await separatorOf(path);
  return { ...base, separator, columns: await columnsOf(path, separator) };
}

/** Returns true for the standard input: `-`, or a path such as `/dev/stdin`, beside which no results can be written. */
const isStream = (path: string): boolean =>
  basename(path) === '-' || /^\/(?:dev\/stdin|(?:dev|proc\/(?:self|\d+))\/fd\/\d+)$/.test(path);

const notAFile = (path: string): Failure =>
  new Failure(
    `${isStream(path) ? 'The standard input' : path} is not a file.`,
    'Save the table as a file first: an import that is interrupted reads it again.',
    'file_unreadable',
  );

/** Returns the most frequent separator in the first line: comma, semicolon or tab. */
async function separatorOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/, 1);
    const bare = line.replaceAll(/"[^"]*"/g, '');
    const counts = [',', ';', '\t'].map((mark) => [mark, bare.split(mark).length] as const);
    return counts.reduce((most, next) => (next[1] > most[1] ? next : most))[0];
  } finally {
    await file.close();
  }
}

/**
 * Reads the whole table, so that a broken file is reported before any row is sent.
 * @returns the column names
 */
async function columnsOf(path: string, separator: string): Promise<string[]> {
  const heads: string[][] = [];
  // Return no records, which makes this check twice as fast.
  const keepHead = (cells: string[]) => {
    if (heads.length === 0) heads.push(cells);
    return null;
  };
  for await (const _ of parsedCsv(path, { delimiter: separator, onRecord: keepHead }));
  const [head] = heads;
  if (head) return headOf(path, head);
  throw new Failure(`${path} is empty.`, 'Its first line names the columns.', 'table_unreadable');
}

function headOf(path: string, cells: readonly string[]): string[] {
  const columns = cells.map((cell) => cell.trim());
  if (columns.some((name) => name.includes('\ufffd'))) {
    throw new Failure(`${path} is not UTF-8.`, 'Save the file as "CSV UTF-8".', 'table_unreadable');
  }
  const twice = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index);
  if (twice) {
    throw new Failure(`${path} has two columns "${twice}".`, 'Give each column its own name.', 'table_unreadable');
  }
  // Give each column without a name a unique name.
  return columns.map((name, index) => name || `column ${index + 1}`);
}

/**
 * Yields the rows, a few at a time in memory.
 * @throws Failure at the first unreadable position
 */
export function rowsOf(file: TableFile): AsyncIterable<Row> {
  return file.columns ? csvRows(file, file.columns) : ndjsonRows(file);
}

async function* csvRows({ path, separator }: TableFile, columns: readonly string[]): AsyncGenerator<Row> {
  let number = -1;
  for await (const { cells, endByte } of records(path, separator)) {
    number++;
    if (number === 0) continue;
    const values = Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
    const problem = cells.some((cell) => cell.includes('\ufffd'))
      ? NOT_UTF8
      : cells.length > columns.length
        ? `It has ${counted(cells.length, 'cell')}, but the header has ${columns.length}; a value that contains the separator needs quotes`
        : undefined;
    yield { number, cells: values, endByte, ...(problem && { problem }) };
  }
}

interface CsvRecord {
  readonly cells: string[];
  readonly endByte: number;
}

async function* records(path: string, delimiter: string): AsyncGenerator<CsvRecord> {
  for await (const parsed of parsedCsv(path, { delimiter, info: true })) {
    const { record, info } = parsed as { record: string[]; info: { bytes: number } };
    yield { cells: record, endByte: info.bytes };
  }
}

/**
 * Yields the result of `of` for each record.
 * @throws Failure that names the first line that is unreadable
 */
async function* parsedCsv(path: string, options: Options<string[]>): AsyncGenerator<unknown> {
  const parser = parse({
    ...options,
    bom: true,
    relaxColumnCount: true,
    skipEmptyLines: true,
    skipRecordsWithEmptyValues: true,
    maxRecordSize: MAX_ROW_BYTES,
  });
  const source = createReadStream(path, { highWaterMark: 256 * 1024 });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    yield* parser;
  } catch (error) {
    throw new Failure(
      `${path}: ${(error as Error).message}.`,
      'Correct that line and start again.',
      'table_unreadable',
    );
  } finally {
    source.destroy();
    parser.destroy();
  }
}

async function* ndjsonRows({ path }: TableFile): AsyncGenerator<Row> {
  let number = 0;
  for await (const { text, endByte } of linesOf(path)) {
    if (text.trim() === '') continue;
    yield { number: ++number, endByte, ...parsed(text) };
  }
}

/** Splits a file only at line feeds, because JSON texts may contain other line separators (U+2028). */
async function* linesOf(path: string): AsyncGenerator<{ text: string; endByte: number }> {
  let [line, endByte, rest] = [0, 0, Buffer.alloc(0)];
  const taken = (bytes: Buffer) => {
    line++;
    if (bytes.length <= MAX_ROW_BYTES) return bytes.toString('utf8');
    throw new Failure(`${path}: line ${line} is longer than 1 MiB.`, 'Each line is one pass.', 'table_unreadable');
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const bytes = Buffer.concat([rest, chunk.subarray(from, at)]);
      rest = Buffer.alloc(0);
      from = at + 1;
      endByte += bytes.length + 1;
      yield { text: taken(bytes), endByte };
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > MAX_ROW_BYTES) taken(rest);
  }
  if (rest.length > 0) yield { text: taken(rest), endByte: endByte + rest.length };
}

function parsed(line: string): Pick<Row, 'cells' | 'problem'> {
  if (line.includes('\ufffd')) return { cells: {}, problem: NOT_UTF8 };
  try {
    const value: unknown = JSON.parse(line.replace(/^\ufeff/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { cells: value as Record<string, unknown> };
    }
    return { cells: {}, problem: 'It is not a JSON object' };
  } catch (error) {
    return { cells: {}, problem: `It is not JSON: ${(error as Error).message}` };
  }
}
