import { propertyPath } from '@passwright/core';
import { MAX_NAMES, MAX_VALUES } from './json-limits.js';

/** Matches control characters, including NUL but not newline and tab, and unpaired surrogates. */
const rejectedCharacter = /[^\P{Cc}\n\t]|\p{Cs}/u;

/** Names that could reach an object's prototype. */
const rejectedNames = new Set(['__proto__', 'constructor', 'prototype']);

export const tooManyValues = `the body must hold at most ${MAX_VALUES} values`;

interface Problem {
  /** The path from the root to the value. */
  readonly keys: (string | number)[];
  readonly sentence: string;
}

/**
 * Searches a parsed body or query for content that no database or wallet accepts: control characters, numbers beyond a
 * double's range, names that reach prototypes, more than 1,000 names in an object, and more than 3,000 values.
 * @returns a sentence about the first error with its path, `fields[0].label must not …`; null if there is no error
 */
export function rejectedContent(root: unknown): string | null {
  const seen = { values: 0 };
  const found = inspect(root, seen);
  if (seen.values > MAX_VALUES) return tooManyValues;
  if (!found) return null;
  const path = found.keys.reduceRight<string>(propertyPath, '');
  return path === '' ? `the body ${found.sentence}` : `${path} ${found.sentence}`;
}

/** Returns what is wrong with a text, worded as the end of a sentence; null if it is valid. */
export function rejectedText(text: string): string | null {
  const found = rejectedCharacter.exec(text)?.[0];
  if (found === undefined) return null;
  const code = `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return /\p{Cs}/u.test(found)
    ? `must not hold half a surrogate pair (${code})`
    : `must not hold control characters other than newline and tab (${code})`;
}

function inspect(value: unknown, seen: { values: number }): Problem | null {
  if (++seen.values > MAX_VALUES) return problem('is one too many');
  if (typeof value === 'string') return problem(rejectedText(value));
  if (typeof value === 'number') return Number.isFinite(value) ? null : problem('must be a finite number');
  if (Array.isArray(value)) return inspectList(value, seen);
  return typeof value === 'object' && value !== null ? inspectRecord(value as Record<string, unknown>, seen) : null;
}

function inspectList(list: readonly unknown[], seen: { values: number }): Problem | null {
  for (const [index, item] of list.entries()) {
    const found = inspect(item, seen);
    if (found) return { ...found, keys: [...found.keys, index] };
  }
  return null;
}

function inspectRecord(record: Record<string, unknown>, seen: { values: number }): Problem | null {
  const names = Object.keys(record);
  if (names.length > MAX_NAMES) return problem(`must hold at most ${MAX_NAMES} names`);
  for (const name of names) {
    const found = inspectName(name) ?? inspect(record[name], seen);
    if (found) return { ...found, keys: [...found.keys, name] };
  }
  return null;
}

function inspectName(name: string): Problem | null {
  const rejected = rejectedText(name);
  if (rejected) return problem(`is not a property name: it ${rejected}`);
  return rejectedNames.has(name) ? problem('is not taken as a property name') : null;
}

function problem(sentence: string | null): Problem | null {
  return sentence === null ? null : { keys: [], sentence };
}
