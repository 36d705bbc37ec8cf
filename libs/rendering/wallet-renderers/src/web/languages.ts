import { arabic } from './phrases/arabic.js';
import { dutch } from './phrases/dutch.js';
import { english } from './phrases/english.js';
import { french } from './phrases/french.js';
import { german } from './phrases/german.js';
import { hebrew } from './phrases/hebrew.js';
import { italian } from './phrases/italian.js';
import { japanese } from './phrases/japanese.js';
import { canonicalTag } from '../translations/language-tag.js';
import type { Phrases } from './phrases/phrases.js';
import { polish } from './phrases/polish.js';
import { portuguese } from './phrases/portuguese.js';
import { spanish } from './phrases/spanish.js';

/** The languages of pages. Readers of any other language get an English page. */
const phrases = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  pl: polish,
  ar: arabic,
  he: hebrew,
  ja: japanese,
} as const satisfies Record<string, Phrases>;

export type Language = keyof typeof phrases;

/** All available page languages. */
export const webLanguages = Object.keys(phrases) as readonly Language[];

/** A language and its date format. */
export interface Reading {
  readonly language: Language;
  /** The locale for Intl. English dates are British, except for American readers. */
  readonly locale: string;
}

/** Returns the phrases of a page in a language. */
export function phrasesOf(language: Language): Phrases {
  return phrases[language];
}

/**
 * Returns the language of a template's texts for a `lang` attribute; null if the template does not name a language, or
 * names the language of the page. @see https://www.w3.org/TR/WCAG22/#language-of-parts
 */
export function otherLanguage({ language }: { readonly language?: string | null }, page: Language): string | null {
  return language && language !== page ? language : null;
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' || language === 'he' ? 'rtl' : 'ltr';
}

const maxHeaderLength = 1000;

/**
 * Selects the language of a page.
 * @param asked the preferred language (`?lang=`), ignored if unsupported
 * @param accepted the `Accept-Language` header. English if no language is supported
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4
 */
export function readingFor(asked: string | undefined, accepted: string | undefined): Reading {
  for (const tag of wanted(asked, accepted)) {
    const reading = readingOf(tag);
    if (reading) return reading;
  }
  return { language: 'en', locale: 'en-GB' };
}

const maxWanted = 10;

/** Returns the canonical tags that a reader asks for, best first, at most 10. Takes the same values as `readingFor`. */
export function wantedLanguages(asked: string | undefined, accepted: string | undefined): string[] {
  const tags = wanted(asked, accepted).flatMap((tag) => canonicalTag(tag.trim()) ?? []);
  return [...new Set(tags)].slice(0, maxWanted);
}

function wanted(asked: string | undefined, accepted: string | undefined): string[] {
  return [...(asked === undefined ? [] : [asked]), ...ranked((accepted ?? '').slice(0, maxHeaderLength))];
}

function readingOf(tag: string): Reading | null {
  const [language = '', ...subtags] = tag.trim().toLowerCase().split('-');
  // Some devices still write `iw` for `he`.
  const known = language === 'iw' ? 'he' : language;
  if (!Object.hasOwn(phrases, known)) return null;
  const english = subtags.includes('us') ? 'en-US' : 'en-GB';
  return { language: known as Language, locale: known === 'en' ? english : known };
}

function ranked(header: string): string[] {
  return header
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';');
      const quality = parameters.map((each) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(each)?.[1]);
      const [given] = quality.filter((each) => each !== undefined);
      return { tag, quality: given === undefined ? 1 : Number(given) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}
