import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback, type TransformOptions } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ValidationFailed } from '@passwright/core';
import { type Line, rejectedContent, requirePlainText } from '@passwright/http';
import { type CsvError, type Options, parse, type Parser } from 'csv-parse';

const MAX_LINE_BYTES = 64 * 1024;
const MAX_COLUMNS = 200;
/** The maximum number of records in one group. */
const TOGETHER = 200;
/**
 * The size of the text parsed in one turn of the event loop. It is small, because each bad record creates an error,
 * which takes long.
 */
const SLICE = 4_096;
const own = ['email', 'name', 'expiry', 'status'];
const lineEnd = /\r|\n/;

/**
 * Yields the records of a CSV body (RFC 4180, UTF-8) as member requests while they arrive. The separator is the comma,
 * or the semicolon if the first line has no comma. The first line names the columns `email`, `name`, `expiry` and
 * `status`, in upper or lower case and in any order; every other column becomes a property of `data`. An empty cell is
 * a missing value. A bad record yields an error, and reading continues. Only a bad header, or a line or
 * record that is too long, ends the reading.
 * @throws UnsupportedMediaType if the body is compressed, or declares another charset
 */
export function csvLines(request: IncomingMessage): AsyncIterable<Line[]> {
  requirePlainText(request, ['text/csv']);
  return readRecords(request);
}

async function* readRecords(request: IncomingMessage): AsyncGenerator<Line[]> {
  const text = new LinesOfText();
  // An invalid text destroys only its own stream, not the request, so that the response can still be sent.
  request.on('error', (error) => text.destroy(error)).pipe(text);
  let columns: Columns | null = null;
  const some: Line[] = [];
  try {
    for await (const { records, isLast } of recordsOf(text)) {
      for (const record of records) {
        if (columns) some.push(columns.lineOf(record));
        else columns = new Columns(record.cells);
        if (some.length === TOGETHER) yield some.splice(0);
      }
      // Yield an incomplete group too, so that a client that sends single lines gets each response immediately.
      if (isLast && some.length > 0) yield some.splice(0);
    }
  } catch (error) {
    request.unpipe(text);
    yield [...some, { error: new ValidationFailed((error as Error).message) }];
  }
}

/** One record: its cells, or the parser's error. */
interface CsvRecord {
  readonly cells: readonly string[];
  readonly problem?: string;
}

/** The records that end in a slice of text. `isLast` is true if no more text has arrived yet. */
interface Slice {
  readonly records: readonly CsvRecord[];
  readonly isLast: boolean;
}

async function* recordsOf(text: LinesOfText): AsyncGenerator<Slice> {
  let parser: CsvParser | null = null;
  for await (const chunk of fromFirstLine(text)) {
    parser ??= new CsvParser(chunk);
    for (let start = 0; start < chunk.length; start += SLICE) {
      const records = await parser.push(chunk.slice(start, start + SLICE));
      yield { records, isLast: parser.isOver || start + SLICE >= chunk.length };
      if (parser.isOver) return;
      await nextTurn();
    }
  }
  if (parser) yield { records: await parser.end(), isLast: true };
}

/** Yields text as it arrives, but holds it back until the first line is complete, which determines the separator. */
async function* fromFirstLine(text: LinesOfText): AsyncGenerator<string> {
  let beginning: string | null = '';
  for await (const chunk of text as AsyncIterable<string>) {
    if (beginning === null) {
      yield chunk;
      continue;
    }
    beginning += chunk;
    // Search only the new text, because the held text has no line end.
    if (!lineEnd.test(chunk)) continue;
    yield beginning;
    beginning = null;
  }
  if (beginning) yield beginning;
}

/** The state of the parser, which its types leave out. `record` is a new array for each record. */
interface ParserState {
  readonly state: { readonly record: unknown };
}

/**
 * A parser for CSV that arrives in pieces. For each piece, it yields the completed records, or an error in place of a
 * bad one.
 */
class CsvParser {
  /** True once a record was too long. The parser has dropped text after it, so it must not read further. */
  isOver = false;
  private done: CsvRecord[] = [];
  private readonly parser: Parser & ParserState;
  /** The cells of the last bad record. */
  private bad: unknown = null;

  constructor(beginning: string) {
    const [head = ''] = beginning.split(lineEnd, 1);
    const options: Options & TransformOptions = {
      bom: true,
      delimiter: head.includes(';') && !head.includes(',') ? ';' : ',',
      skip_empty_lines: true,
      trim: true,
      relax_column_count: true,
      max_record_size: MAX_LINE_BYTES,
      skip_records_with_error: true,
      // Read all records of a piece of text together.
      readableHighWaterMark: Number.MAX_SAFE_INTEGER,
      on_skip: (error) => this.skipped(error),
    };
    this.parser = parse(options) as Parser & ParserState;
  }

