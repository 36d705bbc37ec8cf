import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failures.js';
import { changedText, newText } from './file-text.js';
import { canonicalTag, isMap, same, type TemplateBody } from './template-body.js';
import { bodyOf } from './template-parser.js';

/** A file with the texts of a template in one language. */
export interface TranslationFile {
  /** The language tag in its usual spelling. */
  readonly language: string;
  readonly path: string;
  readonly text: string;
  readonly table: Record<string, unknown>;
}

const fileForm = /^([^.].*)\.(yaml|yml|json)$/;

/**
 * Reads the translation files of a template: `<id>/<language>.yaml`, `.yml` or `.json`.
 * @throws Failure that names a file without a language or without texts, or two files of one language
 */
export async function readTranslations(folder: string, id: string): Promise<TranslationFile[]> {
  const names = await readdir(join(folder, id)).catch(() => []);
  const files = new Map<string, TranslationFile>();
  for (const name of names.sort()) {
    const [, tag] = fileForm.exec(name) ?? [];
    if (tag === undefined) continue;
    const path = join(folder, id, name);
    const language = canonicalTag(tag);
    if (language === null)
      throw new Failure(`${path}: "${tag}" is not the tag of a language.`, 'Name it like de.yaml or pt-BR.yaml.');
    const twin = files.get(language);
    if (twin) throw new Failure(`${twin.path} and ${path} are the same language.`, 'Delete one of them.');
    const text = await readFile(path, 'utf8');
    const table = bodyOf(text, path, { what: 'texts', hint: 'The file has lines such as title: Sommerschlussverkauf' });
    files.set(language, { language, path, text, table });
  }
  return [...files.values()];
}

/**
 * Adds the texts of translation files to a template.
 * @throws Failure if the template itself contains texts in one of these languages
 */
export function withTranslations(body: TemplateBody, path: string, files: readonly TranslationFile[]): TemplateBody {
  if (files.length === 0) return body;
  const own = inline(body);
  const twin = files.find(({ language }) => Object.keys(own).some((tag) => canonicalTag(tag) === language));
  if (twin) throw new Failure(`${path} and ${twin.path} both have texts in ${twin.language}.`, 'Keep one of them.');
  const tables = Object.fromEntries(files.map(({ language, table }) => [language, table]));
  return { ...body, translations: { ...own, ...tables } };
}

/**
 * Writes the translations of a pulled template into translation files. Languages in the template file stay there.
 * Deletes the files of languages that the template no longer has.
 * @param before the existing template file and its translation files
 * @returns the template without the translations in files of their own
 */
export async function writeTranslations(
  body: TemplateBody,
  path: string,
  id: string,
  before: { readonly own: TemplateBody; readonly files: readonly TranslationFile[] },
): Promise<TemplateBody> {
  const { translations: _, ...rest } = body;
  const tables = Object.entries(inline(body)).filter(([, table]) => isMap(table)) as [string, TemplateBody][];
  const inside = new Set(Object.keys(inline(before.own)).map(canonicalTag));
  const outside = tables.filter(([language]) => !inside.has(language));
  const extension = path.endsWith('.json') ? 'json' : 'yaml';
  for (const [language, table] of outside) {
    // Only a language tag may become part of a file path.
    if (!/^[A-Za-z0-9-]{1,35}$/.test(language)) continue;
    const file = before.files.find((each) => each.language === language);
    const target = file?.path ?? join(dirname(path), id, `${language}.${extension}`);
    const text = file ? changedText(file.text, target, table) : newFile(table, extension);
    await mkdir(dirname(target), { recursive: true });
    if (!file || !same(file.table, table)) await writeFile(target, text);
  }
  const known = new Set(outside.map(([language]) => language));
  for (const file of before.files.filter(({ language }) => !known.has(language))) await rm(file.path);
  const kept = Object.fromEntries(tables.filter(([language]) => inside.has(language)));
  return Object.keys(kept).length > 0 ? { ...rest, translations: kept } : rest;
}

function newFile(table: TemplateBody, extension: 'json' | 'yaml'): string {
  return extension === 'json' ? `${JSON.stringify(table, null, 2)}\n` : newText(table);
}

function inline({ translations }: TemplateBody): Record<string, unknown> {
  return isMap(translations) ? translations : {};
}
