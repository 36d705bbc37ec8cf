import { CsvRecords } from './csv-records.js';

/** A row of a table. */
export interface Row {
  /** The number of the row, counted from 1 without the header. */
  readonly number: number;
  /** The cells by column, or the unchanged properties of an NDJSON line. */
  readonly cells: Readonly<Record<string, unknown>>;
  /** The reason why the row is unreadable. */
  readonly problem?: string;
}

/** A file with rows, read once from its beginning to its end. */
export interface TableFile {
  readonly file: File;
  /** The columns of a CSV in order; null for NDJSON. */
  readonly columns: readonly string[] | null;
  readonly separator: string;
  readonly first: readonly Row[];
  readonly rows: number;
}

const SHOWN = 3;
const ROWS_IN_A_TURN = 1000;
const MOST_CHARACTERS = 1024 * 1024;
const NOT_UTF8 = 'The file is not UTF-8. Save it as “CSV UTF-8”.';

/**
 * Reads a whole file, so that a broken one is rejected before any row is sent.
 * @throws Error if it is not a table
 */
export async function tableOf(file: File, signal: AbortSignal): Promise<TableFile> {
  const isLines = /\.(nd)?jsonl?$/i.test(file.name);
  const separator = isLines ? '' : await separatorOf(file);
  const columns = isLines ? null : await columnsOf(file, separator);
  const first: Row[] = [];
  let rows = 0;
  for await (const row of rowsOf({ file, columns, separator })) {
    signal.throwIfAborted();
    rows += 1;
    if (first.length < SHOWN) first.push(row);
  }
  if (rows === 0) throw new Error(`${file.name} has no rows.`);
  return { file, columns, separator, first, rows };
}

/** Returns the most frequent separator in the first line: comma, semicolon or tab. */
async function separatorOf(file: File): Promise<string> {
  const [line = ''] = (await file.slice(0, 64 * 1024).text()).split(/[\r\n]/, 1);
  const bare = line.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((mark) => [mark, bare.split(mark).length] as const);
  return counts.reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

async function columnsOf(file: File, separator: string): Promise<string[]> {
  for await (const cells of recordsOf(file, separator)) {
    const columns = cells.map((cell, at) => cell.trim() || `column ${at + 1}`);
    if (columns.some(isDamaged)) throw new Error(NOT_UTF8);
    const twice = columns.find((name, at) => columns.indexOf(name) !== at);
    if (twice !== undefined) throw new Error(`Two columns are called “${twice}”. Give each column its own name.`);
    return columns;
  }
  throw new Error(`${file.name} is empty. Its first line names the columns.`);
}

/** Yields the rows of a table, a few at a time in memory. Lets the page draw in between. */
export async function* rowsOf(table: Pick<TableFile, 'file' | 'columns' | 'separator'>): AsyncGenerator<Row> {
  const { file, columns, separator } = table;
  for await (const row of columns ? csvRows(file, columns, separator) : lineRows(file)) {
    yield row;
    if (row.number % ROWS_IN_A_TURN === 0) await new Promise((turn) => setTimeout(turn));
  }
}

async function* csvRows(file: File, columns: readonly string[], separator: string): AsyncGenerator<Row> {
  let number = -1;
  for await (const cells of recordsOf(file, separator)) {
    number += 1;
    if (number === 0) continue;
    const values = Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']));
    const problem = cells.some(isDamaged)
      ? NOT_UTF8
      : cells.length > columns.length
        ? `The row has ${cells.length} cells, but there are ${columns.length} columns.`
        : undefined;
    yield { number, cells: values, ...(problem !== undefined && { problem }) };
  }
}

async function* recordsOf(file: File, separator: string): AsyncGenerator<string[]> {
  const records = new CsvRecords(separator);
  for await (const text of textOf(file)) yield* records.push(text);
  yield* records.end();
}

async function* lineRows(file: File): AsyncGenerator<Row> {
  let [number, rest] = [0, ''];
  for await (const text of textOf(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MOST_CHARACTERS) throw new Error(`Line ${number + lines.length + 1} is longer than 1 MiB.`);
    for (const line of lines) if (line.trim() !== '') yield { number: (number += 1), ...parsed(line) };
  }
  if (rest.trim() !== '') yield { number: number + 1, ...parsed(rest) };
}

function parsed(line: string): Omit<Row, 'number'> {
  if (isDamaged(line)) return { cells: {}, problem: NOT_UTF8 };
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { cells: value as Record<string, unknown> };
    }
  } catch {
    // The problem below names this error too.
  }
  return { cells: {}, problem: 'The line is not a JSON object.' };
}

/** Yields the text of a file in pieces. Bytes that are not UTF-8 become replacement characters. */
async function* textOf(file: File): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = file.stream().getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield decoder.decode(read.value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    await reader.cancel();
  }
}

const isDamaged = (text: string) => text.includes('\ufffd');
