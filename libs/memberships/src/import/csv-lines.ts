import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { ValidationFailed } from '@passwright/core';
import { type Line, refusedContent, requirePlainText } from '@passwright/http';
import { type CsvError, parse } from 'csv-parse';

const MAX_LINE_BYTES = 64 * 1024;
const MAX_COLUMNS = 200;
/** How many records are handed on together at most. */
const TOGETHER = 200;
const own = ['email', 'name', 'expiry', 'status'];

/**
 * The records of a CSV body (RFC 4180, UTF-8, the first one names the columns) as requests for members, while they arrive:
 * the columns `email`, `name`, `expiry` and `status`, in whatever case and order; every other one becomes a property of `data`.
 * An empty cell is none. What breaks the form of the file ends it, after a line that says where.
 * @throws UnsupportedMediaType when the body is compressed, or named as another charset
 */
export function csvLines(request: IncomingMessage): AsyncIterable<Line[]> {
  requirePlainText(request, ['text/csv']);
  return readRecords(request);
}

async function* readRecords(request: IncomingMessage): AsyncGenerator<Line[]> {
  const records = parse({
    bom: true,
    columns: columnsOf,
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_LINE_BYTES,
  });
  const text = new LinesOfText();
  // What goes wrong comes out of the records; the request itself lives on, for the answer.
  text.on('error', (error) => records.destroy(error));
  request.on('error', (error) => records.destroy(error)).pipe(text);
  text.pipe(records);
  let some: Line[] = [];
  try {
    for await (const record of records as AsyncIterable<Record<string, string>>) {
      some.push(lineOf(record));
      // What has been read already goes together; who sends line by line is answered line by line.
      if (some.length < TOGETHER && records.readableLength > 0) continue;
      yield some;
      some = [];
    }
  } catch (error) {
    request.unpipe(text);
    yield [...some, { error: new ValidationFailed(problemOf(error as CsvError)) }];
    return;
  }
  if (some.length > 0) yield some;
}

/** Lets text through that is UTF-8, in lines of at most 64 KiB: the parser counts what cells hold, not how many there are. */
class LinesOfText extends Transform {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private length = 0;

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
      done(null, this.decoder.decode(chunk, { stream }));
    } catch {
      done(new ValidationFailed('the file is not UTF-8 text; save it as CSV UTF-8'));
    }
  }
}

function columnsOf(header: string[]): string[] {
  if (header.length > MAX_COLUMNS) throw new ValidationFailed(`there are more than ${MAX_COLUMNS} columns`);
  const names = header.map((name) => (own.includes(name.toLowerCase()) ? name.toLowerCase() : name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ValidationFailed(`the column "${twice}" is there twice`);
  for (const required of ['email', 'name']) {
    if (!names.includes(required)) {
      throw new ValidationFailed(`the first line must name the columns, "${required}" among them`);
    }
  }
  return names;
}

function lineOf(record: Record<string, string>): Line {
  const refused = refusedContent(record);
  if (refused) return { error: new ValidationFailed(refused) };
  const cells = Object.entries(record).filter(([, value]) => value !== '');
  const data = Object.fromEntries(cells.filter(([name]) => !own.includes(name)));
  const value = Object.fromEntries(cells.filter(([name]) => own.includes(name)));
  return { value: Object.keys(data).length > 0 ? { ...value, data } : value };
}

function problemOf({ message, lines }: CsvError): string {
  return typeof lines === 'number' ? `line ${lines} of the file: ${message}` : message;
}
