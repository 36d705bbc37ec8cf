import type { Translations } from '../model.js';
import { inLanguagesWithinLimit, isTranslated } from '../translations/in-language.js';

/** The content of a class or an object in one language. */
export interface BodyInLanguage {
  readonly language: string;
  readonly body: object;
}

/** The twins of plain texts. A twin is a second property that contains the same text in all languages. */
const twins: Readonly<Record<string, string>> = {
  title: 'localizedTitle',
  provider: 'localizedProvider',
  issuerName: 'localizedIssuerName',
  programName: 'localizedProgramName',
  accountNameLabel: 'localizedAccountNameLabel',
  header: 'localizedHeader',
  body: 'localizedBody',
  description: 'localizedDescription',
};

/**
 * The properties whose twins a class must clear. Twins inside modules are missing, because an update replaces all
 * modules.
 */
const classTwins = ['title', 'provider', 'issuerName', 'programName', 'accountNameLabel'];

/**
 * Returns `names` with the twins that a translated class may write; `names` unchanged if the template never had
 * translations.
 */
export function ownedTwins(names: readonly string[], template: { readonly translations?: Translations | null }) {
  if (!isTranslated(template)) return names;
  return [...names, ...classTwins.filter((name) => names.includes(name)).flatMap((name) => twins[name] ?? [])];
}

/**
 * Adds the texts of other languages to a class or an object: `translatedValues` to each localised text, and the
 * localised twin of each plain text that has a twin.
 * @param others the same content in the other languages, with the same structure
 * @see https://developers.google.com/wallet/generic/resources/localization
 */
export function withTranslations<Body extends object>(own: Body, language: string, others: readonly BodyInLanguage[]) {
  const values = others.map((other) => ({ language: other.language, value: other.body }));
  return merged(own, language, values) as Body;
}

interface Translated {
  readonly language: string;
  readonly value: unknown;
}

type Json = Record<string, unknown>;

function merged(own: unknown, language: string, others: readonly Translated[]): unknown {
  if (Array.isArray(own)) return own.map((item, index) => merged(item, language, inside(others, index)));
  if (!isRecord(own)) return own;
  if (isRecord(own.defaultValue)) {
    const values = inside(inside(others, 'defaultValue'), 'value');
    // An update with an empty list removes earlier translations.
    return { ...own, translatedValues: differs(own.defaultValue.value, values) ? values : [] };
  }
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) => {
      const values = inside(others, name);
      const twin = typeof value === 'string' && differs(value, values) ? twins[name] : undefined;
      const entry: [string, unknown] = [name, merged(value, language, values)];
      return twin === undefined
        ? [entry]
        : [entry, [twin, localisedText(value, language, values)] as [string, unknown]];
    }),
  );
}

function localisedText(value: unknown, language: string, others: readonly Translated[]): object {
  return { defaultValue: { language, value }, translatedValues: others };
}

function differs(own: unknown, others: readonly Translated[]): boolean {
  return others.some(({ value }) => value !== own);
}

/** Returns the property or item `name` of the content in each language. */
function inside(others: readonly Translated[], name: string | number): Translated[] {
  return others.map(({ language, value }) => ({ language, value: (value as Json | undefined)?.[name] }));
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Renders a body in one language after the other. Stops when the bodies together are too large. */
export function bodiesIn<Body extends object>(
  languages: readonly string[],
  bodyIn: (language: string) => Body,
): { readonly language: string; readonly body: Body }[] {
  const rendered = inLanguagesWithinLimit(languages, bodyIn, (body) => JSON.stringify(body).length);
  return rendered.map(({ language, result }) => ({ language, body: result }));
}
