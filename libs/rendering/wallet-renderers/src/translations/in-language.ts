import type {
  RenderAction,
  RenderField,
  RenderLocation,
  RenderMessage,
  RenderPass,
  RenderTemplate,
  Translations,
} from '../model.js';
import { actionAddress } from '../actions.js';
import { linkOf } from '../value-link.js';
import { bestLanguage, withGeneralTags } from './language-tag.js';

/** The language of texts whose template does not name a language. */
export const defaultLanguage = 'en';

type Texts = Pick<RenderTemplate, 'language' | 'translations'>;

/** Returns the language of a template's texts. @param fallback the language of templates that do not name a language */
export function ownLanguage({ language }: Pick<Texts, 'language'>, fallback: string = defaultLanguage): string {
  return language ?? fallback;
}

/** Returns the languages of all translations, sorted. */
export function translatedLanguages(
  ...sources: readonly { readonly translations?: Readonly<Record<string, object>> | null }[]
): string[] {
  const tags = new Set(sources.flatMap(({ translations }) => (translations ? Object.keys(translations) : [])));
  return [...tags].sort();
}

/** The maximum number of languages for a holder. A template and a pass without messages cannot have more. */
const MAX_LANGUAGES = 80;

/**
 * Returns the languages of the texts that the holder of a pass sees, sorted. Messages add languages only up to
 * `MAX_LANGUAGES`, because each language makes packages slower to build.
 */
export function languagesForHolder(template: Pick<Texts, 'translations'>, pass: RenderPass): string[] {
  const own = translatedLanguages(template, pass);
  const all = new Set([...own, ...translatedLanguages(...(pass.messages ?? []))]);
  return [...all].slice(0, Math.max(MAX_LANGUAGES, own.length)).sort();
}

/** The maximum number of characters of a pass in all its languages together. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Renders a pass in one language after the other. Stops when the results together are too large, because very long
 * texts could make packages of hundreds of megabytes.
 */
export function inLanguagesWithinLimit<Result>(
  languages: readonly string[],
  render: (language: string) => Result,
  sizeOf: (result: Result) => number,
  limit = MAX_CHARACTERS,
): { readonly language: string; readonly result: Result }[] {
  const rendered: { language: string; result: Result }[] = [];
  let size = 0;
  for (const language of languages) {
    const result = render(language);
    size += sizeOf(result);
    if (size > limit) break;
    rendered.push({ language, result });
  }
  return rendered;
}

/** The options of `inLanguage`. */
interface Options {
  /** If true, the addresses of actions are not translated, and neither are back fields that are links. */
  readonly keepLinks?: boolean;
}

/** Returns a template with its texts in a language. Untranslated texts stay as they are. */
export function templateInLanguage<Template extends RenderTemplate>(template: Template, language: string): Template {
  return withTexts(template, language, finder(template, language, template.language), {});
}

/** Returns the title of a template in a language, as `templateInLanguage` does, without translating the rest. */
export function titleInLanguage(template: Texts & Pick<RenderTemplate, 'title'>, language: string): string {
  return translated(template.title, finder(template, language, template.language)('title'));
}

/**
 * Returns a template and a pass with their texts in a language: translations for the exact tag, or else for a more
 * general tag, or else the original texts. Translations of the pass take precedence. Those of the template also apply
 * to fields of the pass that repeat the template's text.
 */
export function inLanguage<Template extends RenderTemplate, Pass extends RenderPass>(
  template: Template,
  pass: Pass,
  language: string,
  options: Options = {},
): { readonly template: Template; readonly pass: Pass } {
  const own = template.language;
  const [ofTemplate, ofPass] = [finder(template, language, own), finder(pass, language, own)];
  const field = (side: 'fields' | 'backFields') => {
    const inherited = new Map(template[side].map((each) => [each.key, each]));
    return (each: RenderField) =>
      translatedField(side, each, options, (key, text, part) => {
        const repeats = inherited.get(each.key)?.[part] === text;
        const found = ofPass(key) ?? (repeats ? ofTemplate(key) : undefined);
        return found ?? (part === 'value' ? ownValueIn(each, language) : undefined);
      });
  };
  const inherit = (key: string) => (/^(?:fields|backFields)\./.test(key) ? ofPass(key) : undefined) ?? ofTemplate(key);
  return {
    template: withTexts(template, language, inherit, options),
    pass: {
      ...pass,
      primaryValue: translated(pass.primaryValue, ofPass('primaryValue')),
      fields: pass.fields.map(field('fields')),
      backFields: pass.backFields.map(field('backFields')),
      locations: pass.locations.map((each, index) => translatedLocation(`locations.${index}`, each, ofPass)),
      ...translatedActions(pass, ofPass, options),
      ...(pass.messages && { messages: pass.messages.map((each) => messageInLanguage(each, language, own)) }),
    },
  };
}

/**
 * Returns a message with its texts in a language or a more general language; unchanged without such a translation.
 * @param own the language of the message's own texts, if known
 */
