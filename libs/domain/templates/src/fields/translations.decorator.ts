import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Untouched } from '@passwright/core';
import { canonicalTag, type Translations } from '@passwright/wallet-renderers';
import { IsOptional, ValidateBy } from 'class-validator';

const maxLanguages = 40;
/** The length of a tag with a script and a region, such as `zzz-Zzzz-999`. */
const maxTagLength = 12;
/** Maximum length of a key. No text has a longer key. */
const maxKeyLength = 150;

/** The limits of texts in other languages. */
interface Limits {
  /** Maximum size as JSON, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** True for a merge patch, in which null removes a language or a text. */
  readonly isPatch?: boolean;
}

/** Validates and documents texts in other languages. The template lint checks the keys. */
export function TextsInLanguages(
  doc: Limits & { description: string; example: Translations; nullable?: boolean },
): PropertyDecorator {
  const { maxBytes, isPatch = false, ...described } = doc;
  const problemOf = (value: unknown) => translationsProblem(value, { maxBytes, isPatch });
  const check = ValidateBy({
    name: 'textsInLanguages',
    validator: {
      validate: (value: unknown) => problemOf(value) === null,
      defaultMessage: (args) => `$property${problemOf(args?.value) ?? ''}`,
    },
  });
  const removable = isPatch ? { nullable: true } : {};
  const table = {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: maxBytes, ...removable },
    ...removable,
  } as const;
  const limits = { maxProperties: maxLanguages, required: false };
  const api: object = { type: 'object', additionalProperties: table, ...limits, ...described };
  return applyDecorators(ApiProperty(api), IsOptional(), check, Untouched());
}

/** Validates and documents a language tag. */
export function LanguageTag(doc: { description: string; example: string; nullable?: boolean }): PropertyDecorator {
  const check = ValidateBy({
    name: 'languageTag',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && canonicalTag(value) !== null,
      defaultMessage: () => `$property ${mustBeTag}`,
    },
  });
  return applyDecorators(
    ApiProperty({ type: String, maxLength: maxTagLength, required: false, ...doc }),
    IsOptional(),
    check,
  );
}

const mustBeTag = 'must be the BCP 47 tag of a language, such as de, pt-BR or zh-Hant';

/**
 * Checks a value that should contain texts by language and key. Returns the problem as the end of a sentence, or null
 * for a valid value.
 */
export function translationsProblem(value: unknown, { maxBytes, isPatch = false }: Limits): string | null {
  if (!isRecord(value)) return ' must be an object of languages';
  const tags = Object.keys(value);
  if (tags.length > maxLanguages) return ` must have at most ${maxLanguages} languages`;
  const wrong = tags.find((tag) => canonicalTag(tag) === null);
  if (wrong !== undefined) return `: ${JSON.stringify(wrong.slice(0, 40))} ${mustBeTag}`;
  const canonical = tags.map(canonicalTag);
  const twice = canonical.find((tag, index) => canonical.indexOf(tag) !== index);
  if (twice) return ` must have ${twice} only once`;
  for (const [tag, table] of Object.entries(value)) {
    const problem = isPatch && table === null ? null : tableProblem(table, isPatch);
    if (problem !== null) return `${/^\w+$/.test(tag) ? `.${tag}` : `["${tag}"]`}${problem}`;
  }
  if (Buffer.byteLength(JSON.stringify(value)) <= maxBytes) return null;
  return ` must be at most ${maxBytes} bytes when serialised`;
}

function tableProblem(table: unknown, isPatch: boolean): string | null {
  if (!isRecord(table)) return ' must be an object of texts';
  const entries = Object.entries(table);
  const long = entries.find(([key]) => key.length > maxKeyLength);
  if (long) return `: a key must be at most ${maxKeyLength} characters`;
  const wrong = entries.find(([, text]) => typeof text !== 'string' && !(isPatch && text === null));
  return wrong ? `[${JSON.stringify(wrong[0])}] must be a string` : null;
}

/**
 * Returns translations in their stored form: with tags in their usual spelling, and without languages that have no
 * texts. Returns null if no texts are left.
 */
export function storedTranslations(translations: Translations | null | undefined): Translations | null {
  const tables = Object.entries(translations ?? {}).flatMap(([tag, table]) =>
    Object.keys(table).length > 0 ? [[canonicalTag(tag) ?? tag, { ...table }] as const] : [],
  );
  return tables.length > 0 ? Object.fromEntries(tables) : null;
}

/** Returns a tag in its usual spelling; null if there is no tag. */
export function storedLanguage(language: string | null | undefined): string | null {
  return language ? canonicalTag(language) : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
