import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { Failure } from './failures.js';

export const projectFile = 'passwright.yaml';

/** A repository with templates. Its `passwright.yaml` describes it and contains no secrets. */
export interface Project {
  /** The folder that contains the file. */
  folder: string;
  /** The service's address, if the file contains it. */
  url?: string;
  /** The templates folder, as an absolute path. */
  templates: string;
}

/** Finds the nearest `passwright.yaml` in a folder or in the folders above it. Returns null if there is none. */
export async function findProject(from: string): Promise<Project | null> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, projectFile), 'utf8').catch(() => null);
    if (text !== null) return projectOf(folder, text);
    if (folder === dirname(folder)) return null;
  }
}

/**
 * Parses the file.
 * @throws Failure that names the mistake in the file
 */
export function projectOf(folder: string, text: string): Project {
  const path = join(folder, projectFile);
  const wrong = (what: string) =>
    new Failure(
      `${path}: ${what}.`,
      'It has two lines, for example:\n  url: https://passes.example.com\n  templates: templates',
    );
  let content: unknown;
  try {
    content = parse(text) ?? {};
  } catch (error) {
    throw wrong(`not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw wrong('not a list of properties');
  const { url, templates = 'templates', ...others } = content as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown) throw wrong(`"${unknown}" is not a setting; the settings are url and templates`);
  if (url !== undefined && typeof url !== 'string') throw wrong('url must be a string');
  if (typeof templates !== 'string') throw wrong('templates must be the path of a folder');
  return { folder, ...(url && { url }), templates: resolve(folder, templates) };
}
