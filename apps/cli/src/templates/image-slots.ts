import { canonicalTag, imageProperties, isMap, type ImageProperty, type TemplateBody } from './template-body.js';

/** An image property of a template, or of its translation to a language. */
export interface ImageSlot {
  readonly name: ImageProperty;
  /** The language tag in its usual spelling; null for the template itself. */
  readonly language: string | null;
}

/** Lists the images that a template names. The images of the template itself come before those of its translations. */
export function slotsOf(body: TemplateBody): ImageSlot[] {
  const own = imageProperties.map((name): ImageSlot => ({ name, language: null }));
  const others = Object.keys(tablesOf(body)).flatMap((tag) => {
    const language = canonicalTag(tag);
    return language === null ? [] : imageProperties.map((name): ImageSlot => ({ name, language }));
  });
  return [...own, ...others].filter((slot) => imageAt(body, slot) !== undefined);
}

/** Returns the path of an image property, in the form that differences use: `logo`, `translations.de.images.logo`. */
export function pathOf({ name, language }: ImageSlot): string {
  return language === null ? name : `translations.${language}.images.${name}`;
}

/** Returns the path for a pulled image, without the extension: `summer-sale/logo`, `summer-sale/de/logo`. */
export function fileOf(id: string, { name, language }: ImageSlot): string {
  return language === null ? `${id}/${name}` : `${id}/${language}/${name}`;
}

/** Returns the address or the path of an image. */
export function imageAt(body: TemplateBody | undefined, { name, language }: ImageSlot): unknown {
  if (language === null) return body?.[name];
  return tableOf(body, language)?.table[`images.${name}`];
}

/** Returns a copy of a template in which one image has another address or path. */
export function withImage(body: TemplateBody, slot: ImageSlot, value: unknown): TemplateBody {
  const { name, language } = slot;
  if (language === null) return { ...body, [name]: value };
  const found = tableOf(body, language);
  if (!found) return body;
  const table = { ...found.table, [`images.${name}`]: value };
  return { ...body, translations: { ...tablesOf(body), [found.tag]: table } };
}

function tableOf(body: TemplateBody | undefined, language: string) {
  const tag = Object.keys(tablesOf(body)).find((each) => canonicalTag(each) === language);
  const table = tag === undefined ? undefined : tablesOf(body)[tag];
  return tag !== undefined && isMap(table) ? { tag, table } : undefined;
}

function tablesOf(body: TemplateBody | undefined): Record<string, unknown> {
  return isMap(body?.translations) ? body.translations : {};
}
