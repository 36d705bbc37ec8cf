import fc from 'fast-check';
import { bestLanguage, canonicalTag, withGeneralTags } from './language-tag.js';

it.each([
  ['de', 'de'],
  ['DE', 'de'],
  ['PT-br', 'pt-BR'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['es-419', 'es-419'],
  ['iw', 'he'],
  ['', null],
  ['d', null],
  ['german', null],
  ['de_AT', null],
  ['de-AT-1901', null],
  ['x-klingon', null],
  ['en-u-ca-buddhist', null],
  ['../de', null],
])('canonicalTag reads %j as %j', (tag, canonical) => {
  expect(canonicalTag(tag)).toBe(canonical);
});

it('canonicalTag accepts any text, and returns its own results unchanged', () => {
  fc.assert(
    fc.property(fc.string(), fc.stringMatching(/^[A-Za-z]{2,3}(-[A-Za-z]{2})?$/), (text, tag) => {
      // Some tags have a newer spelling, for example `grb` instead of `gbo`.
      const found = canonicalTag(text);
      expect(found && canonicalTag(found)).toBe(found);
      const canonical = canonicalTag(tag);
      expect(canonicalTag(canonical!)).toBe(canonical);
    }),
  );
});

it('withGeneralTags lists a tag and the more general tags', () => {
  expect(withGeneralTags('zh-Hant-TW')).toEqual(['zh-Hant-TW', 'zh-Hant', 'zh']);
});

it.each([
  ['zh-Hant', ['zh-Hant-TW', 'zh-Hant']],
  ['zh-Hant-TW', ['zh-Hant-TW']],
  ['zh-Hans', ['zh-Hant-TW', 'zh-Hant', 'zh']],
  [null, ['zh-Hant-TW', 'zh-Hant', 'zh']],
])('withGeneralTags of zh-Hant-TW ends with the original language, if the list contains it: %s', (last, tags) => {
  expect(withGeneralTags('zh-Hant-TW', last)).toEqual(tags);
});

it.each([
  [['de'], ['en', 'de'], 'de'],
  [['de-AT'], ['en', 'de', 'de-AT'], 'de-AT'],
  [['de-AT'], ['en', 'de'], 'de'],
  [['pt'], ['en', 'pt-BR'], 'pt-BR'],
  [['pt-PT'], ['en', 'pt-BR'], 'pt-BR'],
  [['zh-TW'], ['en', 'zh-Hans'], null],
  [['zh-TW'], ['en', 'zh-Hans', 'zh-Hant'], 'zh-Hant'],
  [['zh-TW'], ['en', 'zh', 'zh-Hant'], 'zh-Hant'],
  [['zh-TW'], ['en', 'zh'], 'zh'],
  [['zh-CN'], ['en', 'zh', 'zh-Hant'], 'zh'],
  [['zh-Hant-TW'], ['en', 'zh', 'zh-Hant-HK'], 'zh-Hant-HK'],
  [['sr-Latn-RS'], ['en', 'sr', 'sr-Latn'], 'sr-Latn'],
  [['sv', 'en-US', 'de'], ['en', 'de'], 'en'],
  [['*', 'nonsense', 'DE'], ['en', 'de'], 'de'],
  [['sv'], ['en', 'de'], null],
  [[], ['en'], null],
])('a reader who asks for %j, where %j are available, gets %j', (wanted, known, found) => {
  expect(bestLanguage(wanted, known)).toBe(found);
});

it('bestLanguage looks up the script of each language once, because a page compares many languages', () => {
  const [wanted, known] = ['a', 'b'].map((first) => Array.from({ length: 20 }, (_, n) => `${first}${letters[n]}q`));
  const maximize = jest.spyOn(Intl.Locale.prototype, 'maximize');
  for (let time = 0; time < 3; time++) expect(bestLanguage(wanted ?? [], known ?? [])).toBeNull();
  const lookUps = maximize.mock.calls.length;
  maximize.mockRestore();
  expect(lookUps).toBe(40);
});

const letters = 'abcdefghijklmnopqrstuvwxyz';
