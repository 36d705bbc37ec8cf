import type { TestingModule } from '@nestjs/testing';
import { NotReady } from '@passwright/core';
import { Database } from '@passwright/database';
import { ImagesService } from '@passwright/images';
import { pngOf } from '@passwright/testing/images';
import { TemplateImageListener } from '../images/template-image.listener.js';
import { anAccount, aRequest, templatesModule } from '../templates.fixtures.js';
import { imagesIn, localisedBytes, localisedPurposesOf } from './localised-images.js';
import { recordedContent } from './template-content.js';
import { toTemplateResponse } from './template-response.dto.js';
import type { Template } from './template.entity.js';
import { languageLimits } from './template-images.service.js';
import { TemplatesService } from './templates.service.js';

let nest: TestingModule;
let templates: TemplatesService;
let images: ImagesService;
let accountId: string;
let [logo, german, austrian] = ['', '', ''];

beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
  templates = nest.get(TemplatesService);
  images = nest.get(ImagesService);
});
afterAll(() => nest.close());
beforeEach(async () => {
  accountId = await anAccount(nest);
  const store = async (width: number) => images.store(accountId, await pngOf(width, 150), 'logo');
  [logo, german, austrian] = await Promise.all([store(600), store(480), store(400)]);
});

const save = async (translations: object, changes: object = {}) =>
  templates.upsert(accountId, 't', await aRequest('offer', { logo, translations, ...changes }), null);
const logoIn = (template: Template, language: string | null) => imagesIn(template, language).logo?.url;
const keysOf = ({ localisedImages }: Template) =>
  Object.values(localisedImages ?? {}).flatMap((of) =>
    Object.values(of).flatMap(({ files }) => files.map(({ key }) => key)),
  );

it('a language uses its own images, or those of a more general language tag, or the template’s own', async () => {
  const template = await save({
    de: { 'images.logo': german },
    'de-AT': { 'images.logo': austrian },
    fr: { title: 'X' },
  });
  expect(['de', 'de-AT', 'de-CH', 'fr', null].map((language) => logoIn(template, language))).toEqual([
    german,
    austrian,
    german,
    logo,
    logo,
  ]);
  // In its own language, the template shows its own image, not that of a more general tag.
  expect(logoIn({ ...template, language: 'de-CH' }, 'de-CH')).toBe(logo);
  expect(imagesIn(template, 'de').icon).toEqual(template.images.icon);
  expect(imagesIn(template, 'de').logo?.files.length).toBe(template.images.logo?.files.length);
  expect(await templates.get(accountId, 't')).toMatchObject({ localisedImages: template.localisedImages });
  expect((await save({ fr: { title: 'X' } })).localisedImages).toBeNull();
});

it('a template ignores the images of a language whose translations name no images', async () => {
  const { localisedImages, ...stored } = await save({ de: { 'images.logo': german }, fr: { 'images.logo': austrian } });
  const changed = { ...stored, localisedImages, translations: { de: { title: 'X' }, fr: { 'images.logo': austrian } } };
  expect(['de', 'fr'].map((language) => logoIn(changed, language))).toEqual([logo, austrian]);
  expect([...localisedPurposesOf(changed)]).toEqual(['logo']);
  expect([...localisedPurposesOf({ ...changed, translations: null })]).toEqual([]);
});

it('a template with artwork has the logo of its poster in each language', async () => {
  const artwork = await images.store(accountId, await pngOf(1074, 1344), 'artwork');
  const { localisedImages } = await save({ de: { 'images.logo': german } }, { artwork });
  expect(Object.keys(localisedImages?.de ?? {}).sort()).toEqual(['logo', 'primaryLogo']);
});

it('another image for a language creates a new revision, but the same image sent again does not', async () => {
  const revisions = [];
  for (const url of [german, german, austrian]) revisions.push((await save({ de: { 'images.logo': url } })).revision);
  expect(revisions).toEqual([1, 1, 2]);
});

