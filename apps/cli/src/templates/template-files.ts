import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { Failure } from '../failures.js';
import { isMap, type TemplateBody } from './template-body.js';

/** A template file on disk. */
export interface TemplateFile {
  id: string;
  path: string;
  text: string;
  body: TemplateBody;
}

const fileForm = /^(.+)\.(yaml|yml|json)$/;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Returns true for a valid template id, which is also a valid file name. */
export const isTemplateId = (id: string): boolean => idForm.test(id);

/**
 * Reads all templates of a folder, `<id>.yaml`, `.yml` or `.json`, ordered by id. Ignores other files.
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
    files.set(id, { id, path, text, body: bodyOf(text, path) });
  }
  return [...files.values()];
}

/** Parses a template file. @throws Failure that names the file and the line */
export function bodyOf(text: string, path: string): TemplateBody {
  // JSON is valid YAML, so errors in both are reported with their line.
  const document = parseDocument(text);
  const [mistake] = document.errors;
  if (mistake) throw new Failure(`${path}: ${mistake.message.trim()}`);
  let body: unknown;
  try {
    body = document.toJS();
  } catch (error) {
    // The cause is an alias without a target, or aliases that refer to each other endlessly.
    throw new Failure(`${path}: ${(error as Error).message}`, 'A text that begins with * or & stands in quotes.');
  }
  if (isMap(body)) return body;
  throw new Failure(`${path} holds no template.`, 'It has the properties of one, such as title: Summer sale');
}
