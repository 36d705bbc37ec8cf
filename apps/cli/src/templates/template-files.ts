import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { Failure } from '../failures.js';
import { isMap, type TemplateBody } from './template-body.js';

/** A template's file as it is on the disk. */
export interface TemplateFile {
  id: string;
  path: string;
  text: string;
  body: TemplateBody;
}

const fileForm = /^(.+)\.(yaml|yml|json)$/;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Whether this can be the id of a template, and so a file's name. */
export const isTemplateId = (id: string): boolean => idForm.test(id);

/**
 * All templates of a folder: `<id>.yaml`, `.yml` or `.json`, in the order of their ids. Other files are none of ours.
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

/** @throws Failure that names the file and the line */
export function bodyOf(text: string, path: string): TemplateBody {
  // JSON is YAML too, so that a mistake in either is told with its line.
  const document = parseDocument(text);
  const [mistake] = document.errors;
  if (mistake) throw new Failure(`${path}: ${mistake.message.trim()}`);
  let body: unknown;
  try {
    body = document.toJS();
  } catch (error) {
    // An alias of nothing, or aliases of aliases that would become endless.
    throw new Failure(`${path}: ${(error as Error).message}`, 'A text that begins with * or & stands in quotes.');
  }
  if (isMap(body)) return body;
  throw new Failure(`${path} holds no template.`, 'It has the properties of one, such as title: Summer sale');
}
