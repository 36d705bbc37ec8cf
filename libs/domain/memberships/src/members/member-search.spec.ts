import fc from 'fast-check';
import { lexemesOf, queryFor, wordsOf } from './member-search.js';

it('wordsOf ignores case and accents, and finds each part of an e-mail address as a word', () => {
  expect(wordsOf('Zoë  Müller-Ōta', 'z.mueller+club@Example.COM')).toEqual([
    'zoe',
    'muller',
    'ota',
    'z',
    'mueller',
    'club',
    'example',
    'com',
  ]);
});

it('wordsOf returns each word once, and returns an empty list for a text without words', () => {
  expect(wordsOf('ada ADA Ada')).toEqual(['ada']);
  expect(wordsOf(' … ! ')).toEqual([]);
});

it('wordsOf returns words of only letters and digits, which cannot contain an operator of the query', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
      for (const word of wordsOf(text)) expect(word).toMatch(/^[\p{L}\p{N}]{1,64}$/u);
    }),
  );
});

it('wordsOf does not split a surrogate pair, because databases reject half of one', () => {
  expect(wordsOf(`a${'𠀀'.repeat(64)}`)).toEqual([`a${'𠀀'.repeat(63)}`]);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '𠀀', '𝔸', 'é', '8'), minLength: 60 }), (text) => {
      for (const word of wordsOf(text)) expect(word).toMatch(/^[\p{L}\p{N}]{1,64}$/u);
    }),
  );
});

it('lexemesOf puts the account in front of each word, and queryFor searches for prefixes of words', () => {
  expect(lexemesOf('acc_1', { name: 'Ada', email: 'ada@x.org' })).toEqual(['acc_1/ada', 'acc_1/x', 'acc_1/org']);
  expect(queryFor('acc_1', ['ad', 'lo'])).toBe("'acc_1/ad':* & 'acc_1/lo':*");
  expect(queryFor("a'\\", ['x'])).toBe("'a''\\\\/x':*");
});
