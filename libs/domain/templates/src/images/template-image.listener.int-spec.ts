import { randomBytes } from 'node:crypto';
import type { TestingModule } from '@nestjs/testing';
import { BlobStorage, Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { ImageGarbageCollector, ImagesService, type PreparedImage } from '@passwright/images';
import type { FixedClock, MemoryStorage } from '@passwright/testing';
import sharp from 'sharp';
import { anAccount, aRequest, templatesModule } from '../templates.fixtures.js';
import { TemplatesService } from '../templates/templates.service.js';

type Released = Parameters<ImageGarbageCollector['collect']>[0];

let testing: TestingModule;
let database: Database;
let clock: FixedClock;
let storage: MemoryStorage;
let garbage: ImageGarbageCollector;
let accountId: string;
const { signal } = new AbortController();

beforeAll(async () => {
  testing = await templatesModule();
  database = testing.get(Database);
  clock = testing.get(Clock);
  storage = testing.get(BlobStorage);
  garbage = testing.get(ImageGarbageCollector);
});
afterAll(() => testing.close());
beforeEach(async () => {
  accountId = await anAccount(testing);
});

/** Uploads a unique image. */
async function upload(): Promise<string> {
  const raw = { width: 90, height: 90, channels: 3 } as const;
  const bytes = await sharp(randomBytes(90 * 90 * 3), { raw })
    .png()
    .toBuffer();
  return testing.get(ImagesService).store(accountId, bytes, 'thumbnail');
}

const isStored = ({ files }: PreparedImage) => files.every(({ key }) => storage.blobs.has(key));
const isGone = ({ files }: PreparedImage) => !files.some(({ key }) => storage.blobs.has(key));

describe('the image of a template', () => {
  /** Lists the images whose deletion is planned, with the number of days until then. */
  const later = () =>
    database.reads.query<{ payload: Released; days: number }[]>(
      `SELECT payload, round(extract(epoch FROM run_at - $2::timestamptz) / 86400)::int AS days
       FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1 AND run_at > $2::timestamptz + interval '100 days'`,
      [accountId, clock.now()],
    );
  const save = (logo: string) =>
    aRequest('generic').then((request) =>
      testing.get(TemplatesService).upsert(accountId, 'generic', { ...request, logo }, null),
    );

  it('the service keeps an image while a template shows it', async () => {
    const { images } = await save(await upload());
    const { files, source, recipe } = images.logo!;
    clock.advance(15 * 60);
    await garbage.collect({ accountId, keys: files.map(({ key }) => key), source, recipe }, signal);
    expect(isStored(images.logo!)).toBe(true);
  });

  it('an image and its upload are deleted 400 days after the last template stopped showing the image', async () => {
    const [first, second] = [await upload(), await upload()];
    const { images: before } = await save(first);
    await save(second);
    const released = await later();
    expect(released.map(({ days }) => days)).toEqual([400, 400]);
    clock.advance(401 * 24 * 3600);
    for (const { payload } of released) await garbage.collect(payload, signal);
    expect(isGone(before.logo!)).toBe(true);
    expect(storage.blobs.has(new URL(first).pathname.slice(1))).toBe(false);
    expect(storage.blobs.has(new URL(second).pathname.slice(1))).toBe(true);

    await testing.get(TemplatesService).delete(accountId, 'generic');
    const { images: again } = await save(second);
    const looks = await later();
    expect(looks.length).toBeGreaterThan(2);
    clock.advance(401 * 24 * 3600);
    for (const { payload } of looks) await garbage.collect(payload, signal);
    expect(isStored(again.logo!)).toBe(true);
  });

  it('a save of a template with the same images does not plan the deletion of these images', async () => {
    const logo = await upload();
    await save(logo);
    await testing
      .get(TemplatesService)
      .upsert(accountId, 'generic', { ...(await aRequest('generic')), logo, title: 'Another' }, null);
    expect(await later()).toEqual([]);
  });
});
