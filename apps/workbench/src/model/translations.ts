import { type Body, isObject, itemsOf, textOf } from './template.js';

/** A text of a template that can have translations. */
export interface TranslatableText {
  /** The key in `translations`, such as `fields.points.label`. */
  readonly key: string;
  /** The text in the template's own language. */
  readonly text: string;
}

/** The images of a template that can differ by language. */
const localised = ['logo', 'banner', 'background', 'thumbnail', 'artwork'] as const;
export type LocalisedPurpose = (typeof localised)[number];

/** Returns the image of a key: `images.logo` is the logo; null for the key of a text. */
export function purposeOf(key: string): LocalisedPurpose | null {
  return localised.find((purpose) => key === `images.${purpose}`) ?? null;
}

/** Lists the texts and images of a template that can have translations, except empty ones. */
export function textsOf(body: Body): TranslatableText[] {
  const own = ['title', 'issuerName', 'primaryLabel'].map((name) => [name, textOf(body, name)] as const);
  const fields = (['fields', 'backFields'] as const).flatMap((list) => {
    const names = list === 'fields' ? ['label', 'value', 'changeMessage'] : ['label', 'value'];
    return itemsOf(body, list).flatMap((item) =>
      names.map((name) => [`${list}.${textOf(item, 'key')}.${name}`, textOf(item, name)] as const),
    );
  });
  const places = [
    ...(isObject(body.location) ? [['location', body.location] as const] : []),
    ...itemsOf(body, 'locations').map((place, at) => [`locations.${at}`, place] as const),
  ].flatMap(([path, place]) =>
    ['name', 'address', 'relevantText'].map((name) => [`${path}.${name}`, textOf(place, name)] as const),
  );
  const actions = itemsOf(body, 'actions').map((action, at) => [`actions.${at}.url`, textOf(action, 'url')] as const);
  const images = localised.map((purpose) => [`images.${purpose}`, textOf(body, purpose)] as const);
  return [...own, ...fields, ...places, ...actions, ...images].flatMap(([key, text]) =>
    text === '' ? [] : [{ key, text }],
  );
}

/**
 * Returns the path of a language, or of one of its texts, in the form of lint findings:
 * `translations.de["images.logo"]`.
 */
export function pathOf(...names: readonly string[]): string {
  return `translations${names.map((name) => (/^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join('')}`;
}

/** Returns the texts of a template by language and key. Treats other values from the JSON editor as empty. */
export function tablesOf({ translations }: Body): Record<string, Body> {
  const entries = isObject(translations) ? Object.entries(translations) : [];
  return Object.fromEntries(entries.map(([tag, table]) => [tag, isObject(table) ? table : {}]));
}

/** Returns a template with a changed text in a language. An empty text removes the translation. */
export function withTranslation(body: Body, language: string, key: string, text: string): Body {
  const { [key]: _, ...rest } = tablesOf(body)[language] ?? {};
  return withTable(body, language, text === '' ? rest : { ...rest, [key]: text });
}

/** Returns a template with this table of texts in a language. Null removes the language. */
export function withTable(body: Body, language: string, table: Body | null): Body {
  const { [language]: _, ...others } = tablesOf(body);
  const translations = table === null ? others : { ...tablesOf(body), [language]: table };
  const { translations: __, ...rest } = body;
  return Object.keys(translations).length === 0 ? rest : { ...rest, translations };
}

/** Returns the usual spelling of a language tag, such as `pt-BR`; null for other text. */
export function tagOf(text: string): string | null {
  if (!/^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i.test(text)) return null;
  return Intl.getCanonicalLocales(text)[0] ?? null;
}
