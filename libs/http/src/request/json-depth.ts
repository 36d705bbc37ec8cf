const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

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

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}
