import type { Fault } from './finding.js';

/** Quotes a value for a message, at most 40 characters of it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** Returns one fault if `wrong` is true, otherwise none. */
export function faultIf(wrong: boolean, path: string, message: () => string): Fault[] {
  return wrong ? [{ path, message: message() }] : [];
}
