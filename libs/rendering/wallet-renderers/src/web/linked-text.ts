import { linkOf } from '../value-link.js';

/** A part of a text; `href` is null if it is not a link. */
export interface TextPart {
  readonly text: string;
  readonly href: string | null;
}

const MAX_EMAIL = 254;
/** The maximum length of an address with the punctuation around it. */
const MAX_WORD = 2100;
const leastDigits = 8;
const mostDigits = 15;

/**
 * Finds the web addresses, e-mail addresses and international telephone numbers in a text, as phones do. The returned
 * parts always add up to the text. A value that consists only of an address is one link.
 */
export function linkedText(value: string): TextPart[] {
  const whole = linkOf(value);
  if (whole !== null) return [{ text: value, href: whole }];
  return joined(value.split(/(\s+)/).flatMap(wordParts)).flatMap((part) =>
    part.href === null ? phoneParts(part.text) : part,
  );
}

/** Separates an address from the punctuation around it. Returns any other word unchanged. */
function wordParts(word: string): TextPart[] {
  if (word.length > MAX_WORD) return [{ text: word, href: null }];
  const start = word.search(/[^([{<"'«“„]/);
  const before = start > 0 ? word.slice(0, start) : '';
  const end = before.length + endOfAddress(word.slice(before.length));
  const text = word.slice(before.length, end);
  const href = addressOf(text);
  if (href === null) return [{ text: word, href: null }];
  return [
    { text: before, href: null },
    { text, href },
    { text: word.slice(end), href: null },
  ];
}

/**
 * Returns the length of an address without the punctuation after it, such as a closing bracket without an opening one.
 */
function endOfAddress(text: string): number {
  let end = text.length;
  let unopened = count(text, ')') - count(text, '(');
  while (end > 0) {
    const sign = text[end - 1] ?? '';
    if (!/[.,;:!?)\]}>"'»”“]/.test(sign) || (sign === ')' && unopened <= 0)) break;
    if (sign === ')') unopened -= 1;
    end -= 1;
  }
  return end;
}

function count(text: string, wanted: string): number {
  let found = 0;
  for (const sign of text) if (sign === wanted) found += 1;
  return found;
}

function addressOf(text: string): string | null {
  if (/^https?:\/\//i.test(text)) return linkOf(text);
  return isEmail(text) ? `mailto:${text}` : null;
}

function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  const hasHost = at > 0 && at === text.lastIndexOf('@') && text.indexOf('.', at + 2) > 0;
  return hasHost && text.length <= MAX_EMAIL && /^[\w.+@-]+$/.test(text) && !text.includes('..');
}

/** Splits a text at its telephone numbers. */
function phoneParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/\+\d[\d ().-]{6,20}/g)) {
    const number = withoutEnd(found);
    const digits = number.replace(/\D/g, '');
    if (digits.length < leastDigits || digits.length > mostDigits) continue;
    parts.push({ text: text.slice(from, index), href: null }, { text: number, href: `tel:+${digits}` });
    from = index + number.length;
  }
  return [...parts, { text: text.slice(from), href: null }].filter((part) => part.text !== '');
}

/** Returns a telephone number without the characters after its last digit. */
function withoutEnd(number: string): string {
  let end = number.length;
  while (end > 0 && !/\d/.test(number[end - 1] ?? '')) end -= 1;
  return number.slice(0, end);
}

/** Joins neighbouring parts that are not links. */
function joined(parts: readonly TextPart[]): TextPart[] {
  const result: TextPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.href === null && part.href === null)
      result[result.length - 1] = { text: last.text + part.text, href: null };
    else result.push(part);
  }
  return result.filter(({ text }) => text !== '');
}
