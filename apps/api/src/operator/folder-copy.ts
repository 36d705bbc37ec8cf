import { cp, lstat, mkdir, open, opendir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFolder, keepPrivate, PRIVATE_FILE } from './private-files.js';

export interface CopyOptions {
  /** The name of a subfolder to leave out. */
  readonly except?: string;
  /**
   * If true, only the owner can read the copy. Otherwise new files and folders get the default modes of the process.
   */
  readonly isPrivate?: boolean;
}

/**
 * Copies the content of a folder into another folder, which it creates if necessary. Skips files that vanish meanwhile,
 * because a running node deletes images.
 */
export async function copyFolder(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  const { except, isPrivate = false } = options;
  // Check the source first, so that no target is created for a missing one.
  await stat(from);
  if (isPrivate) await createPrivateFolder(to);
  else await mkdir(to, { recursive: true });
  for await (const entry of await opendir(from)) {
    if (entry.name === except) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const copyOther = () => (entry.isFile() ? copyFile(source, target, isPrivate) : cp(source, target));
    const copied = entry.isDirectory() ? copyFolder(source, target, { isPrivate }) : copyOther();
    await copied.catch((error: unknown) => throwUnlessGone(error, source));
  }
}

/** Copies the content of a file without its mode, because a backup is private and a restored service is not. */
async function copyFile(source: string, target: string, isPrivate: boolean): Promise<void> {
  const file = await open(source);
  try {
    const content = file.createReadStream({ autoClose: false });
    await writeFile(target, content, isPrivate ? { mode: PRIVATE_FILE } : {});
  } finally {
    await file.close();
  }
  if (isPrivate) await keepPrivate(target, PRIVATE_FILE);
}

/** Throws the error of a copy, unless its source has vanished. */
async function throwUnlessGone(error: unknown, source: string): Promise<void> {
  const isGone = (reason: unknown) => (reason as NodeJS.ErrnoException).code === 'ENOENT';
  if (!isGone(error)) throw error;
  await lstat(source).then(
    () => Promise.reject(error as Error),
    (reason: unknown) => {
      if (!isGone(reason)) throw error;
    },
  );
}
