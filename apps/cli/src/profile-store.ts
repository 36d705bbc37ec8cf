import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure, WrongUsage } from './failures.js';
import type { Io } from './io.js';

/** A service, and the key for it on this machine. */
export interface Profile {
  url: string;
  key: string;
  accountId: string;
  accountName: string;
  /** The id of a key that `login` created, so that `logout` can revoke it. */
  keyId?: string;
}

export const defaultProfile = 'default';

/** The profiles of the user in `$XDG_CONFIG_HOME/passwright/profiles.json`, which only the user can read. */
export class ProfileStore {
  readonly path: string;

  constructor({ env }: Pick<Io, 'env'>) {
    const windows = process.platform === 'win32' ? env.APPDATA : undefined;
    const home = env.HOME ?? homedir();
    this.path = join(env.XDG_CONFIG_HOME || windows || join(home, '.config'), 'passwright', 'profiles.json');
  }

  async find(name: string): Promise<Profile | null> {
    const all = await this.all();
    return Object.hasOwn(all, name) ? (all[name] ?? null) : null;
  }

  /** Reads all profiles. @throws Failure if the file is invalid */
  async all(): Promise<Record<string, Profile>> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw new Failure(`${this.path} cannot be read: ${error.message}.`);
    });
    try {
      const { profiles = {} } = JSON.parse(text) as { profiles?: Record<string, Profile> };
      return profiles;
    } catch {
      throw new Failure(`${this.path} is not JSON.`, 'Delete it and log in again: passwright login');
    }
  }

  async save(name: string, profile: Profile): Promise<void> {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) || name in {})
      throw new WrongUsage(
        `"${name}" is not a valid profile name.`,
        'Use letters, digits, dots, underscores and hyphens.',
      );
    await this.write({ ...(await this.all()), [name]: profile });
  }

  async forget(name: string): Promise<void> {
    const { [name]: _gone, ...others } = await this.all();
    await this.write(others);
  }

  /** Writes the file atomically, because another command may be reading it. */
  private async write(profiles: Record<string, Profile>): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, this.path);
  }
}