it('a response contains the image addresses as they were sent, but the audit trail omits their query strings', async () => {
  const template = await save({ de: { 'images.logo': german } });
  expect(toTemplateResponse(template)).toMatchObject({ translations: { de: { 'images.logo': german } } });
  const signed = {
    ...template,
    translations: { de: { 'images.logo': 'https://a.example/logo.png?signature=secret' } },
  };
  expect(recordedContent(signed)).toMatchObject({
    translations: { de: { 'images.logo': 'https://a.example/logo.png' } },
  });
});

it('the images of a language are kept as long as the template has them', async () => {
  const used = async (keys: readonly string[]) =>
    nest.get(Database).transaction((tx) => nest.get(TemplateImageListener).usedKeys(tx, accountId, keys));
  const released = async () => {
    const sql = `SELECT payload->'keys' AS keys FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1`;
    const rows = await nest.get(Database).reads.query<{ keys: string[] | null }[]>(sql, [accountId]);
    return rows.flatMap(({ keys }) => keys ?? []);
  };
  const first = keysOf(await save({ de: { 'images.logo': german } }));
  expect(first.length).toBeGreaterThan(3);
  expect([...(await used(first))].sort()).toEqual([...new Set(first)].sort());
  const second = keysOf(await save({ de: { 'images.logo': austrian } }));
  expect(await used(first)).toEqual(new Set());
  expect(await released()).toEqual(expect.arrayContaining(first));
  await templates.delete(accountId, 't');
  expect(await released()).toEqual(expect.arrayContaining(second));
});

it('400 image_invalid names the language and the image', async () => {
  await expect(save({ de: { 'images.logo': 'https://passes.example/none.txt' } })).rejects.toThrow(
    /^translations\["de"\]\["images\.logo"\]/,
  );
  await expect(templates.get(accountId, 't')).rejects.toThrow('There is no template');
});

describe('the images of many languages', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    languageLimits.startMs = 30_000;
  });
  const many = () => ({ de: { 'images.logo': german }, fr: { 'images.logo': austrian }, it: { 'images.logo': logo } });

  it('the service prepares the images of all languages simultaneously', async () => {
    const { prepareAll } = images;
    const begun: (() => void)[] = [];
    jest.spyOn(images, 'prepareAll').mockImplementation(async (...args) => {
      if (args[4]?.signal) {
        await new Promise<void>((resolve) => {
          begun.push(resolve);
          if (begun.length === 3) for (const each of begun) each();
        });
      }
      return prepareAll.apply(images, args);
    });
    const { localisedImages } = await save(many());
    expect(Object.entries(localisedImages ?? {}).map(([language, of]) => [language, of.logo?.url])).toEqual([
      ['de', german],
      ['fr', austrian],
      ['it', logo],
    ]);
  });

  it('503 not_ready, without waiting for more images, if the images of a language cannot be loaded in time', async () => {
    languageLimits.startMs = 50;
    const waiting: Promise<unknown>[] = [];
    const { prepareAll } = images;
    jest.spyOn(images, 'prepareAll').mockImplementation((...args) => {
      const signal = args[4]?.signal;
      if (!signal) return prepareAll.apply(images, args);
      const wait = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      waiting.push(wait);
      return wait;
    });
    await expect(save(many())).rejects.toThrow(NotReady);
    const ends = await Promise.allSettled(waiting);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

it('localisedBytes counts the images of a package once for each language', async () => {
  const template = await save({ de: { 'images.logo': german } });
  const sizeOf = (of: Template['images']) =>
    of.logo?.files.filter(({ wallet }) => wallet === 'apple').reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) ?? 0;
  const [own, other] = [sizeOf(template.images), sizeOf(template.localisedImages?.de ?? {})];
  expect(other).toBeGreaterThan(0);
  expect(localisedBytes(template, [null, 'de', 'fr'])).toBe(2 * own + other);
  expect(localisedBytes({ images: template.images, localisedImages: null }, [null, 'de'])).toBe(0);
});
