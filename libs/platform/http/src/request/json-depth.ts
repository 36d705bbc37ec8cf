const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/**
 * Whether JSON text nests objects and lists deeper than `limit` levels; one pass over the text before anything parses it,
 * since parsers, copies and serialisers all recurse. Of text that is not JSON the answer means nothing.
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
 * Whether JSON text surely holds more than `limit` values: each comma outside strings stands before one more. Tells of a
 * flood of names what parsing it would take long to find out. Of text that is not JSON the answer means nothing.
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

/** Returns where a string of JSON text ends; the end of the text when it does not. Looks at each character twice at most. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
