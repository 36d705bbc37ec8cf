import { endOfString } from './json-limits.js';

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/** A property name that occurs twice in one object, and the position of the second occurrence in the text. */
export interface RepeatedName {
  readonly name: string;
  readonly position: number;
}

/**
 * Finds the first name that occurs twice in one object of JSON text. Parsers disagree about which value counts, so a
 * check could see another value than the code that uses it.
 * @param text valid JSON.
 * @returns null if no name is repeated
 */
export function repeatedName(text: string): RepeatedName | null {
  // The names in each open object; null for a list.
  const open: (Set<string> | null)[] = [];
  let names: Set<string> | null = null;
  let isName = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfString(text, i);
        if (isName && names) {
          const name = nameOf(text.slice(i, end + 1));
          if (names.has(name)) return { name, position: i };
          names.add(name);
          isName = false;
        }
        i = end;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        isName = text.charCodeAt(i) === OPEN_BRACE;
        names = isName ? new Set() : null;
        open.push(names);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        names = open.at(-1) ?? null;
        isName = false;
        break;
      case COMMA:
        isName = names !== null;
    }
  }
  return null;
}

/** Decodes a name, which may contain escapes. */
function nameOf(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}
