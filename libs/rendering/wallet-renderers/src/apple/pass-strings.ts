import type { RenderPass, RenderTemplate } from '../model.js';
import {
  defaultLanguage,
  inLanguage,
  inLanguagesWithinLimit,
  languagesForHolder,
  ownLanguage,
} from '../translations/in-language.js';
import type { PackageFile } from './package.js';
import { applePassJson, type ApplePassContext, type ApplePassJson } from './pass-json.js';

/** The `pass.json` of a pass, and the string tables of its languages. */
export interface LocalisedPass {
  readonly json: ApplePassJson;
  /** The files `<language>.lproj/pass.strings`; empty if nothing is translated. */
  readonly files: readonly PackageFile[];
  /** The languages of these files, the pass's own first. */
  readonly languages: readonly string[];
}

/**
 * Builds the `pass.json` of a pass, and a string table for its own language and for each language of its translations.
 * Devices look up each text of `pass.json` as a key in these tables. If equal texts have different translations,
 * invisible characters at the end make their keys unique.
 * @see https://developer.apple.com/documentation/walletpasses/creating-the-source-for-a-pass
 * @throws RangeError in the same cases as `applePassJson`
 */
export function localisedPass(template: RenderTemplate, pass: RenderPass, context: ApplePassContext): LocalisedPass {
  const json = applePassJson(template, pass, context);
  const others = languagesForHolder(template, pass);
  if (others.length === 0) return { json, files: [], languages: [] };
  const own = ownLanguage(template, context.language ?? defaultLanguage);
  const languages = [...new Set([own, ...others])];
  const textsIn = (language: string) => {
    const translated = inLanguage({ ...template, language: own }, pass, language);
    return textSlots(applePassJson(translated.template, translated.pass, context)).map(({ text }) => text);
  };
  const rendered = inLanguagesWithinLimit(languages, textsIn, lengthOf);
  const tables = rendered.map(({ result }) => result);
  const entries = assignKeys(json, tables);
  const files = rendered.map(({ language }, index) => ({
    name: `${language}.lproj/pass.strings`,
    data: Buffer.from(entries.map(([key, texts]) => line(key, texts[index] ?? key)).join(''), 'utf8'),
  }));
  return { json, files, languages: rendered.map(({ language }) => language) };
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** A text in `pass.json` that devices look up in string tables. */
interface TextSlot {
  readonly text: string;
  readonly replace: (text: string) => void;
}

const invisible = '\u200b';

/**
 * Replaces the texts of `json` with unique keys.
 * @param tables the texts of each language, in the order of `textSlots`
 * @returns the keys with their texts in each language, except keys whose texts are the same in every language
 */
function assignKeys(json: ApplePassJson, tables: readonly (readonly string[])[]): [key: string, texts: string[]][] {
  const known = new Map<string, string[]>();
  for (const [index, { text, replace }] of textSlots(json).entries()) {
    const texts = tables.map((table) => table[index] ?? text);
    let key = text;
    for (let other = known.get(key); other && !isSame(other, texts); other = known.get(key)) key += invisible;
    known.set(key, texts);
    if (key !== text) replace(key);
  }
  const entries = [...known].filter(([key, texts]) => texts.some((text) => text !== key));
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.every((text, index) => text === b[index]);
}

/** Returns the texts that devices look up, in the order of `pass.json`. */
function textSlots(json: ApplePassJson): TextSlot[] {
  const fields = Object.values(json as unknown as Record<string, unknown>)
    .filter(isRecord)
    .flatMap((style) => Object.values(style).filter(Array.isArray).flat() as unknown[])
    .filter(isRecord);
  return [
    ...slotsIn(json, ['organizationName', 'description', 'logoText']),
    // Skip dates, because devices format them.
    ...fields.flatMap((field) =>
      slotsIn(field, field.dateStyle ? ['label', 'changeMessage'] : ['label', 'value', 'changeMessage']),
    ),
    ...(json.locations ?? []).flatMap((location) => slotsIn(location, ['relevantText'])),
  ];
}

function slotsIn(holder: object, names: readonly string[]): TextSlot[] {
  const record = holder as Record<string, unknown>;
  return names.flatMap((name) => {
    const text = record[name];
    if (typeof text !== 'string') return [];
    return [{ text, replace: (key: string) => (record[name] = key) }];
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a line of a string table. It starts with an ASCII character, by which readers recognise UTF-8. */
function line(key: string, text: string): string {
  return `"${escaped(key)}" = "${escaped(text)}";\n`;
}

function escaped(text: string): string {
  return text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
