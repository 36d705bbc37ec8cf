import { randomUUID } from 'node:crypto';
import { fsync } from 'node:fs';
import { mkdir, open, opendir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import {
  BlobStorage,
  ConcurrencyLimiter,
  counted,
  currentShare,
  NotReady,
  type OpenBlob,
  StorageUnavailable,
} from '@passwright/core';
import { keySegments } from './blob-key.js';

/** Flushes a file or a folder to disk. Yarn's Plug'n'Play has no `FileHandle.sync`. */
const flush = promisify(fsync);

/** Node's default size of its thread pool. */
const DEFAULT_THREADS = 4;
/** If no blob of a tenant gets a thread for this long, its waiting blobs fail. */
const MAX_WAIT_MS = 3000;
/** The maximum number of flushed folders to remember. Each account has one folder. */
const KNOWN_FOLDERS = 10_000;

/**
 * Stores blobs as files in one folder. The key of a blob is the path of its file. Uses at most half of the threads in
 * Node's pool, so that a folder that hangs leaves threads to hash passwords and sign passes. Serves the tenants in
 * rotation.
 */
export class LocalStorage extends BlobStorage {
  private readonly dir: string;
  private readonly limiter: ConcurrencyLimiter;
  /** The device and inode of the folder at its first use. */
  private identity: string | null = null;
  /** Folders that this process has flushed to disk, including all folders above them. */
  private readonly durable = new Set<string>();

  /**
   * @param dir created if missing. If the folder is missing or replaced later, all calls fail, because new blobs would
   * be lost once the original folder is back.
   */
  constructor(dir: string, threads = DEFAULT_THREADS) {
    super();
    this.dir = resolve(dir);
    this.limiter = new ConcurrencyLimiter({
      width: Math.max(1, Math.floor(threads / 2)),
      mayFill: true,
      maxWaitingPerKey: Infinity,
      maxWaiting: Infinity,
      maxWaitMs: MAX_WAIT_MS,
      waitsWhileKeyProgresses: true,
      rejection: 'The storage is busy.',
    });
  }

  /**
   * Stores a blob. Writes a file with a hidden name and then renames it, so that a crash leaves no partial blob.
   * Flushes new folders only once.
   */
  put(key: string, bytes: Uint8Array, _contentType: string): Promise<void> {
    return this.reported(async () => {
      const path = this.path(key);
      const folder = dirname(path);
      await this.checkFolder();
      if (this.durable.has(folder) && (await nullWhenMissing(writeUnder(path, bytes).then(() => true)))) return;
      await mkdir(folder, { recursive: true });
      if (this.identity === null) await this.checkFolder();
      await writeUnder(path, bytes);
      // The names of new folders must survive a crash too.
      for (const each of this.foldersAbove(folder)) await syncFolder(each);
      if (this.durable.size >= KNOWN_FOLDERS) this.durable.clear();
      this.durable.add(folder);
    });
  }

  get(key: string): Promise<Uint8Array | null> {
    return this.reported(async () => {
      const bytes = await nullWhenMissing(readFile(this.path(key)));
      if (!bytes) await this.checkFolder();
      return bytes;
    });
  }

  open(key: string): Promise<OpenBlob | null> {
    return this.reported(async () => {
      const file = await nullWhenMissing(open(this.path(key)));
      if (!file) {
        await this.checkFolder();
        return null;
      }
      try {
        const stats = await file.stat();
        if (stats.isFile()) return { sizeBytes: stats.size, stream: file.createReadStream() };
      } catch (error) {
        await file.close();
        throw error;
      }
      await file.close();
      return null;
    });
  }

  has(key: string): Promise<boolean> {
    return this.reported(async () => {
      const stats = await nullWhenMissing(stat(this.path(key)));
      if (!stats) await this.checkFolder();
      return stats?.isFile() ?? false;
    });
  }

  delete(key: string): Promise<void> {
    return this.reported(async () => rm(this.path(key), { force: true }));
  }

  /** Deletes the files of `folder`, but not its subfolders. Removes `folder` once it is empty. */
  deleteUnder(folder: string, limit: number): Promise<number> {
    return this.reported(async () => {
      const path = this.path(folder);
      const entries = await nullWhenMissing(opendir(path));
      let deleted = 0;
      for await (const entry of entries ?? []) {
        if (deleted === limit) return deleted;
        if (!entry.isFile()) continue;
        await rm(join(path, entry.name), { force: true });
        deleted += 1;
      }
      // Ignore a folder that is not empty or does not exist.
      await rmdir(path).catch(() => undefined);
      return deleted;
    });
  }

  /**
   * Runs a task and reports errors of the operating system as `StorageUnavailable`. @throws NotReady when no thread
   * becomes free
   */
  private async reported<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.limiter.run(currentShare(), work);
    } catch (error) {
      const failure = error instanceof Error && 'syscall' in error ? new StorageUnavailable(error) : error;
      if (failure instanceof StorageUnavailable || failure instanceof NotReady) counted('storage_failures', {});
      throw failure;
    }
  }

  /**
   * Checks that the folder is still the same.
   * @throws StorageUnavailable, or the operating system's error if the folder has vanished
   */
  private async checkFolder(): Promise<void> {
    const isKnown = this.identity !== null;
    const found = await stat(this.dir, { bigint: true }).catch((error: unknown) => {
      if (isKnown) throw error;
      return null;
    });
    if (!found) return;
    const identity = `${found.dev}:${found.ino}`;
    this.identity ??= identity;
    if (identity !== this.identity) throw new StorageUnavailable(new FolderReplaced(this.dir));
  }

  private path(key: string): string {
    return join(this.dir, ...keySegments(key));
  }

  private foldersAbove(folder: string): string[] {
    const names = relative(this.dir, folder).split(sep);
    return names.map((_, depth) => join(this.dir, ...names.slice(0, names.length - depth - 1)));
  }
}

class FolderReplaced extends Error {
  constructor(dir: string) {
    super(
      `${dir} is not the folder that this node has used since its start: its disk is missing, or the folder was created again. ` +
        'Bring the disk back, or restart the node to use this folder.',
    );
    this.name = 'FolderReplaced';
  }
}

/** Writes a file whose content and name survive a crash. */
async function writeUnder(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const unfinished = join(folder, `.${randomUUID()}`);
  try {
    await writeDurably(unfinished, bytes);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o644);
  try {
    await file.writeFile(bytes);
    await flush(file.fd);
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync folders.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await flush(folder.fd);
  } finally {
    await folder.close();
  }
}

async function nullWhenMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code ?? '')) return null;
    throw error;
  }
}
