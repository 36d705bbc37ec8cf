import { isJsonObject } from './compact-jwt.js';
import type { GoogleBody } from './resource-form.js';

interface ResourceTexts {
  readonly class: GoogleBody;
  readonly object: GoogleBody;
  readonly languages: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** Returns the text at a path such as `class.venue.name` in the holder's language; null if there is none. */
export function textAt({ class: shared, object, languages }: ResourceTexts, path: string): string | null {
  const [part, ...names] = path.split('.');
  const last = names.pop() ?? '';
  const inside = names.reduce<unknown>(
    (body, name) => (isJsonObject(body) ? body[name] : undefined),
    part === 'class' ? shared : object,
  );
  return isJsonObject(inside) ? textOf(inside, last, languages) : null;
}

/**
 * Returns a text in the holder's language, from the localised or else the plain property. Returns null for a blank
 * text.
 */
export function textOf(body: Json, name: string, languages: readonly string[]): string | null {
  const twin = body[`localized${name.charAt(0).toUpperCase()}${name.slice(1)}`];
  const own = body[name];
  const text = inLanguages(twin, languages) ?? (typeof own === 'string' ? own : inLanguages(own, languages));
  return text === null || text.trim() === '' ? null : text;
}

/**
 * Returns the translation for the first of the holder's languages that has one, under the same tag or a more general
 * one. Otherwise returns the default text.
 * @see https://developers.google.com/wallet/generic/resources/localization
 */
function inLanguages(localised: unknown, languages: readonly string[]): string | null {
  if (!isJsonObject(localised)) return null;
  const { defaultValue, translatedValues } = localised as { defaultValue?: unknown; translatedValues?: unknown };
  const values = [defaultValue, ...(Array.isArray(translatedValues) ? (translatedValues as unknown[]) : [])]
    .filter(isJsonObject)
    .map(({ language, value }) => ({ language: String(language), value: String(value) }));
  const wanted = languages.flatMap(withGeneralTags);
  const best = wanted.map((tag) => values.find(({ language }) => language === tag)).find((found) => found);
  return (best ?? values[0])?.value ?? null;
}

/** Returns a language tag and its more general tags: `zh-Hant-TW`, `zh-Hant`, `zh`. */
function withGeneralTags(tag: string): string[] {
  const parts = tag.split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}
