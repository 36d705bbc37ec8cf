import type { IncomingMessage } from 'node:http';
import { AppError, MalformedJson, PayloadTooLarge } from '@passwright/core';
import { parseJson } from '../request/json-text.js';
import { requirePlainText } from './plain-text.js';

/** One line: what it says, or why it cannot be read. */
export type Line = { readonly value: object } | { readonly error: AppError };

const MAX_LINE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const mediaTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/**
 * The lines of an NDJSON body as they arrive, those of one network read together; blank ones are none. What is wrong with
 * a line is said of it alone. Holds one line of at most 64 KiB and one read in memory.
 * @throws UnsupportedMediaType, at once, when the body is named as something else or compressed
 */
export function ndjsonLines(request: IncomingMessage): AsyncIterable<Line[]> {
  requirePlainText(request, mediaTypes);
  return readLines(request);
}

async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  const lines = new LineSplitter();
  for await (const chunk of body) {
    const complete = lines.push(chunk);
    if (complete.length > 0) yield complete;
  }
  const last = lines.end();
  if (last.length > 0) yield last;
}

class LineSplitter {
  private parts: Buffer[] = [];
  private length = 0;

  push(chunk: Buffer): Line[] {
    const complete: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.add(chunk.subarray(start, end));
      complete.push(...this.end());
      start = end + 1;
    }
    this.add(chunk.subarray(start));
    return complete;
  }

  /** The line that was added in parts; none when it is blank. */
  end(): Line[] {
    const { parts, length } = this;
    [this.parts, this.length] = [[], 0];
    if (length > MAX_LINE_BYTES) {
      return [{ error: new PayloadTooLarge(`The line is longer than ${MAX_LINE_BYTES} bytes.`) }];
    }
    const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    return isBlank(bytes) ? [] : [parseLine(bytes)];
  }

  private add(part: Buffer): void {
    this.length += part.length;
    // Of a line that is too long only its length is of interest.
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
