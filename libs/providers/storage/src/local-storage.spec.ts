import { createHook } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import { scrypt } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Counted, inRequestOf, onCounted, StorageUnavailable } from '@passwright/core';
import fc from 'fast-check';
import { invalidKeys } from './invalid-keys.fixtures.js';
import { LocalStorage } from './local-storage.js';

/** The number of threads in Node's pool. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

/** Counts the calls that `work` makes in Node's thread pool. After each, the caller waits for the event loop. */
async function callsOf(work: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  const types = ['FSREQPROMISE', 'FSREQCALLBACK', 'FILEHANDLECLOSEREQ'];
  const hook = createHook({ init: (_id, type) => void (calls += types.includes(type) ? 1 : 0) }).enable();
  await work().finally(() => hook.disable());
  return calls;
}

describe('LocalStorage', () => {
  let dir: string;
  let storage: LocalStorage;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'passwright storage '));
    storage = new LocalStorage(join(dir, 'blobs'), THREADS);
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const key = `images/acc_1/${'ab'.repeat(32)}.png`;
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251);

  it('LocalStorage returns a stored blob as bytes and as a stream with its size', async () => {
    await storage.put(key, bytes, 'image/png');
    expect(Buffer.from((await storage.get(key)) ?? [])).toEqual(Buffer.from(bytes));
    const blob = await storage.open(key);
    expect(blob?.sizeBytes).toBe(bytes.length);
    expect(await storage.has(key)).toBe(true);
    expect(await buffer(blob!.stream)).toEqual(Buffer.from(bytes));
  });

  (process.platform === 'win32' ? it.skip : it)(
    'LocalStorage stores a blob in a known folder with nine calls of the operating system',
    async () => {
      const first = await callsOf(() => storage.put('a/b/c/1', bytes, 'image/png'));
      expect(await callsOf(() => storage.put('a/b/c/2', bytes, 'image/png'))).toBe(9);
      expect(first).toBeGreaterThan(9 + 3 * 3);
    },
  );

  it('LocalStorage stores a blob even if the folder of earlier blobs has been removed', async () => {
    await storage.put('a/b/1', bytes, 'image/png');
    await rm(join(dir, 'blobs/a'), { recursive: true });
    await storage.put('a/b/2', bytes, 'image/png');
    expect(await readdir(join(dir, 'blobs/a/b'))).toEqual(['2']);
  });

  it('LocalStorage still has its blobs after a restart', async () => {
    await storage.put(key, bytes, 'image/png');
    expect(await new LocalStorage(join(dir, 'blobs')).get(key)).not.toBeNull();
  });

  it('LocalStorage returns null for an unknown key, even above or below the path of a stored key', async () => {
    await storage.put('a/b', bytes, 'image/png');
    for (const missing of ['a', 'a/c', 'x/y', 'a/b/c']) {
      expect(await storage.get(missing)).toBeNull();
      expect(await storage.open(missing)).toBeNull();
      expect(await storage.has(missing)).toBe(false);
    }
  });

  it('LocalStorage accepts several simultaneous writes of a key, and leaves a single complete file', async () => {
    await Promise.all(Array.from({ length: 8 }, () => storage.put(key, bytes, 'image/png')));
    expect(await readdir(join(dir, 'blobs/images/acc_1'))).toEqual([`${'ab'.repeat(32)}.png`]);
    expect((await stat(join(dir, 'blobs', key))).size).toBe(bytes.length);
  });

  it("LocalStorage does not delay a tenant because of another tenant's many calls", async () => {
    const ended: string[] = [];
    const read = (share: string) =>
      inRequestOf({ ip: '203.0.113.9', requestId: share, share }, async () => {
        await storage.get(key);
        ended.push(share);
      });
    await read('quiet');
    const reads = Array.from({ length: 40 }, () => read('greedy'));
    await Promise.all([...reads, read('quiet')]);
    expect(ended.lastIndexOf('quiet')).toBeLessThan(10);
  });

  it('LocalStorage leaves no file behind when a put fails', async () => {
    await storage.put('a/b/c', bytes, 'image/png');
    await expect(storage.put('a/b', bytes, 'image/png')).rejects.toThrow();
    expect(await readdir(join(dir, 'blobs/a'))).toEqual(['b']);
  });

  it('LocalStorage reports a folder that cannot be created as StorageUnavailable with its cause', async () => {
    await storage.put('a/b', bytes, 'image/png');
    const failure = await storage.put('a/b/c', bytes, 'image/png').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageUnavailable);
    expect(failure).toMatchObject({ statusCode: 503, code: 'storage_unavailable', headers: { 'Retry-After': '1' } });
    expect((failure as Error).cause).toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) });
    expect((failure as Error).message).not.toContain(dir);
  });

  it('LocalStorage reports a vanished folder as StorageUnavailable, and works again when the folder is back', async () => {
    await storage.put('a/b', bytes, 'image/png');
    await rename(join(dir, 'blobs'), join(dir, 'away'));
    await expect(storage.put('a/c', bytes, 'image/png')).rejects.toBeInstanceOf(StorageUnavailable);
    await expect(storage.get('a/b')).rejects.toBeInstanceOf(StorageUnavailable);
    await expect(storage.has('a/b')).rejects.toBeInstanceOf(StorageUnavailable);
    await rename(join(dir, 'away'), join(dir, 'blobs'));
    await storage.put('a/c', bytes, 'image/png');
    expect(await storage.get('a/b')).not.toBeNull();
  });

  it('LocalStorage counts failed calls, but not missing blobs and invalid keys', async () => {
    const counted: Counted[] = [];
    const end = onCounted((event) => counted.push(event));
    await storage.put('a/b.png', Buffer.from('x'), 'image/png');
    await storage.get('a/missing.png');
    await storage.get('../outside').catch(() => undefined);
    expect(counted).toEqual([]);
    await rm(join(dir, 'blobs'), { recursive: true });
    await storage.get('a/b.png').catch(() => undefined);
    end();
    expect(counted).toEqual([{ name: 'storage_failures', labels: {} }]);
  });

  it('LocalStorage reports a replaced folder as StorageUnavailable and writes nothing to it', async () => {
    const blobs = join(dir, 'blobs');
    await storage.put('a/b', bytes, 'image/png');
    await rename(blobs, join(dir, 'away'));
    await mkdir(blobs);
    const failure = await storage.put('a/c', bytes, 'image/png').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageUnavailable);
    expect((failure as Error).cause).toMatchObject({ message: expect.stringContaining('or restart the node') });
    expect((failure as Error).message).not.toContain(dir);
    await expect(storage.get('a/b')).rejects.toBeInstanceOf(StorageUnavailable);
    expect(await readdir(blobs)).toEqual([]);
  });

  (process.platform === 'linux' ? it : it.skip)(
    'LocalStorage reports a disk that cannot be read as StorageUnavailable',
    async () => {
      await mkdir(join(dir, 'blobs/a'), { recursive: true });
      // Use /proc/self/mem, because reading its first bytes fails with an input/output error.
      await symlink('/proc/self/mem', join(dir, 'blobs/a/b'));
      const failure = await storage.get('a/b').catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StorageUnavailable);
      expect((failure as Error).cause).toMatchObject({ code: 'EIO' });
    },
  );

  (process.platform === 'win32' ? it.skip : it)(
    'LocalStorage leaves threads free while its folder hangs, and fails with 503 not_ready after 3 seconds',
    async () => {
      const hanging = Array.from({ length: 2 * THREADS }, (_, index) => `a/${index}`);
      await mkdir(join(dir, 'blobs/a'), { recursive: true });
      // Use a pipe without a writer, because opening it blocks, like a file on an unreachable file server.
      spawnSync(
        'mkfifo',
        hanging.map((each) => join(dir, 'blobs', each)),
      );
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
      const reads = Promise.allSettled(hanging.map((each) => storage.get(each)));
      await promisify(scrypt)('password', 'salt', 64);
      jest.advanceTimersByTime(3000);
      jest.useRealTimers();
      const release = setInterval(() => {
        for (const each of hanging) closeSync(openSync(join(dir, 'blobs', each), 'r+'));
      }, 10);
      const rejected = (await reads).filter(({ status }) => status === 'rejected');
      clearInterval(release);
      expect(rejected).toHaveLength(hanging.length - Math.ceil(THREADS / 2));
      for (const each of rejected) expect(each).toMatchObject({ reason: { statusCode: 503, code: 'not_ready' } });
      await storage.put(key, bytes, 'image/png');
    },
  );

  (process.platform === 'win32' ? it.skip : it)(
    'LocalStorage lets the blobs of a caller wait for more than 3 seconds behind other blobs of that caller',
    async () => {
      await mkdir(join(dir, 'blobs/a'), { recursive: true });
      const pipes = ['0', '1', '2'].map((each) => join(dir, 'blobs/a', each));
      spawnSync('mkfifo', pipes);
      const oneThread = new LocalStorage(join(dir, 'blobs'), 2);
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      const settled: string[] = [];
      const reads = pipes.map((pipe, n) => oneThread.get(`a/${n}`).finally(() => settled.push(pipe)));
      for (const pipe of pipes) {
        jest.advanceTimersByTime(2000);
        while (!settled.includes(pipe)) {
          closeSync(openSync(pipe, 'r+'));
          await new Promise(setImmediate);
        }
        // The next blob starts only in a new turn of the event loop.
        await new Promise(setImmediate);
      }
      jest.useRealTimers();
      expect(await Promise.all(reads)).toEqual(pipes.map(() => Buffer.alloc(0)));
    },
  );

  it('LocalStorage deletes a blob and ignores a missing one', async () => {
    await storage.put(key, bytes, 'image/png');
    await storage.delete(key);
    await storage.delete(key);
    expect(await storage.get(key)).toBeNull();
  });

  it('LocalStorage deletes the blobs of a folder in batches, and leaves other folders alone', async () => {
    const other = key.replace('acc_1', 'acc_11');
    for (const each of ['a', 'b', 'c']) await storage.put(`images/acc_1/${each}`, bytes, 'image/png');
    await storage.put(other, bytes, 'image/png');
    expect(await storage.deleteUnder('images/acc_1', 2)).toBe(2);
    expect(await storage.deleteUnder('images/acc_1', 2)).toBe(1);
    expect(await storage.deleteUnder('images/acc_1', 2)).toBe(0);
    expect(await readdir(join(dir, 'blobs/images'))).toEqual(['acc_11']);
    expect(await storage.get(other)).not.toBeNull();
  });

  it.each(invalidKeys)('LocalStorage rejects %j as a key in every method', async (bad) => {
    await expect(storage.put(bad, bytes, 'image/png')).rejects.toThrow(RangeError);
    await expect(storage.get(bad)).rejects.toThrow(RangeError);
    await expect(storage.open(bad)).rejects.toThrow(RangeError);
    await expect(storage.has(bad)).rejects.toThrow(RangeError);
    await expect(storage.delete(bad)).rejects.toThrow(RangeError);
    await expect(storage.deleteUnder(bad, 1)).rejects.toThrow(RangeError);
  });

  describe('a small disk', () => {
    const mount = (...options: string[]) => spawnSync('mount', [...options, 'tmpfs', dir]).status === 0;
    const itMounts = process.getuid?.() === 0 ? it : it.skip;
    afterEach(() => spawnSync('umount', [dir]));

    itMounts(
      'LocalStorage reports a full disk as StorageUnavailable, leaves no partial file, and stores blobs once there is space',
      async () => {
        if (!mount('-t', 'tmpfs', '-o', 'size=128k')) return;
        await storage.put('a/first', bytes, 'image/png');
        const failure = await storage.put('a/second', bytes, 'image/png').catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(StorageUnavailable);
        expect((failure as Error).cause).toMatchObject({ code: 'ENOSPC' });
        expect(await readdir(join(dir, 'blobs/a'))).toEqual(['first']);
        await storage.delete('a/first');
        await storage.put('a/second', bytes, 'image/png');
        expect(await readdir(join(dir, 'blobs/a'))).toEqual(['second']);
      },
    );

    itMounts(
      'LocalStorage reports an unmounted disk as StorageUnavailable, and leaves its mount point empty',
      async () => {
        if (!mount('-t', 'tmpfs')) return;
        await storage.put('a/first', bytes, 'image/png');
        spawnSync('umount', ['-l', dir]);
        await expect(storage.put('a/second', bytes, 'image/png')).rejects.toThrow(StorageUnavailable);
        expect(await readdir(dir)).toEqual([]);
      },
    );

    itMounts('LocalStorage reports a read-only disk as StorageUnavailable, and still reads from it', async () => {
      if (!mount('-t', 'tmpfs')) return;
      await storage.put('a/first', bytes, 'image/png');
      mount('-o', 'remount,ro');
      const failure = await storage.put('a/second', bytes, 'image/png').catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StorageUnavailable);
      expect((failure as Error).cause).toMatchObject({ code: 'EROFS' });
      expect(await storage.get('a/first')).not.toBeNull();
    });
  });

  it('LocalStorage never reads outside its folder, for any key', async () => {
    const text = fc.string({ unit: fc.constantFrom('.', '/', 'a', '\\', '%', '-', '\0') });
    await fc.assert(
      fc.asyncProperty(text, async (any) => {
        const outcome = await storage.get(any).catch((error: unknown) => error);
        expect(outcome === null || outcome instanceof RangeError).toBe(true);
      }),
    );
  });
});
