/** The maximum number of levels of objects and lists. */
export const MAX_DEPTH = 32;

/**
 * The maximum number of values in a body. No valid request needs more, and validating many more would block other
 * requests.
 */
export const MAX_VALUES = 3_000;

/**
 * The maximum number of names in an object. Validation compares the names in pairs, so ten times as many would take a
 * hundred times as long.
 */
export const MAX_NAMES = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/**
 * Returns true if JSON text nests objects and lists deeper than `limit` levels. Use it before anything parses the text,
 * because parsers recurse. The result is meaningless for text that is not JSON.
 */
export function isNestedDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (++depth > limit) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
    }
  }
  return false;
}

/**
 * Returns true if JSON text certainly contains more than `limit` values. Counts the commas outside of strings, without
 * the cost of parsing. The result is meaningless for text that is not JSON.
 */
export function hasMoreValuesThan(text: string, limit: number): boolean {
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) i = endOfString(text, i);
    else if (character === COMMA && ++values > limit) return true;
  }
  return false;
}

/** Returns the end of a string in JSON text, or the end of the text if the string is not closed. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
