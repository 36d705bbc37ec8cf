import type { Problem } from './finding.js';

/** Quotes a value for a message, at most 40 characters of it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** Returns one error if `wrong` is true, otherwise none. */
export function problemIf(wrong: boolean, path: string, message: () => string): Problem[] {
  return wrong ? [{ path, message: message() }] : [];
}
