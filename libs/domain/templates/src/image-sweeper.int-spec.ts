import { randomBytes } from 'node:crypto';
import type { TestingModule } from '@nestjs/testing';
import { BlobStorage, Clock, ConcurrencyLimiter, inRequestOf, RequestPlace } from '@passwright/core';
import { Database } from '@passwright/database';
import type { FixedClock, MemoryStorage } from '@passwright/testing';
import sharp from 'sharp';
import { hasPassSql, ImageHoldsRepository, nameOf, ofPassSql } from './image-holds.repository.js';
import { ImageHolds } from './image-holds.js';
import { ImageSweeper } from './image-sweeper.js';
import type { ImagesReleased } from './images.jobs.js';
import type { PreparedImage } from './template-images.js';
import { TemplateImagesService } from './template-images.service.js';
import { anAccount, aPassOf, aRequest, templatesModule } from './templates.fixtures.js';
import { TemplatesService } from './templates.service.js';

let testing: TestingModule;
let database: Database;
let clock: FixedClock;
let storage: MemoryStorage;
let images: TemplateImagesService;
let sweeper: ImageSweeper;
let accountId: string;
const context = { signal: new AbortController().signal };
const hold = 15 * 60;

beforeAll(async () => {
  testing = await templatesModule();
  database = testing.get(Database);
  clock = testing.get(Clock);
  storage = testing.get(BlobStorage);
  images = testing.get(TemplateImagesService);
  sweeper = testing.get(ImageSweeper);
});
afterAll(() => testing.close());
beforeEach(async () => {
  accountId = await anAccount(testing);
});
afterEach(() => jest.restoreAllMocks());

/** Uploads a picture that is like no other. */
async function upload(): Promise<string> {
  const raw = { width: 90, height: 90, channels: 3 } as const;
  const bytes = await sharp(randomBytes(90 * 90 * 3), { raw })
    .png()
    .toBuffer();
  return images.store(accountId, bytes, 'thumbnail');
}

const prepare = (url: string, known?: PreparedImage) =>
  images.prepare(accountId, url, 'thumbnail', 'generic', 'thumbnail', known);

async function name(image: PreparedImage): Promise<void> {
  await aTemplate();
  await aPassOf(testing, accountId, 'generic', 'generic');
  await database.reads.query('UPDATE pass SET thumbnail = $2 WHERE account_id = $1', [accountId, image]);
}

async function aTemplate(): Promise<void> {
  await testing.get(TemplatesService).upsert(accountId, 'generic', await aRequest('generic'), null);
}

const sweep = ({ files, source, recipe }: PreparedImage) => {
  const keys = [...new Set(files.map(({ key }) => key))];
  return sweeper.sweep({ accountId, keys, source, recipe }, context);
};

const isStored = ({ files }: PreparedImage) => files.every(({ key }) => storage.blobs.has(key));
const isGone = ({ files }: PreparedImage) => !files.some(({ key }) => storage.blobs.has(key));

