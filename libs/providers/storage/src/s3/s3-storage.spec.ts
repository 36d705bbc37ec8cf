import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { StorageUnavailable } from '@passwright/core';
import { TestBucket } from '@passwright/testing';
import fc from 'fast-check';
import { invalidKeys } from '../invalid-keys.fixtures.js';
import type { S3Store } from '../storage.options.js';
import { S3Storage } from './s3-storage.js';

let bucket: TestBucket;
let store: S3Store;
let storage: S3Storage;

beforeAll(async () => {
  bucket = await TestBucket.start();
  const { name, region, endpoint, credentials } = bucket;
  store = { kind: 's3', bucket: name, region, endpoint, credentials, pathStyle: true, prefix: 'passwright/test' };
  storage = await S3Storage.load(store);
});
afterAll(async () => {
  storage.onApplicationShutdown();
  await bucket.stop();
});

const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
const sha256 = (of: Uint8Array) => createHash('sha256').update(of).digest('hex');
const key = `images/acc_1/${sha256(bytes)}.png`;
const listed = async (of: S3Storage, folder: string) => {
  const keys: string[] = [];
  for await (const each of of.list(folder)) keys.push(each.key);
  return keys.sort();
};

it('S3Storage returns a stored blob as bytes and as a stream with its size', async () => {
  await storage.put(key, bytes, 'image/png');
  expect(sha256((await storage.get(key))!)).toBe(sha256(bytes));
  const blob = await storage.open(key);
  expect(blob?.sizeBytes).toBe(bytes.length);
  expect(sha256(await buffer(blob!.stream))).toBe(sha256(bytes));
  expect(await storage.has(key)).toBe(true);
});

it('S3Storage stores an empty blob', async () => {
  await storage.put('a/empty', new Uint8Array(), 'text/plain');
  expect(await storage.get('a/empty')).toHaveLength(0);
});

it('S3Storage returns null for an unknown key, even above or below the path of a stored key', async () => {
  await storage.put('a/b', bytes, 'image/png');
  for (const missing of ['a', 'a/c', 'x/y', 'a/b/c']) {
    expect([missing, await storage.get(missing), await storage.open(missing), await storage.has(missing)]).toEqual([
      missing,
      null,
      null,
      false,
    ]);
  }
});

it('S3Storage accepts the same key many times simultaneously', async () => {
  await Promise.all(Array.from({ length: 80 }, () => storage.put('a/same', bytes, 'image/png')));
  expect(sha256((await storage.get('a/same'))!)).toBe(sha256(bytes));
});

it('S3Storage deletes a blob and ignores a missing one', async () => {
  await storage.put('a/gone', bytes, 'image/png');
  await storage.delete('a/gone');
  await storage.delete('a/gone');
  expect([await storage.get('a/gone'), await storage.has('a/gone')]).toEqual([null, false]);
});

it('S3Storage deletes the blobs of a folder in batches, and leaves other folders alone', async () => {
  const keys = Array.from({ length: 25 }, (_, index) => `images/acc_2/${index}`);
  await Promise.all(keys.map((each) => storage.put(each, Uint8Array.of(1), 'image/png')));
  await storage.put('images/acc_22/a', Uint8Array.of(1), 'image/png');
  expect(await storage.deleteUnder('images/acc_2', 10)).toBe(10);
  expect(await storage.deleteUnder('images/acc_2', 20)).toBe(15);
  expect(await storage.deleteUnder('images/acc_2', 20)).toBe(0);
  expect([await listed(storage, 'images/acc_2'), await listed(storage, 'images/acc_22')]).toEqual([
    [],
    ['images/acc_22/a'],
  ]);
});

it('S3Storage lists blobs with their sizes', async () => {
  await storage.put('listed/a', Uint8Array.of(1, 2, 3), 'text/plain');
  await storage.put('listed/b/c', Uint8Array.of(1), 'text/plain');
  const found = [];
  for await (const each of storage.list('listed')) found.push(each);
  expect(found).toEqual([
    { key: 'listed/a', sizeBytes: 3 },
    { key: 'listed/b/c', sizeBytes: 1 },
  ]);
});

