import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { guidePath, renderGuide, type Guide } from './guide-markdown.js';
import { GuideSearch } from './guide-search.js';

/** The folder of the guides in the release. */
const folder = join(__dirname, '../../../../docs');

/** A heading of the navigation, with the paths of its guides below /guides. */
export interface NavigationHeading {
  readonly heading: string;
  readonly guides: readonly string[];
}

/** The guides, and their navigation. */
export interface Guides {
  readonly navigation: readonly NavigationHeading[];
  readonly byPath: ReadonlyMap<string, Guide>;
  readonly search: GuideSearch;
}

/** Reads and renders all guides when a reader first requests one. */
@Injectable()
export class GuidesService {
  private made: Promise<Guides> | null = null;

  /** @param root the path of the service in its public address */
  get(root: string): Promise<Guides> {
    this.made ??= makeGuides(root);
    this.made.catch(() => (this.made = null));
    return this.made;
  }

  /** Reads an image of the guides. Returns null if there is none with this name. */
  async image(name: string): Promise<Buffer | null> {
    const names = await readdir(join(folder, 'images'));
    return names.includes(name) ? readFile(join(folder, 'images', name)) : null;
  }
}

async function makeGuides(root: string): Promise<Guides> {
  const files = await readdir(folder, { recursive: true });
  const names = files.filter((file) => file.endsWith('.md')).map((file) => file.replaceAll('\\', '/'));
  const known = new Set(names);
  const addressOf = (file: string): string | null => {
    if (known.has(file)) return `${root}/guides/${guidePath(file)}`.replace(/\/$/, '');
    if (/^images\/[\w-]+\.(?:svg|png)$/.test(file)) return `${root}/guides/${file}`;
    return file === 'openapi.json' ? `${root}/openapi.json` : null;
  };
  const guides: Guide[] = [];
  // Read one guide at a time, so that other requests run between them.
  for (const name of names.sort())
    guides.push(renderGuide(name, await readFile(join(folder, name), 'utf8'), addressOf));
  const navigation = JSON.parse(await readFile(join(folder, 'navigation.json'), 'utf8')) as NavigationHeading[];
  return {
    navigation,
    byPath: new Map(guides.map((guide) => [guide.path, guide])),
    search: await GuideSearch.of(guides),
  };
}
