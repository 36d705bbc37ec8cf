import { storedTranslations } from '@passwright/templates';
import { canonicalTag, type Translations } from '@passwright/wallet-renderers';
import { applyMergePatch, type JsonRecord } from './merge-patch.js';

/** Maximum size of the translations of a pass serialised as JSON, in bytes of UTF-8. */
export const maxTranslationBytes = 20_000;

/** The documentation and the limits of the translations in requests. */
export const translationsDoc = {
  description:
    'The texts of the pass in other languages, by BCP 47 tag and key; an extension of this service. Keys are ' +
    '`primaryValue`, keys of fields such as `fields.<key>.value`, and `locations.<index>.name`, `.address` and ' +
    '`.relevantText`. They take precedence over the translations of the template. At most 40 languages and ' +
    '20000 bytes.',
  example: { de: { 'fields.discount.value': '20 % auf alles' } },
  maxBytes: maxTranslationBytes,
  nullable: true,
};

/** A merge patch of translations: null removes a language or a text. */
export type TranslationsPatch = Readonly<Record<string, Readonly<Record<string, string | null>> | null>>;

/** Returns translations after a merge patch; null if none are left. */
export function patchedTranslations(current: Translations | null, patch: TranslationsPatch): Translations | null {
  const tables = Object.entries(patch).map(([tag, table]) => [canonicalTag(tag) ?? tag, table]);
  return storedTranslations(applyMergePatch(current ?? {}, Object.fromEntries(tables) as JsonRecord) as Translations);
}

/** Returns an error sentence if translations are too large, for example after several patches. */
export function translationProblems(translations: Translations | null): string[] {
  const bytes = translations ? Buffer.byteLength(JSON.stringify(translations)) : 0;
  return bytes > maxTranslationBytes
    ? [`translations must be at most ${maxTranslationBytes} bytes when serialised, and would be ${bytes}`]
    : [];
}