describe('a stored image', () => {
  it('is deleted when nothing names it', async () => {
    const image = await prepare(await upload());
    clock.advance(hold);
    await sweep(image);
    expect(isGone(image)).toBe(true);
  });

  it('stays while a pass names it, or a template does', async () => {
    const image = await prepare(await upload());
    await name(image);
    clock.advance(hold);
    await sweep(image);
    expect(isStored(image)).toBe(true);
    const template = await testing.get(TemplatesService).get(accountId, 'generic');
    await sweep(template.images.icon as PreparedImage);
    expect(isStored(template.images.icon as PreparedImage)).toBe(true);
  });

  it('stays while somebody is about to name it, and is looked at again when that must be over', async () => {
    const image = await prepare(await upload());
    await sweep(image);
    expect(isStored(image)).toBe(true);
    const jobs = await database.reads.query(
      `SELECT j.run_at FROM graphile_worker.jobs j JOIN graphile_worker._private_jobs p USING (id)
       WHERE task_identifier = 'images.released' AND p.key IS NULL AND p.payload->>'accountId' = $1`,
      [accountId],
    );
    expect(jobs).toEqual([{ run_at: new Date(clock.now().getTime() + hold * 1000) }]);
    await name(image);
    clock.advance(hold);
    await sweep(image);
    expect(isStored(image)).toBe(true);
  });

  it('that is being deleted when somebody prepares it is stored anew once it is gone', async () => {
    const url = await upload();
    const image = await prepare(url);
    clock.advance(hold);
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const reached = new Promise<void>((resolve) => {
      const original = storage.delete.bind(storage);
      jest.spyOn(storage, 'delete').mockImplementation(async (key) => {
        resolve();
        await gate;
        return original(key);
      });
    });
    const sweeping = sweep(image);
    await reached;
    const puts = jest.spyOn(storage, 'put');
    const again = prepare(url, image);
    const takes = jest.spyOn(testing.get(ImageHoldsRepository), 'take');
    while (takes.mock.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(puts).not.toHaveBeenCalled();
    open();
    await sweeping;
    const anew = await again;
    expect(anew.files).toEqual(image.files);
    expect(isStored(anew)).toBe(true);
  });

  it('that is being deleted takes no place from other requests while one waits to prepare it', async () => {
    const url = await upload();
    const image = await prepare(url);
    const keys = [...new Set(image.files.map(({ key }) => key))];
    clock.advance(hold);
    const [now, holds] = [clock.now(), testing.get(ImageHoldsRepository)];
    const until = { now, claimedUntil: new Date(now.getTime() + 60_000) };
    await database.transaction((tx) => holds.beginDeletion(tx, accountId, keys, until));
    const limiter = new ConcurrencyLimiter({ width: 1, maxWaitingPerKey: 9, maxWaiting: 9, refusal: 'Too many.' });
    const place = new RequestPlace(limiter, 'tenant');
    await place.take();
    const taking = inRequestOf({ ip: undefined, requestId: 'r', place }, () =>
      testing.get(ImageHolds).take(accountId, keys),
    );
    (await limiter.enter('stranger'))();
    await database.transaction((tx) => holds.endDeletion(tx, accountId, keys));
    await taking;
  });

  it('that was known before it was deleted is made again', async () => {
    const url = await upload();
    const known = await prepare(url);
    clock.advance(hold);
    await sweep(known);
    expect(isStored(await prepare(url, known))).toBe(true);
  });

  it('is deleted by the next try when the first broke off', async () => {
    const image = await prepare(await upload());
    clock.advance(hold);
    jest.spyOn(storage, 'delete').mockRejectedValueOnce(new Error('out of reach'));
    await expect(sweep(image)).rejects.toThrow('out of reach');
    clock.advance(61);
    await sweeper.sweepPrepared(context);
    expect(isGone(image)).toBe(true);
    expect(isStored(await prepare(await upload()))).toBe(true);
  });

  it('that was prepared for what was never saved goes by itself, before its upload', async () => {
    const url = await upload();
    const image = await prepare(url);
    await sweeper.sweepPrepared(context);
    expect(isStored(image)).toBe(true);
    clock.advance(hold);
    await sweeper.sweepPrepared(context);
    expect(isGone(image)).toBe(true);
    expect(storage.blobs.has(new URL(url).pathname.slice(1))).toBe(true);
    expect(await database.reads.query('SELECT FROM image_hold WHERE account_id = $1', [accountId])).toEqual([]);
  });
});

describe('an upload', () => {
  const key = (url: string) => new URL(url).pathname.slice(1);
  const waiting = () =>
    database.reads.query<{ payload: ImagesReleased['payload']; run_at: Date }[]>(
      `SELECT payload, run_at FROM graphile_worker._private_jobs
        WHERE key IS NOT NULL AND payload->>'accountId' = $1 AND payload->'keys' IS NOT NULL`,
      [accountId],
    );

  it('is looked at once, a day after it was made last, and goes when nothing names it', async () => {
    const raw = { width: 90, height: 90, channels: 3 } as const;
    const bytes = await sharp(randomBytes(90 * 90 * 3), { raw })
      .png()
      .toBuffer();
    // What is due by the database's clock keeps its place: these times have to lie ahead of it.
    clock.advance(10 * 365 * 86_400);
    const url = await images.store(accountId, bytes, 'thumbnail');
    clock.advance(3600);
    expect(await images.store(accountId, bytes, 'thumbnail')).toBe(url);
    const [job, ...more] = await waiting();
    expect([job!.run_at, more]).toEqual([new Date(clock.now().getTime() + 86_400_000), []]);
    clock.advance(86_400);
    await sweeper.sweep(job!.payload, context);
    expect(storage.blobs.has(key(url))).toBe(false);
  });

  it('that a pass names by then stays, until that shows another', async () => {
    const url = await upload();
    const image = await prepare(url);
    await name(image);
    const [job] = await waiting();
    clock.advance(86_400);
    await sweeper.sweep(job!.payload, context);
    expect(storage.blobs.has(key(url))).toBe(true);
    const other = await prepare(await upload());
    await database.reads.query('UPDATE pass SET thumbnail = $2 WHERE account_id = $1', [accountId, other]);
    await database.transaction((tx) => sweeper.release(tx, accountId, image, other));
    const released = await database.reads.query<{ payload: ImagesReleased['payload'] }[]>(
      `SELECT payload FROM graphile_worker._private_jobs WHERE key IS NULL AND payload->>'accountId' = $1`,
      [accountId],
    );
    for (const { payload } of released) await sweeper.sweep(payload, context);
    expect([storage.blobs.has(key(url)), isGone(image), isStored(other)]).toEqual([false, true, true]);
  });
});

describe('the picture of a template', () => {
  /** What is looked at later, and when. */
  const later = () =>
    database.reads.query<{ payload: ImagesReleased['payload']; days: number }[]>(
      `SELECT payload, round(extract(epoch FROM run_at - $2::timestamptz) / 86400)::int AS days
       FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1 AND run_at > $2::timestamptz + interval '100 days'`,
      [accountId, clock.now()],
    );
  const save = (logo: string) =>
    aRequest('generic').then((request) =>
      testing.get(TemplatesService).upsert(accountId, 'generic', { ...request, logo }, null),
    );

  it('is deleted with its upload 400 days after no template shows it any more, unless one shows it again', async () => {
    const [first, second] = [await upload(), await upload()];
    const { images: before } = await save(first);
    await save(second);
    const released = await later();
    expect(released.map(({ days }) => days)).toEqual([400, 400]);
    clock.advance(401 * 24 * 3600);
    for (const { payload } of released) await sweeper.sweep(payload, context);
    expect(isGone(before.logo!)).toBe(true);
    expect(storage.blobs.has(new URL(first).pathname.slice(1))).toBe(false);
    expect(storage.blobs.has(new URL(second).pathname.slice(1))).toBe(true);

    await testing.get(TemplatesService).delete(accountId, 'generic');
    const { images: again } = await save(second);
    const looks = await later();
    expect(looks.length).toBeGreaterThan(2);
    clock.advance(401 * 24 * 3600);
    for (const { payload } of looks) await sweeper.sweep(payload, context);
    expect(isStored(again.logo!)).toBe(true);
  });

  it('is not looked at when a template is saved with the same', async () => {
    const logo = await upload();
    await save(logo);
    await testing
      .get(TemplatesService)
      .upsert(accountId, 'generic', { ...(await aRequest('generic')), logo, title: 'Another' }, null);
    expect(await later()).toEqual([]);
  });
});

it('is looked for by indexes, however many passes have it', async () => {
  const image = await prepare(await upload());
  await name(image);
  await database.reads.query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
      metadata, version, created_at, updated_at, thumbnail)
     SELECT account_id, template_id, template_type, 'p' || n, 's' || n || account_id, 'c' || n, '[]', '[]', '[]', '{}', 1,
       created_at, created_at, CASE WHEN n % 2 = 0 THEN thumbnail
         ELSE jsonb_build_object('source', md5(n::text), 'recipe', 1, 'files', '[]'::jsonb) END
     FROM pass, generate_series(1, 8000) n WHERE account_id = $1`,
    [accountId],
  );
  await database.reads.query('ANALYZE pass');
  const plan = async (sql: string, values: unknown[]) =>
    JSON.stringify(await database.reads.query(`EXPLAIN (FORMAT JSON) ${sql}`, values));
  const bySource = await plan(hasPassSql, [accountId, 'f'.repeat(64), 1]);
  expect(bySource).toContain('pass_thumbnail_source_idx');
  const rare = `images/${accountId}/${'e'.repeat(64)}.png`;
  const byHash = await plan(ofPassSql, [accountId, nameOf(accountId, rare)]);
  expect(byHash).toContain('pass_thumbnail_idx');
  for (const text of [bySource, byHash]) expect(text).not.toMatch(/Seq Scan","[^}]*"Relation Name":"pass"/);
});
