import { chmod, mkdir, open } from 'node:fs/promises';

/** The modes of files and folders that only their owner can read. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** Returns true for file systems that cannot change the mode of a file, such as network shares. */
const isUnsupported = ({ code }: NodeJS.ErrnoException) => code === 'EPERM' || code === 'ENOTSUP';

/** Makes an existing file or folder readable only by its owner. */
export async function keepPrivate(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (!isUnsupported(error)) throw error;
  });
}

/** Creates a file for another program to write. An existing file keeps its content. */
export async function createPrivateFile(path: string): Promise<void> {
  const file = await open(path, 'a', PRIVATE_FILE);
  await file.close();
  await keepPrivate(path, PRIVATE_FILE);
}

/** Creates a folder, or makes an existing one private. */
export async function createPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
  await keepPrivate(path, PRIVATE_FOLDER);
}
