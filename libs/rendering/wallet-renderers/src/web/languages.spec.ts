import fc from 'fast-check';
import { directionOf, phrasesOf, readingFor, webLanguages } from './languages.js';

it.each([
  [undefined, undefined, 'en', 'en-GB'],
  [undefined, 'en-US,en;q=0.9', 'en', 'en-US'],
  [undefined, 'de-AT, en;q=0.8', 'de', 'de'],
  [undefined, 'en;q=0.3, fr;q=0.8, ja;q=0.8', 'fr', 'fr'],
  [undefined, 'sv, da;q=0.9, nl;q=0.1', 'nl', 'nl'],
  [undefined, 'de;q=0, *', 'en', 'en-GB'],
  [undefined, 'iw-IL', 'he', 'he'],
  [undefined, 'constructor, __proto__, pl', 'pl', 'pl'],
  ['ar', 'de', 'ar', 'ar'],
  ['PT-br', 'de', 'pt', 'pt'],
  ['klingon', 'es;q=0.5', 'es', 'es'],
])('?lang=%s and Accept-Language %s select the language %s with dates in %s', (asked, accepted, language, locale) => {
  expect(readingFor(asked, accepted)).toEqual({ language, locale });
});

it('any Accept-Language header selects a language', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (asked, accepted) => {
      expect(webLanguages).toContain(readingFor(asked, accepted).language);
    }),
  );
});

it('readingFor uses only the first 1000 characters of a long Accept-Language header', () => {
  const { language } = readingFor(undefined, `${'x,'.repeat(499)}de,${'pl,'.repeat(100_000)}`);
  expect(language).toBe('de');
  expect(readingFor(undefined, `${'x,'.repeat(500)}de`).language).toBe('en');
});

describe.each(webLanguages)('the phrases in %s', (language) => {
  const placeholders = (text: string) => text.match(/\{\w+\}/g) ?? [];

  it('the page phrases of a language are complete, have the English placeholders and differ from the English phrases', () => {
    const [own, english] = [Object.entries(phrasesOf(language)), phrasesOf('en')];
    expect(own.map(([name]) => name)).toEqual(Object.keys(english));
    for (const [name, text] of own) {
      const original = english[name as keyof typeof english];
      expect({ name, found: placeholders(text) }).toEqual({ name, found: placeholders(original) });
      if (language !== 'en' && text.length > 10) expect(text).not.toBe(original);
    }
  });

  it('every language has a text direction', () => {
    expect(directionOf(language)).toBe(['ar', 'he'].includes(language) ? 'rtl' : 'ltr');
  });
});
