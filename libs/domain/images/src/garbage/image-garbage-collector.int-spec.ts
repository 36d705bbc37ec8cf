import { randomBytes } from 'node:crypto';
import type { TestingModule } from '@nestjs/testing';
import { BlobStorage, Clock, ConcurrencyLimiter, inRequestOf, RequestSlot } from '@passwright/core';
import { Database } from '@passwright/database';
import type { FixedClock, MemoryStorage } from '@passwright/testing';
import sharp from 'sharp';
import { ImageLeasesRepository } from '../leases/image-leases.repository.js';
import { ImageLeases } from '../leases/image-leases.service.js';
import { ImageGarbageCollector } from './image-garbage-collector.service.js';
import type { ImagesReleased } from './image-garbage.jobs.js';
import type { PreparedImage } from '../variants/prepared-image.js';
import { ImagesService } from '../images/images.service.js';
import { StoredImagesRepository } from '../storage/stored-images.repository.js';
import { anAccount, imagesModule, ShownImages } from '../images.fixtures.js';

let testing: TestingModule;
let database: Database;
let clock: FixedClock;
let storage: MemoryStorage;
let images: ImagesService;
let garbage: ImageGarbageCollector;
let accountId: string;
const { signal } = new AbortController();
const lease = 15 * 60;

beforeAll(async () => {
  testing = await imagesModule();
  database = testing.get(Database);
  clock = testing.get(Clock);
  storage = testing.get(BlobStorage);
  images = testing.get(ImagesService);
  garbage = testing.get(ImageGarbageCollector);
});
afterAll(() => testing.close());
beforeEach(async () => {
  accountId = await anAccount(testing);
});
afterEach(() => jest.restoreAllMocks());

/** Uploads a unique image. */
async function upload(): Promise<string> {
  const raw = { width: 90, height: 90, channels: 3 } as const;
  const bytes = await sharp(randomBytes(90 * 90 * 3), { raw })
    .png()
    .toBuffer();
  return images.store(accountId, bytes, 'thumbnail');
}

const prepare = (url: string, known?: PreparedImage) =>
  images.prepare(accountId, url, 'thumbnail', 'generic', 'thumbnail', known);

const show = (image: PreparedImage) => testing.get(ShownImages).show(accountId, image);

const collect = ({ files, source, recipe }: PreparedImage) => {
  const keys = [...new Set(files.map(({ key }) => key))];
  return garbage.collect({ accountId, keys, source, recipe }, signal);
};

const isStored = ({ files }: PreparedImage) => files.every(({ key }) => storage.blobs.has(key));
const isGone = ({ files }: PreparedImage) => !files.some(({ key }) => storage.blobs.has(key));

