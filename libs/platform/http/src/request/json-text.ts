import { MalformedJson, ValidationFailed } from '@passwright/core';
import { hasMoreValuesThan, isNestedDeeperThan, MAX_DEPTH, MAX_VALUES } from './json-limits.js';
import { repeatedName } from './repeated-name.js';
import { rejectedContent, tooManyValues } from './rejected-content.js';

/**
 * Parses JSON text to an object or list.
 * @throws MalformedJson if it is neither, is not UTF-8, is nested deeper than 32 levels or repeats a name in one
 * object. @throws ValidationFailed for rejected texts and too many values
 */
export function parseJson(bytes: Buffer, what: 'body' | 'line' = 'body'): object {
  const text = decode(bytes, what);
  if (isNestedDeeperThan(text, MAX_DEPTH)) {
    throw new MalformedJson(`The ${what} is nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (hasMoreValuesThan(text, MAX_VALUES)) throw new ValidationFailed(tooManyValues);
  const value = parsed(text, what);
  if (typeof value !== 'object' || value === null) {
    throw new MalformedJson(`The ${what} must be a JSON object, or a list where the route takes one.`);
  }
  const repeated = repeatedName(text);
  if (repeated) {
    const where = place(text, repeated.position, what);
    throw new MalformedJson(
      `The ${what} has the name ${JSON.stringify(repeated.name.slice(0, 100))} twice in one object${where}.`,
    );
  }
  const rejected = rejectedContent(value);
  if (rejected) throw new ValidationFailed(rejected);
  return value;
}

function decode(bytes: Buffer, what: string): string {
  try {
    // Drops a byte order mark, and rejects invalid UTF-8 instead of replacing it.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MalformedJson(`The ${what} is not UTF-8 text.`);
  }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const where = position === undefined ? '' : place(text, Number(position), what);
    throw new MalformedJson(`The ${what} is not JSON${where}.`);
  }
}

function place(text: string, position: number, what: string): string {
  const lines = text.slice(0, position).split('\n');
  const column = `column ${(lines.at(-1)?.length ?? 0) + 1}`;
  return what === 'line' ? `: see ${column}` : `: see line ${lines.length}, ${column}`;
}