export function messageInLanguage<Message extends Pick<RenderMessage, 'title' | 'text' | 'translations'>>(
  message: Message,
  language: string,
  own?: string | null,
): Message {
  const { translations } = message;
  const tag = withGeneralTags(language, own).find((each) => translations && Object.hasOwn(translations, each));
  const found = tag === undefined ? undefined : translations?.[tag];
  return found ? { ...message, title: found.title ?? message.title, text: found.text } : message;
}

/**
 * Returns a template and a pass in the language that suits a reader. Returns them unchanged if they have no
 * translations.
 * @param wanted the tags that the reader asks for, best first
 * @param fallback the language of templates that do not name a language
 */
export function forReader<Template extends RenderTemplate, Pass extends RenderPass>(
  template: Template,
  pass: Pass,
  wanted: readonly string[],
  fallback?: string,
): { readonly template: Template; readonly pass: Pass } {
  const languages = languagesForHolder(template, pass);
  if (languages.length === 0) return { template, pass };
  const own = ownLanguage(template, fallback);
  const language = bestLanguage(wanted, [own, ...languages]);
  return language === null ? { template, pass } : inLanguage({ ...template, language: own }, pass, language);
}

type Find = (key: string) => string | undefined;

/** @param own the language of the texts to translate */
function finder({ translations }: Pick<Texts, 'translations'>, language: string, own: Texts['language']): Find {
  const tables = withGeneralTags(language, own).flatMap((tag) =>
    translations && Object.hasOwn(translations, tag) ? [translations[tag] ?? {}] : [],
  );
  return (key) => tables.find((table) => Object.hasOwn(table, key))?.[key];
}

function withTexts<Template extends RenderTemplate>(
  template: Template,
  language: string,
  find: Find,
  options: Options,
): Template {
  const field = (side: 'fields' | 'backFields') => (each: RenderField) =>
    translatedField(side, each, options, (key) => find(key));
  const { title, issuerName, primaryLabel, location } = template;
  return {
    ...template,
    language,
    title: translated(title, find('title')),
    issuerName: translated(issuerName, find('issuerName')),
    primaryLabel: translated(primaryLabel, find('primaryLabel')),
    fields: template.fields.map(field('fields')),
    backFields: template.backFields.map(field('backFields')),
    location: location && translatedLocation('location', location, find),
    locations: template.locations.map((each, index) => translatedLocation(`locations.${index}`, each, find)),
    ...translatedActions(template, find, options),
  };
}

function ownValueIn({ valueIn }: RenderField, language: string): string | undefined {
  const tag = valueIn && withGeneralTags(language).find((each) => Object.hasOwn(valueIn, each));
  return tag === undefined ? undefined : valueIn?.[tag];
}

/** The parts of a field that may be translated. */
type Part = 'label' | 'value' | 'changeMessage';

function translatedField(
  side: 'fields' | 'backFields',
  field: RenderField,
  { keepLinks = false }: Options,
  find: (key: string, text: string | null | undefined, part: Part) => string | undefined,
): RenderField {
  const of = <Text extends string | null | undefined>(part: Part, text: Text): Text =>
    translated(text, find(`${side}.${field.key}.${part}`, text, part));
  const { label, changeMessage } = field;
  const value = of('value', field.value);
  // Check for a link last, because parsing addresses takes time.
  const isLink = keepLinks && side === 'backFields' && (linkOf(field.value) ?? linkOf(value)) !== null;
  return {
    ...field,
    label: of('label', label),
    value: isLink ? field.value : value,
    ...(changeMessage !== undefined && { changeMessage: of('changeMessage', changeMessage) }),
  };
}

function translatedLocation(path: string, location: RenderLocation, find: Find): RenderLocation {
  const { name, address, relevantText } = location;
  return {
    ...location,
    ...(name && { name: translated(name, find(`${path}.name`)) }),
    address: translated(address, find(`${path}.address`)),
    ...(relevantText && { relevantText: translated(relevantText, find(`${path}.relevantText`)) }),
  };
}

/** Returns actions with the addresses of a language. Ignores addresses that do not suit the type of their action. */
function translatedActions(
  { actions }: Pick<RenderPass, 'actions'>,
  find: Find,
  { keepLinks = false }: Options,
): { readonly actions?: readonly RenderAction[] } {
  if (!actions || keepLinks) return {};
  return {
    actions: actions.map(({ type, url }, index) => {
      const other = find(`actions.${index}.url`);
      return { type, url: other !== undefined && actionAddress({ type, url: other }) !== null ? other : url };
    }),
  };
}

/** Returns the translation of a text. A blank text stays blank, so that fields never appear or disappear. */
function translated<Text extends string | null | undefined>(text: Text, translation: string | undefined): Text {
  if (translation === undefined || translation.trim() === '' || !text || text.trim() === '') return text;
  return translation as Text;
}

/** Returns true if a template or pass has, or once had, translations. */
export function isTranslated(...sources: readonly { readonly translations?: Translations | null }[]): boolean {
  return sources.some(({ translations }) => translations !== null && translations !== undefined);
}
