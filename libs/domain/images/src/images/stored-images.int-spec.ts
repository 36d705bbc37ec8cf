import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { BlobStorage, LimitExceeded, StorageUnavailable } from '@passwright/core';
import { Database } from '@passwright/database';
import type { MemoryStorage } from '@passwright/testing';
import sharp from 'sharp';
import { StorageOverviewListener } from '../storage/storage-overview.listener.js';
import { StoredImagesRepository } from '../storage/stored-images.repository.js';
import { ImagesService } from './images.service.js';
import { anAccount, imagesModule } from '../images.fixtures.js';
import { ImagesOptions } from '../images.options.js';

const mostBytes = 100_000;
let nest: TestingModule;
let accountId: string;

beforeAll(async () => {
  nest = await imagesModule();
  await nest.init();
});
afterAll(() => nest.close());
beforeEach(async () => {
  accountId = await anAccount(nest);
});

const limited = () => {
  const options: ImagesOptions = { ...nest.get(ImagesOptions), imageBytesPerAccount: mostBytes };
  return new StoredImagesRepository(nest.get(Database).reads.connection, options);
};
const used = async (): Promise<number> => {
  const rows = await nest
    .get(Database)
    .reads.query<{ bytes: string }[]>('SELECT size_bytes AS bytes FROM image_usage WHERE account_id = $1', [accountId]);
  return Number(rows[0]?.bytes ?? 0);
};
const images = (count: number, sizeBytes: number) =>
  Array.from({ length: count }, (_, at) => ({ key: `images/${accountId}/${at}`, sizeBytes }));

/** Creates a unique square image. */
const aPicture = (size: number) =>
  sharp(randomBytes(size * size * 3), { raw: { width: size, height: size, channels: 3 } })
    .png()
    .toBuffer();

it('403 limit_exceeded exactly for the images over the limit, even in simultaneous requests', async () => {
  const results = await Promise.allSettled(images(30, 9_000).map((image) => limited().add(accountId, [image])));
  const rejected = results.filter(({ status }) => status === 'rejected');
  expect([results.length - rejected.length, await used()]).toEqual([11, 99_000]);
  for (const result of rejected) expect((result as PromiseRejectedResult).reason).toBeInstanceOf(LimitExceeded);
});

it('403 limit_exceeded names the limit and the usage, and rejected images do not count towards the limit', async () => {
  await limited().add(accountId, images(1, 90_000));
  await expect(limited().add(accountId, images(3, 9_000))).rejects.toThrow(/may store 0.1 MiB .* stores 0.1 MiB/);
  expect(await used()).toBe(90_000);
});

it('the service counts an image once, however often it is stored, until the image is deleted', async () => {
  const [one, two, three] = images(3, 30_000);
  await Promise.all([limited().add(accountId, [one!, two!]), limited().add(accountId, [two!, one!])]);
  await limited().add(accountId, [three!]);
  expect(await used()).toBe(90_000);
  const database = nest.get(Database);
  await database.transaction((tx) => limited().remove(tx, accountId, [one!.key, three!.key, 'images/unknown']));
  expect(await used()).toBe(30_000);
});

it('503 storage_unavailable for a new image while storage is unavailable; a saved template keeps its images', async () => {
  const service = nest.get(ImagesService);
  const bytes = await aPicture(80);
  const urls = { icon: await service.store(accountId, bytes, 'icon') };
  const images = await service.prepareAll(accountId, urls, 'offer', null);
  const other = { icon: await service.store(accountId, await aPicture(81), 'icon') };
  const storage = nest.get<BlobStorage, MemoryStorage>(BlobStorage);
  const fail = () => Promise.reject(new StorageUnavailable());
  const failing = (['has', 'get', 'put'] as const).map((call) => jest.spyOn(storage, call).mockImplementation(fail));
  const known = { type: 'offer', images } as const;
  expect(await service.prepareAll(accountId, urls, 'offer', known)).toEqual(images);
  await expect(service.prepareAll(accountId, other, 'offer', known)).rejects.toBeInstanceOf(StorageUnavailable);
  const database = nest.get(Database);
  const keys = images.icon!.files.map(({ key }) => key);
  await database.transaction((tx) => limited().remove(tx, accountId, keys.slice(0, 1)));
  await expect(service.prepareAll(accountId, urls, 'offer', known)).rejects.toBeInstanceOf(StorageUnavailable);
  for (const call of failing) call.mockRestore();
});

