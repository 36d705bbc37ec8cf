import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '../project.js';
import { isMap } from './template-body.js';

export const stateFolder = '.passwright';

/**
 * The names of images on the service, in `.passwright/state.json`. Without this file, images would have to be uploaded
 * to compare them. It does not belong in the repository.
 */
export class State {
  private changed = false;

  private constructor(
    private readonly folder: string,
    /** The names of images on the service, by the SHA-256 of the image file. */
    private readonly images: Record<string, string>,
  ) {}

  static async read(project: Project): Promise<State> {
    const folder = join(project.folder, stateFolder);
    const text = await readFile(join(folder, 'state.json'), 'utf8').catch(() => '{}');
    return new State(folder, { ...parsed(text).images });
  }

  imageName(sha256: string): string | undefined {
    return this.images[sha256];
  }

  nameImage(sha256: string, name: string): void {
    this.changed ||= this.images[sha256] !== name;
    this.images[sha256] = name;
  }

  async save(): Promise<void> {
    if (!this.changed) return;
    await mkdir(this.folder, { recursive: true });
    // Make git ignore the folder, even without `init`.
    await writeFile(join(this.folder, '.gitignore'), '*\n');
    const draft = join(this.folder, `state.json.${process.pid}`);
    await writeFile(draft, `${JSON.stringify({ images: this.images }, null, 2)}\n`);
    await rename(draft, join(this.folder, 'state.json'));
    this.changed = false;
  }
}

function parsed(text: string): { images?: Record<string, string> } {
  try {
    const state: unknown = JSON.parse(text);
    return isMap(state) ? state : {};
  } catch {
    return {};
  }
}
