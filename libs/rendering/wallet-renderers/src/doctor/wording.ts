import type { Fault } from './finding.js';

/** A value in a message, in quotes, at most 40 characters of it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** One fault when `wrong`, else none. */
export function faultIf(wrong: boolean, path: string, message: () => string): Fault[] {
  return wrong ? [{ path, message: message() }] : [];
}
