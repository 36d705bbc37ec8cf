import type { IncomingMessage } from 'node:http';
import { AppError, MalformedJson, PayloadTooLarge } from '@passwright/core';
import { parseJson } from '../request/json-text.js';
import { requirePlainText } from './plain-text.js';

/** One line: its value, or the error of a line that cannot be read. */
export type Line = { readonly value: object } | { readonly error: AppError };

const MAX_LINE_BYTES = 64 * 1024;
/** The number of lines, blank ones included, in one turn of the event loop. A read of 64 KiB may contain 65,536 lines. */
const TOGETHER = 200;
const NEWLINE = 0x0a;
const mediaTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/**
 * Reads the lines of an NDJSON body as they arrive, and skips blank ones. Yields groups of at most 200 lines,
 * which are empty if all lines are blank. An unreadable line yields its own error. Holds at most one line of 64 KiB and one read in memory.
 * @throws UnsupportedMediaType immediately if the body declares another type or is compressed
 */
export function ndjsonLines(request: IncomingMessage): AsyncIterable<Line[]> {
  requirePlainText(request, mediaTypes);
  return readLines(request);
}

async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  const lines = new LineSplitter();
  for await (const chunk of body) {
    let some: Line[] = [];
    let count = 0;
    for (const line of lines.push(chunk)) {
      if (line) some.push(line);
      if (++count < TOGETHER) continue;
      yield some;
      [some, count] = [[], 0];
    }
    if (count > 0) yield some;
  }
  const last = lines.end();
  if (last) yield [last];
}

class LineSplitter {
  private parts: Buffer[] = [];
  private length = 0;

  /** Yields the lines that a chunk completes, null for a blank one. Parses each only when the consumer asks for it. */
  *push(chunk: Buffer): Generator<Line | null> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.add(chunk.subarray(start, end));
      yield this.end();
      start = end + 1;
    }
    this.add(chunk.subarray(start));
  }

  /** Returns the line that ends here; null if it is blank. */
  end(): Line | null {
    const { parts, length } = this;
    [this.parts, this.length] = [[], 0];
    if (length > MAX_LINE_BYTES) {
      return { error: new PayloadTooLarge(`The line is longer than ${MAX_LINE_BYTES} bytes.`) };
    }
    const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    return isBlank(bytes) ? null : parseLine(bytes);
  }

  private add(part: Buffer): void {
    this.length += part.length;
    // Drop the content of an overlong line, because only its length matters.
    if (this.length <= MAX_LINE_BYTES) this.parts.push(part);
    else this.parts = [];
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function parseLine(bytes: Buffer): Line {
  try {
    const value = parseJson(bytes, 'line');
    if (Array.isArray(value)) return { error: new MalformedJson('The line must be a JSON object.') };
    return { value };
  } catch (error) {
    if (error instanceof AppError) return { error };
    throw error;
  }
}
