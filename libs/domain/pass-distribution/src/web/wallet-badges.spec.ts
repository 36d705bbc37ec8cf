import type { Reader } from '@passwright/wallet-renderers';
import { badgesFor, versionOfBadges } from './wallet-badges.js';

const badge = (name: string) => ({ url: `data:image/svg+xml;base64,${name}` });
const badges = {
  apple: { en: badge('en'), de: badge('de'), 'de-ch': badge('ch') },
  google: { de: badge('google') },
};
const reader = (language: Reader['language'], locale: string): Reader => ({
  language,
  locale,
  device: 'iphone',
  inApp: false,
});

it.each([
  [reader('de', 'de-CH'), badges.apple['de-ch'], badges.google.de],
  [reader('de', 'de-AT'), badges.apple.de, badges.google.de],
  [reader('nl', 'nl-NL'), badges.apple.en, null],
])(
  'badgesFor prefers the badge for the locale, then for the language, and then the English badge: %o',
  (given, apple, google) => {
    expect(badgesFor(badges, given)).toEqual({ apple, google });
  },
);

it('badgesFor returns an empty object without artwork', () => {
  expect(badgesFor(undefined, reader('en', 'en-GB'))).toEqual({});
});

it('versionOfBadges changes with the artwork', () => {
  const changed = { ...badges, google: { de: badge('other') } };
  expect(new Set([undefined, badges, changed].map(versionOfBadges)).size).toBe(3);
});
