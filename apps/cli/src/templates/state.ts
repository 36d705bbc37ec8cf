import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '../project.js';
import { isMap } from './template-body.js';

export const stateFolder = '.passwright';

/**
 * The state of this checkout's last pushes and pulls, in `.passwright/state.json`. It is optional: without it, the
 * command cannot tell which side changed a template, and uploads images to compare them. It is not secret, but does not
 * belong in the repository.
 */
export class State {
  private changed = false;

  private constructor(
    private readonly folder: string,
    /** The fingerprint that file and service had in common, by account and template. */
    private readonly agreed: Record<string, string>,
    /** The service's name for an image file, by the SHA-256 of the file. */
    private readonly images: Record<string, string>,
  ) {}

  static async read(project: Project): Promise<State> {
    const folder = join(project.folder, stateFolder);
    const text = await readFile(join(folder, 'state.json'), 'utf8').catch(() => '{}');
    const { agreed, images } = parsed(text);
    return new State(folder, { ...agreed }, { ...images });
  }

  agreedOn(accountId: string, templateId: string): string | undefined {
    return this.agreed[`${accountId}/${templateId}`];
  }

  agree(accountId: string, templateId: string, fingerprint: string): void {
    this.changed ||= this.agreedOn(accountId, templateId) !== fingerprint;
    this.agreed[`${accountId}/${templateId}`] = fingerprint;
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
    // Make any repository ignore the folder, even one that `init` did not create.
    await writeFile(join(this.folder, '.gitignore'), '*\n');
    const draft = join(this.folder, `state.json.${process.pid}`);
    await writeFile(draft, `${JSON.stringify({ agreed: this.agreed, images: this.images }, null, 2)}\n`);
    await rename(draft, join(this.folder, 'state.json'));
    this.changed = false;
  }
}

function parsed(text: string): { agreed?: Record<string, string>; images?: Record<string, string> } {
  try {
    const state: unknown = JSON.parse(text);
    return isMap(state) ? state : {};
  } catch {
    return {};
  }
}
