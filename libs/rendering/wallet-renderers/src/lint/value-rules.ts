import type { FieldSets } from '../model.js';
import { inBoth, pathedFields } from './field-rules.js';
import type { Facts, Problem, Rule } from '../finding.js';
import { parsedUrl } from '../parsed-url.js';
import { inAllLanguages, inAllLanguagesOfPass } from './in-all-languages.js';
import { problemIf, quoted } from '../problem-text.js';

const longBackValue = 1500;
const manyBackFields = 15;
const backTextLimit = 12_000;
const contact = /https?:\/\/|www\.|\S@\S|\+?\d[\d ()/-]{5,}/i;

/** Builds a check of every field value on the front, the back or both, in all languages. */
function inValues(
  side: 'any' | 'front' | 'back',
  check: (value: string) => string | null,
): Pick<Rule, 'template' | 'pass'> {
  const known = new WeakMap<Facts, Map<string, string | null>>();
  const find = (sets: FieldSets, facts: Facts): Problem[] => {
    // Check each value once, because most values are the same in every language.
    const messages = known.get(facts) ?? new Map<string, string | null>();
    known.set(facts, messages);
    return pathedFields(sets).flatMap(({ path, field: { value }, isFront }) => {
      if (side !== 'any' && isFront !== (side === 'front')) return [];
      const message = messages.has(value) ? (messages.get(value) ?? null) : check(value);
      messages.set(value, message);
      return problemIf(message !== null, `${path}.value`, () => message ?? '');
    });
  };
  return { template: inAllLanguages(find), pass: inAllLanguagesOfPass((pass, _, facts) => find(pass, facts)) };
}

function brokenLink(value: string): string | null {
  if (!/^https?:\/\//i.test(value) || value.includes('\n')) return null;
  if (/\s/.test(value)) return `${quoted(value)} holds a space, so only its first part becomes a link`;
  return parsedUrl(value) ? null : `${quoted(value)} is not an address that can be opened`;
}

/** Rules on values that phones interpret (links, telephone numbers, dates) and on the size of the back. */
export const valueRules: readonly Rule[] = [
  {
    id: 'markup-in-value',
    severity: 'warning',
    wallet: 'all',
    title: 'A value contains HTML',
    why: 'Values are text, so wallets show tags as written.',
    fix: 'write plain text; a web address becomes a link by itself',
    ...inValues('any', (value) =>
      /<\/?(?:a|b|br|p|i|div|span|strong|em|ul|li)\b[^<>]{0,200}>/i.test(value) ? `${quoted(value)} holds HTML` : null,
    ),
  },
  {
    id: 'raw-date-time',
    severity: 'warning',
    wallet: 'all',
    title: 'A value is a machine-readable date and time',
    why: "Wallets show a value as it is, not in the holder's language or time zone.",
    fix: 'write the date as people read it; use startDate for an event',
    ...inValues('any', (value) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) ? `${quoted(value)} is shown as it is` : null,
    ),
  },
  {
    id: 'broken-link',
    severity: 'warning',
    wallet: 'all',
    title: 'A web address is only partly a link',
    why: 'Wallets turn addresses on the back into links, and a link ends at the first space.',
    fix: 'write the address alone, with %20 for a space',
    ...inValues('back', brokenLink),
  },
  {
    id: 'link-on-front',
    severity: 'info',
    wallet: 'walletA',
    title: 'A front field is a web address',
    why: 'Apple Wallet turns addresses into links on the back only.',
    fix: 'put it on the back, or into an action',
    ...inValues('front', (value) =>
      /^(?:https?:\/\/|www\.)\S+$/i.test(value) ? `${quoted(value)} cannot be opened there` : null,
    ),
  },
  {
    id: 'number-as-telephone',
    severity: 'info',
    wallet: 'walletA',
    title: 'A number on the back looks like a telephone number',
    why: 'Phones turn a long row of digits on the back into a link that dials it.',
    fix: 'if it is another number, group the digits differently or put a letter before them',
    ...inValues('back', (value) =>
      /^[0-9]{7,15}$/.test(value) ? `${quoted(value)} becomes a telephone number` : null,
    ),
  },
  {
    id: 'long-back-value',
    severity: 'info',
    wallet: 'walletA',
    title: 'A text on the back is long',
    why: `Beyond ${longBackValue} characters few people read on, and the text below is hard to find.`,
    fix: 'link to the full text',
    ...inValues('back', (value) =>
      value.length > longBackValue ? `${value.length} characters are more than are read on a phone` : null,
    ),
  },
  {
    id: 'crowded-back',
    severity: 'info',
    wallet: 'all',
    title: 'The back contains too much',
    why: 'Every package and update contains all of it. Google Wallet shows only the first fields.',
    fix: `at most ${manyBackFields} fields and ${backTextLimit} characters in all`,
    ...inBoth(({ backFields }) => {
      const length = backFields.reduce((sum, { label, value }) => sum + label.length + value.length, 0);
      const isCrowded = backFields.length > manyBackFields || length > backTextLimit;
      return problemIf(isCrowded, 'backFields', () => `${backFields.length} fields with ${length} characters`);
    }),
  },
  {
    id: 'no-contact',
    severity: 'info',
    wallet: 'walletA',
    title: 'The back does not say how to reach the issuer',
    why: "Apple's guidelines for passes require it, and holders look for it there.",
    fix: 'add a back field with a web address, an e-mail address or a telephone number',
    template: ({ backFields }) =>
      problemIf(!backFields.some(({ value }) => contact.test(value)), 'backFields', () =>
        backFields.length === 0 ? 'the back is empty' : 'no field of the back is an address or a number',
      ),
  },
];
