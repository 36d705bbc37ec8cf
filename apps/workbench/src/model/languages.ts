import { type Body, isObject } from './template.js';

/** The languages of the wallets' own texts. */
const known: readonly (readonly [string, string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
  ['es', 'Español'],
  ['it', 'Italiano'],
  ['pt', 'Português'],
  ['nl', 'Nederlands'],
  ['pl', 'Polski'],
  ['ja', '日本語'],
  ['ar', 'العربية'],
  ['he', 'עברית'],
];

/** Returns the languages in which a template can be shown: the language of its own texts first, then all others. */
export function languageOptions({ translations }: Body): (readonly [tag: string, name: string])[] {
  const own = isObject(translations) ? Object.keys(translations) : [];
  const others = own
    .filter((tag) => known.every(([each]) => each !== tag))
    .map((tag) => [tag, languageName(tag)] as const);
  return [['', 'Language of the template'], ...others, ...known];
}

/** Returns the name of a language in that language; its tag if there is no name. */
export function languageName(tag: string): string {
  const found = known.find(([each]) => each === tag)?.[1];
  if (found !== undefined) return found;
  try {
    return new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
