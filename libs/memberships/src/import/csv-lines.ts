import type { IncomingMessage } from 'node:http';
import { UnsupportedMediaType, ValidationFailed } from '@passwright/core';
import { type Line, refusedContent } from '@passwright/http';
import { type CsvError, parse } from 'csv-parse';

const MAX_RECORD_BYTES = 64 * 1024;
/** How many records are handed on together at most. */
const TOGETHER = 500;
const own = ['email', 'name', 'expiry', 'status'];

/**
 * The records of a CSV body (RFC 4180, UTF-8, the first one names the columns) as requests for members, while they arrive:
 * the columns `email`, `name`, `expiry` and `status`, in whatever case and order; every other one becomes a property of `data`.
 * An empty cell is none. What breaks the form of the file ends it, after a line that says where.
 * @throws UnsupportedMediaType when the body is compressed
 */
export function csvLines(request: IncomingMessage): AsyncIterable<Line[]> {
  if (!['', 'identity'].includes(request.headers['content-encoding'] ?? '')) {
    throw new UnsupportedMediaType('Content-Encoding must be absent: lines are read as they arrive.');
  }
  return readRecords(request);
}

async function* readRecords(request: IncomingMessage): AsyncGenerator<Line[]> {
  const records = parse({
    bom: true,
    columns: columnsOf,
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_RECORD_BYTES,
  });
  request.on('error', (error) => records.destroy(error));
  request.pipe(records);
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
    request.unpipe(records);
    yield [...some, { error: new ValidationFailed(problemOf(error as CsvError)) }];
    return;
  }
  if (some.length > 0) yield some;
}

function columnsOf(header: string[]): string[] {
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