  async push(text: string): Promise<CsvRecord[]> {
    await promisify((done: (error?: Error | null) => void) => this.parser.write(text, done))();
    return this.take();
  }

  async end(): Promise<CsvRecord[]> {
    await promisify((done: () => void) => this.parser.end(done))();
    return this.take();
  }

  private take(): CsvRecord[] {
    this.collect();
    return this.done.splice(0);
  }

  /** Adds the error of a bad record. The parser reports each of its bad quotation marks, but a record has one error. */
  private skipped(error: CsvError | undefined): undefined {
    const { record } = this.parser.state;
    this.isOver ||= error?.code === 'CSV_MAX_RECORD_SIZE';
    if (record === this.bad) return;
    this.bad = record;
    this.collect();
    this.done.push({ cells: [], problem: problemOf(error) });
  }

  private collect(): void {
    for (let cells: unknown = this.parser.read(); cells !== null; cells = this.parser.read()) {
      this.done.push({ cells: cells as string[] });
    }
  }
}

/** Describes why the parser skipped a record. A quotation mark that is never closed swallows all lines after it. */
function problemOf(error: CsvError | undefined): string {
  const line = typeof error?.lines === 'number' ? `line ${error.lines} of the file` : 'a line';
  switch (error?.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return (
        `the record that ends in ${line} is longer than ${MAX_LINE_BYTES} bytes: shorten it, or close the quotation mark ` +
        'with which one of its cells begins; the lines after it are not read'
      );
    case 'CSV_QUOTE_NOT_CLOSED':
      return `${line} begins a cell with a quotation mark that is never closed: close it, or double it within a cell`;
    default:
      return `${line} has quotation marks where none can be: double those within a cell`;
  }
}

/** The columns that the first line names. */
class Columns {
  private readonly names: readonly string[];

  /**
   * Reads the header of a CSV body. @throws ValidationFailed if it lacks the e-mail or the name, or repeats a column
   */
  constructor(head: readonly string[]) {
    if (head.length > MAX_COLUMNS) throw new ValidationFailed(`there are more than ${MAX_COLUMNS} columns`);
    this.names = head.map((name) => (own.includes(name.toLowerCase()) ? name.toLowerCase() : name));
    const twice = this.names.find((name, index) => this.names.indexOf(name) !== index);
    if (twice !== undefined) throw new ValidationFailed(`the column "${twice}" is there twice`);
    for (const required of ['email', 'name']) {
      if (this.names.includes(required)) continue;
      throw new ValidationFailed(`the first line must name the columns, "${required}" among them`);
    }
  }

  lineOf({ cells, problem }: CsvRecord): Line {
    if (problem !== undefined) return { error: new ValidationFailed(problem) };
    if (cells.length !== this.names.length) {
      return { error: new ValidationFailed(`the line has ${cells.length} cells, the first one ${this.names.length}`) };
    }
    const filled = this.names.flatMap((name, index) => (cells[index] === '' ? [] : [[name, cells[index]] as const]));
    const rejected = rejectedContent(Object.fromEntries(filled));
    if (rejected) return { error: new ValidationFailed(rejected) };
    const data = Object.fromEntries(filled.filter(([name]) => !own.includes(name)));
    const value = Object.fromEntries(filled.filter(([name]) => own.includes(name)));
    return { value: Object.keys(data).length > 0 ? { ...value, data } : value };
  }
}

/**
 * Passes on text that is valid UTF-8 with lines of at most 64 KiB. The parser itself limits the size of a cell, but not
 * the number of cells.
 */
class LinesOfText extends Transform {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private length = 0;

  constructor() {
    super({ readableObjectMode: true });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const newline = chunk.indexOf(0x0a);
    this.length = newline < 0 ? this.length + chunk.length : chunk.length - chunk.lastIndexOf(0x0a) - 1;
    if (this.length > MAX_LINE_BYTES)
      return done(new ValidationFailed(`a line is longer than ${MAX_LINE_BYTES} bytes`));
    this.decode(chunk, true, done);
  }

  override _flush(done: TransformCallback): void {
    this.decode(Buffer.alloc(0), false, done);
  }

  private decode(chunk: Buffer, stream: boolean, done: TransformCallback): void {
    try {
      const text = this.decoder.decode(chunk, { stream });
      done(null, text === '' ? undefined : text);
    } catch {
      done(new ValidationFailed('the file is not UTF-8 text; save it as CSV UTF-8'));
    }
  }
}