describe('a stored image', () => {
  it('the service deletes a stored image that no template or pass shows', async () => {
    const image = await prepare(await upload());
    clock.advance(lease);
    await collect(image);
    expect(isGone(image)).toBe(true);
  });

  it('the service keeps a stored image while a listener reports that the image is shown', async () => {
    const image = await prepare(await upload());
    show(image);
    clock.advance(lease);
    await collect(image);
    expect(isStored(image)).toBe(true);
  });

  it('the service keeps a stored image until its lease ends, and then checks the image again', async () => {
    const image = await prepare(await upload());
    await collect(image);
    expect(isStored(image)).toBe(true);
    const jobs = await database.reads.query(
      `SELECT j.run_at FROM graphile_worker.jobs j JOIN graphile_worker._private_jobs p USING (id)
       WHERE task_identifier = 'images.released' AND p.key IS NULL AND p.payload->>'accountId' = $1`,
      [accountId],
    );
    expect(jobs).toEqual([{ run_at: new Date(clock.now().getTime() + lease * 1000) }]);
    show(image);
    clock.advance(lease);
    await collect(image);
    expect(isStored(image)).toBe(true);
  });

  it('the service stores an image again if a request needs the image during its deletion', async () => {
    const url = await upload();
    const image = await prepare(url);
    clock.advance(lease);
    let open = () => {};
    const barrier = new Promise<void>((resolve) => (open = resolve));
    const reached = new Promise<void>((resolve) => {
      const original = storage.delete.bind(storage);
      jest.spyOn(storage, 'delete').mockImplementation(async (key) => {
        resolve();
        await barrier;
        return original(key);
      });
    });
    const collecting = collect(image);
    await reached;
    const puts = jest.spyOn(storage, 'put');
    const again = prepare(url, image);
    const takes = jest.spyOn(testing.get(ImageLeasesRepository), 'take');
    while (takes.mock.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(puts).not.toHaveBeenCalled();
    open();
    await collecting;
    const anew = await again;
    expect(anew.files).toEqual(image.files);
    expect(isStored(anew)).toBe(true);
  });

  it('a request frees its slot in the concurrency limiter while it waits for the deletion of an image', async () => {
    const url = await upload();
    const image = await prepare(url);
    const keys = [...new Set(image.files.map(({ key }) => key))];
    clock.advance(lease);
    const [now, leases] = [clock.now(), testing.get(ImageLeasesRepository)];
    const until = { now, ms: 60_000 };
    await database.transaction((tx) => leases.claim(tx, accountId, keys, until));
    const limiter = new ConcurrencyLimiter({ width: 1, maxWaitingPerKey: 9, maxWaiting: 9, rejection: 'Too many.' });
    const slot = new RequestSlot(limiter, 'tenant');
    await slot.take();
    const taking = inRequestOf({ ip: undefined, requestId: 'r', slot }, () =>
      testing.get(ImageLeases).take(accountId, keys),
    );
    (await limiter.enter('stranger'))();
    await database.transaction((tx) => leases.endDeletion(tx, accountId, keys));
    await taking;
  });

  it('the service generates the sizes of an image again after their deletion', async () => {
    const url = await upload();
    const known = await prepare(url);
    clock.advance(lease);
    await collect(known);
    expect(isStored(await prepare(url, known))).toBe(true);
  });

  it('the service deletes a stored image in a second attempt if the first attempt fails', async () => {
    const image = await prepare(await upload());
    clock.advance(lease);
    jest.spyOn(storage, 'delete').mockRejectedValueOnce(new Error('out of reach'));
    await expect(collect(image)).rejects.toThrow('out of reach');
    clock.advance(61);
    await garbage.collectUnsaved(signal);
    expect(isGone(image)).toBe(true);
    expect(isStored(await prepare(await upload()))).toBe(true);
  });

  it('the service deletes a fetched image if its template or pass was never saved', async () => {
    const url = await upload();
    const image = await prepare(url);
    await garbage.collectUnsaved(signal);
    expect(isStored(image)).toBe(true);
    clock.advance(lease);
    await garbage.collectUnsaved(signal);
    expect(isGone(image)).toBe(true);
    expect(storage.blobs.has(new URL(url).pathname.slice(1))).toBe(true);
    expect(await database.reads.query('SELECT FROM image_hold WHERE account_id = $1', [accountId])).toEqual([]);
  });
});

describe('many images on a slow storage', () => {
  const COUNT = 220;
  beforeEach(async () => {
    const keys = Array.from({ length: COUNT }, () => `images/${accountId}/${randomBytes(32).toString('hex')}.png`);
    const sized = keys.map((key) => ({ key, sizeBytes: 1 }));
    await testing.get(StoredImagesRepository).add(accountId, sized);
    for (const key of keys) await storage.put(key, Buffer.alloc(1), 'image/png');
    const until = new Date(clock.now().getTime() - 1000);
    await testing.get(ImageLeasesRepository).take(accountId, keys, until, false);
  });

  const slowly = (before: (deleted: number) => void) => {
    const original = storage.delete.bind(storage);
    let deleted = 0;
    return jest.spyOn(storage, 'delete').mockImplementation(async (key) => {
      before(deleted);
      await new Promise((resolve) => setImmediate(resolve));
      await original(key);
      deleted += 1;
    });
  };
  const inStorage = () => [...storage.blobs.keys()].filter((key) => key.includes(accountId)).length;
  const leased = () => database.reads.query('SELECT FROM image_hold WHERE account_id = $1', [accountId]);
  const counted = async () => (await testing.get(StoredImagesRepository).use(accountId)).imageBytes;

  it('an aborted job records the images that it has deleted, and the next job deletes the remaining images', async () => {
    const aborting = new AbortController();
    const deletes = slowly((deleted) => deleted === 120 && aborting.abort(new Error('stopping')));
    await expect(garbage.collectUnsaved(aborting.signal)).rejects.toThrow('stopping');
    expect(deletes.mock.calls.length).toBeLessThan(130);
    expect([inStorage(), (await leased()).length]).toEqual([await counted(), await counted()]);
    expect(await counted()).toBeLessThanOrEqual(COUNT - 120);
    deletes.mockClear();
    clock.advance(61);
    await garbage.collectUnsaved(signal);
    expect(deletes.mock.calls.length).toBeLessThanOrEqual(COUNT - 120);
    expect([inStorage(), await leased(), await counted()]).toEqual([0, [], 0]);
  });

  it('the service deletes several images at a time, and completes each batch before the batch’s claim expires', async () => {
    let [running, most] = [0, 0];
    const deletes = slowly(() => {
      clock.advance(0.5);
      most = Math.max(most, (running += 1));
      setImmediate(() => setImmediate(() => (running -= 1)));
    });
    await garbage.collectUnsaved(signal);
    expect([deletes.mock.calls.length, inStorage(), await leased()]).toEqual([COUNT, 0, []]);
    expect(most).toBeGreaterThan(1);
  });

  it('a batch that times out records the images that it has deleted', async () => {
    slowly(() => clock.advance(1));
    await expect(garbage.collectUnsaved(signal)).rejects.toThrow('Deleting images took too long');
    expect(await counted()).toBeLessThanOrEqual(COUNT - 29);
    expect([inStorage(), (await leased()).length]).toEqual([await counted(), await counted()]);
  });
});

describe('an uploaded image', () => {
  const key = (url: string) => new URL(url).pathname.slice(1);
  const waiting = () =>
    database.reads.query<{ payload: ImagesReleased['payload']; run_at: Date }[]>(
      `SELECT payload, run_at FROM graphile_worker._private_jobs
        WHERE key IS NOT NULL AND payload->>'accountId' = $1 AND payload->'keys' IS NOT NULL`,
      [accountId],
    );

  it('the service deletes an unused upload a day after it was last sent, in a single job', async () => {
    const raw = { width: 90, height: 90, channels: 3 } as const;
    const bytes = await sharp(randomBytes(90 * 90 * 3), { raw })
      .png()
      .toBuffer();
    // Use times in the future, because a job that is already due cannot be postponed.
    clock.advance(10 * 365 * 86_400);
    const url = await images.store(accountId, bytes, 'thumbnail');
    clock.advance(3600);
    expect(await images.store(accountId, bytes, 'thumbnail')).toBe(url);
    const [job, ...more] = await waiting();
    expect([job!.run_at, more]).toEqual([new Date(clock.now().getTime() + 86_400_000), []]);
    clock.advance(86_400);
    await garbage.collect(job!.payload, signal);
    expect(storage.blobs.has(key(url))).toBe(false);
  });

  it('the service keeps an upload while a pass shows it, and deletes it when the pass shows another image', async () => {
    const url = await upload();
    const image = await prepare(url);
    show(image);
    const [job] = await waiting();
    clock.advance(86_400);
    await garbage.collect(job!.payload, signal);
    expect(storage.blobs.has(key(url))).toBe(true);
    const other = await prepare(await upload());
    show(other);
    await database.transaction((tx) => garbage.release(tx, accountId, image, other));
    const released = await database.reads.query<{ payload: ImagesReleased['payload'] }[]>(
      `SELECT payload FROM graphile_worker._private_jobs WHERE key IS NULL AND payload->>'accountId' = $1`,
      [accountId],
    );
    for (const { payload } of released) await garbage.collect(payload, signal);
    expect([storage.blobs.has(key(url)), isGone(image), isStored(other)]).toEqual([false, true, true]);
  });
});