it('S3Storage keeps blobs with different prefixes apart', async () => {
  const other = await S3Storage.load({ ...store, prefix: undefined });
  await storage.put('apart/a', Uint8Array.of(1), 'text/plain');
  expect(await other.get('apart/a')).toBeNull();
  expect(await other.get('passwright/test/apart/a')).toEqual(Buffer.of(1));
  expect(await listed(other, 'passwright/test/apart')).toEqual(['passwright/test/apart/a']);
  other.onApplicationShutdown();
});

it.each(['put', 'get', 'open', 'has', 'delete', 'deleteUnder'] as const)(
  '503 storage_unavailable for %s in a missing bucket, with the remedy in the cause for the log',
  async (method) => {
    const other = await S3Storage.load({ ...store, bucket: 'nowhere' });
    const calls = {
      put: () => other.put(key, bytes, 'image/png'),
      get: () => other.get(key),
      open: () => other.open(key),
      has: () => other.has(key),
      delete: () => other.delete(key),
      deleteUnder: () => other.deleteUnder('images', 1),
    };
    const failure = await calls[method]().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageUnavailable);
    expect(failure).toMatchObject({
      statusCode: 503,
      code: 'storage_unavailable',
      headers: { 'Retry-After': '1' },
      message: expect.not.stringContaining('nowhere'),
      cause: { message: expect.stringMatching(/bucket nowhere: NoSuchBucket.*Create the bucket/) },
    });
    other.onApplicationShutdown();
  },
);

it('503 storage_unavailable for unknown credentials, without the secret in the cause for the log', async () => {
  const credentials = { accessKeyId: 'AKIAUNKNOWN', secretAccessKey: 'a-secret-of-nobody' };
  const other = await S3Storage.load({ ...store, credentials });
  const failure = await other.put(key, bytes, 'image/png').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StorageUnavailable);
  expect((failure as Error).cause).toMatchObject({ message: expect.stringContaining('403') });
  expect(((failure as Error).cause as Error).message).not.toMatch(/a-secret-of-nobody/);
  other.onApplicationShutdown();
});

/** Generates keys that `keySegments` accepts. */
const segment = fc
  .tuple(
    fc.constantFrom('a', 'Z', '0', '_', '-'),
    fc.string({ unit: fc.constantFrom('a', 'Z', '9', '.', '_', '-'), maxLength: 40 }),
  )
  .map((parts) => parts.join(''));
const keys = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => `special/${parts.join('/')}.x`);

it('S3Storage returns, lists and deletes what was stored under any valid key', async () => {
  await fc.assert(
    fc.asyncProperty(keys, fc.uint8Array({ maxLength: 40 }), async (any, content) => {
      // Delete the blobs of a failed case, because they would make every smaller case fail too.
      await storage.deleteUnder('special', 10);
      await storage.put(any, content, 'text/plain');
      expect([...(await storage.get(any))!]).toEqual([...content]);
      expect(await listed(storage, 'special')).toEqual([any]);
      await storage.delete(any);
      expect(await storage.has(any)).toBe(false);
    }),
    { numRuns: 40 },
  );
});

it.each(invalidKeys)('S3Storage rejects %j as a key in every method', async (bad) => {
  await expect(storage.put(bad, bytes, 'image/png')).rejects.toThrow(RangeError);
  await expect(storage.get(bad)).rejects.toThrow(RangeError);
  await expect(storage.open(bad)).rejects.toThrow(RangeError);
  await expect(storage.has(bad)).rejects.toThrow(RangeError);
  await expect(storage.delete(bad)).rejects.toThrow(RangeError);
  await expect(storage.deleteUnder(bad, 1)).rejects.toThrow(RangeError);
  await expect(listed(storage, bad)).rejects.toThrow(RangeError);
});
