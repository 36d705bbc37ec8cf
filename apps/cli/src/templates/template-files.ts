import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failures.js';
import type { TemplateBody } from './template-body.js';
import { bodyOf } from './template-parser.js';
import { readTranslations, type TranslationFile, withTranslations } from './translation-files.js';

/** A template file on disk. */
export interface TemplateFile {
  id: string;
  path: string;
  text: string;
  /** The whole template, with the texts of its translation files. */
  body: TemplateBody;
  /** The template without the texts of its translation files. */
  own: TemplateBody;
  translations: readonly TranslationFile[];
}

const fileForm = /^(.+)\.(yaml|yml|json)$/;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Returns true for a valid template id, which is also a valid file name. */
export const isTemplateId = (id: string): boolean => idForm.test(id);

/**
 * Reads all templates of a folder with their translations, ordered by id. Ignores files that are not `<id>.yaml`,
 * `.yml` or `.json`.
 * @throws Failure that names the file and the line
 */
export async function readTemplates(folder: string): Promise<TemplateFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Failure(`${folder} cannot be read: ${error.message}.`);
  });
  const files = new Map<string, TemplateFile>();
  for (const name of names.sort()) {
    const [, id] = fileForm.exec(name) ?? [];
    if (id === undefined || name.startsWith('.')) continue;
    const path = join(folder, name);
    const twin = files.get(id);
    if (twin) throw new Failure(`${twin.path} and ${path} are the same template.`, 'Delete one of them.');
    if (!isTemplateId(id))
      throw new Failure(
        `${path}: "${id}" cannot be the id of a template.`,
        'Rename the file: 1 to 64 letters, digits, dots, underscores or hyphens, the first a letter or digit.',
      );
    const text = await readFile(path, 'utf8');
    const own = bodyOf(text, path);
    const translations = await readTranslations(folder, id);
    files.set(id, { id, path, text, own, translations, body: withTranslations(own, path, translations) });
  }
  return [...files.values()];
}
