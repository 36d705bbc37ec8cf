import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Returns why the data folder cannot be used, as the end of a sentence; null if it can be used. Creates a missing
 * folder to find out.
 * @param readOnly creates nothing, and checks the deepest existing folder of the path
 */
export function dataFolderProblem(dir: string, readOnly: boolean): string | null {
  const path = resolve(dir);
  try {
    if (!readOnly) makeFolder(path);
  } catch (error) {
    return `cannot be created (${codeOf(error)})`;
  }
  const folder = deepestFolder(path);
  const purpose = folder === path ? 'written to' : 'created';
  try {
    if (!statSync(folder).isDirectory()) return `cannot be ${purpose} (ENOTDIR)`;
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `cannot be ${purpose} (${codeOf(error)})`;
  }
}

/** Creates a folder and its missing parents. Node's own `recursive` never returns under /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have just created the folder.
    if (!existsSync(path)) throw error;
  }
}

function deepestFolder(path: string): string {
  const parent = dirname(path);
  return existsSync(path) || parent === path ? path : deepestFolder(parent);
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'error';