it('503 storage_unavailable for an image whose content in storage is damaged', async () => {
  const service = nest.get(ImagesService);
  const urls = { icon: await service.store(accountId, await aPicture(80), 'icon') };
  const images = await service.prepareAll(accountId, urls, 'offer', null);
  const storage = nest.get<BlobStorage, MemoryStorage>(BlobStorage);
  const read = storage.get.bind(storage);
  const halve = jest
    .spyOn(storage, 'get')
    .mockImplementation(async (key) => (await read(key))?.subarray(0, 100) ?? null);
  await expect(service.appleFiles(Object.values(images))).rejects.toBeInstanceOf(StorageUnavailable);
  await expect(service.prepareAll(accountId, urls, 'offer', null)).rejects.toBeInstanceOf(StorageUnavailable);
  halve.mockRestore();
});

describe('an upload', () => {
  /** Returns the transactions that wrote the lease, the count and the planned deletion of the account's uploads. */
  const transactions = () =>
    nest.get(Database).reads.query<{ table: string; id: string }[]>(
      `SELECT 'image_hold' AS table, xmin::text AS id FROM image_hold WHERE account_id = $1
       UNION ALL SELECT 'stored_image', xmin::text FROM stored_image WHERE account_id = $1
       UNION ALL SELECT 'jobs', xmin::text FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1`,
      [accountId],
    );

  it('the service leases an upload, plans its deletion and counts it in one transaction', async () => {
    await nest.get(ImagesService).store(accountId, await aPicture(70), 'icon');
    const written = await transactions();
    expect(written.map(({ table }) => table).sort()).toEqual(['image_hold', 'jobs', 'stored_image']);
    expect(new Set(written.map(({ id }) => id)).size).toBe(1);
  });

  it('403 limit_exceeded for an upload over the limit, without a lease or a job', async () => {
    const full = 'INSERT INTO image_usage (account_id, size_bytes) VALUES ($1, $2)';
    await nest.get(Database).reads.query(full, [accountId, 5 * 2 ** 30]);
    const upload = nest.get(ImagesService).store(accountId, await aPicture(70), 'icon');
    await expect(upload).rejects.toBeInstanceOf(LimitExceeded);
    expect(await transactions()).toEqual([]);
    const storage = nest.get<BlobStorage, MemoryStorage>(BlobStorage);
    expect([...storage.blobs.keys()].filter((key) => key.includes(accountId))).toEqual([]);
  });
});

it('the image usage counts the bytes of uploads and of their generated sizes', async () => {
  const service = nest.get(ImagesService);
  const url = await service.store(accountId, await aPicture(90), 'thumbnail');
  await service.prepare(accountId, url, 'thumbnail', 'generic', 'thumbnail');
  const storage = nest.get<BlobStorage, MemoryStorage>(BlobStorage);
  const stored = [...storage.blobs].filter(([key]) => key.startsWith(`images/${accountId}/`));
  expect(stored.length).toBeGreaterThan(2);
  expect(await used()).toBe(stored.reduce((sum, [, blob]) => sum + blob.bytes.length, 0));
});

it('the account overview shows the stored bytes and the limit', async () => {
  const storage = async () => (await nest.get(StorageOverviewListener).describe(accountId)).storage;
  expect(await storage()).toEqual({ imageBytes: 0, maxImageBytes: 5 * 2 ** 30 });
  await limited().add(accountId, images(2, 30_000));
  expect(await storage()).toEqual({ imageBytes: 60_000, maxImageBytes: 5 * 2 ** 30 });
  const unlimited: ImagesOptions = { ...nest.get(ImagesOptions), imageBytesPerAccount: 0 };
  const repository = new StoredImagesRepository(nest.get(Database).reads.connection, unlimited);
  expect(await repository.use(accountId)).toEqual({ imageBytes: 60_000 });
});

it('503 storage_unavailable for an image that storage has lost, which the log names once', async () => {
  const [lost, other] = images(2, 1000);
  const stored = limited();
  await stored.add(accountId, [lost!, other!]);
  const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  for (const { key } of [lost!, other!, lost!, lost!]) {
    await expect(stored.acceptMissing(accountId, key)).rejects.toMatchObject({
      code: 'storage_unavailable',
      cause: undefined,
    });
  }
  expect(log.mock.calls.map(([message]) => String(message).split(' ')[0])).toEqual([lost!.key, other!.key]);
  log.mockRestore();
});
