import { LRUCache } from 'lru-cache';

const tagForm = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i;

/**
 * Returns a BCP 47 tag in its usual spelling, such as `pt-BR` for `PT-br`. Accepts tags of a language with an optional
 * script and region, and returns null for any other text.
 * @see https://www.rfc-editor.org/rfc/rfc5646
 */
export function canonicalTag(tag: string): string | null {
  if (!tagForm.test(tag)) return null;
  return Intl.getCanonicalLocales(tag)[0] ?? null;
}

/**
 * Returns a canonical tag and its more general tags: `zh-Hant-TW`, `zh-Hant`, `zh`.
 * @param last the language of the original texts, which ends the list, because readers prefer the original to more
 * general translations
 */
export function withGeneralTags(tag: string, last?: string | null): string[] {
  const parts = tag.split('-');
  const tags = parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
  return tags.slice(0, (last ? tags.indexOf(last) + 1 : 0) || tags.length);
}

/**
 * Selects the language to show.
 * @param wanted the tags that a reader asks for, best first; texts that are not tags are skipped
 * @param known canonical tags, the preferred one first
 * @returns the best match for the first wanted tag with a match; null if there is no match. From best to worst: the
 * same tag, a more general tag in the same script, a tag of another region in the same script, any more general tag
 */
export function bestLanguage(wanted: readonly string[], known: readonly string[]): string | null {
  for (const tag of wanted.map(canonicalTag)) {
    if (tag === null) continue;
    const general = withGeneralTags(tag).filter((each) => known.includes(each));
    // `zh` means simplified characters, so `zh-Hant` is better for `zh-TW`.
    const alike = [...general, ...known].find((each) => isAlike(each, tag));
    const found = alike ?? general[0];
    if (found !== undefined) return found;
  }
  return null;
}

// Cache these names, because a page compares each wanted tag with all languages of its passes.
const languagesInScript = new LRUCache<string, string>({ max: 2000 });

/** Returns true if both tags mean the same language in the same script. */
function isAlike(one: string, other: string): boolean {
  return languageInScript(one) === languageInScript(other);
}

/** Returns the language of a canonical tag with its script: `zh-Hant` for `zh-TW`. */
function languageInScript(tag: string): string {
  const known = languagesInScript.get(tag);
  if (known !== undefined) return known;
  const { language, script } = new Intl.Locale(tag).maximize();
  const name = `${language}-${script ?? ''}`;
  languagesInScript.set(tag, name);
  return name;
}
