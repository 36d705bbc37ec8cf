import { cp, lstat, mkdir, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies the content of a folder into another one, which is made when missing. Leaves out files and folders that
 * vanish meanwhile, because a running node deletes images and renames unfinished ones.
 * @param except the name of a subfolder to leave out
 */
export async function copyFolder(from: string, to: string, except: string | null = null): Promise<void> {
  await mkdir(to, { recursive: true, mode: (await stat(from)).mode });
  for await (const entry of await opendir(from)) {
    if (entry.name === except) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const copied = entry.isDirectory() ? copyFolder(source, target) : cp(source, target);
    await copied.catch((error: unknown) => throwUnlessGone(error, source));
  }
}

/**
 * Throws the error of a copy unless its source is gone. A missing target, which is a failure, causes the same error
 * code.
 */
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
