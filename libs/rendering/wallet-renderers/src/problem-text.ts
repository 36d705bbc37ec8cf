import type { Problem } from './finding.js';

/** Quotes at most 40 characters of a value for a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** Returns a problem at `path` if `wrong` is true, otherwise an empty list. */
export function problemIf(wrong: boolean, path: string, message: () => string): Problem[] {
  return wrong ? [{ path, message: message() }] : [];
}

/** Returns the path of a language, or of one of its texts: `translations.de["fields.points.label"]`. */
export function translationPath(language: string, ...keys: readonly string[]): string {
  const parts = [language, ...keys].map((name) => (/^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`));
  return `translations${parts.join('')}`;
}
