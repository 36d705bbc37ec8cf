import type { TestingModule } from '@nestjs/testing';
import { Database } from '@passwright/database';
import { ImagesService } from '@passwright/images';
import { pngOf } from '@passwright/testing/images';
import sharp from 'sharp';
import { anAccount, aRequest, templatesModule } from '../templates.fixtures.js';
import { recordedContent } from './template-content.js';
import { toTemplateResponse } from './template-response.dto.js';
import { TemplatesService } from './templates.service.js';

let nest: TestingModule;
let templates: TemplatesService;
let images: ImagesService;
let accountId: string;
let artwork: string;
let logo: string;

beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
  templates = nest.get(TemplatesService);
  images = nest.get(ImagesService);
});
afterAll(() => nest.close());
beforeEach(async () => {
  accountId = await anAccount(nest);
  [artwork, logo] = await Promise.all([
    images.store(accountId, await pngOf(1074, 1344), 'artwork'),
    images.store(accountId, await pngOf(600, 150), 'logo'),
  ]);
});

const save = async (changes: object, type: 'offer' | 'generic' | 'membership' = 'offer') =>
  templates.upsert(accountId, 't', await aRequest(type, { logo, ...changes }), null);
const filesOf = async ({ images: of }: Awaited<ReturnType<typeof save>>) =>
  new Map((await images.appleFiles(Object.values(of))).map(({ name, data }) => [name, data]));

it.each(['offer', 'generic', 'membership'] as const)(
  'a template of type %s with artwork has the images of a poster at all scales',
  async (type) => {
    const files = await filesOf(await save({ artwork }, type));
    const sizes = [...files].map(async ([name, data]) => {
      const { width, height } = await sharp(data).metadata();
      return [name, `${width}x${height}`];
    });
    expect(Object.fromEntries(await Promise.all(sizes))).toMatchObject({
      'artwork.png': '358x448',
      'artwork@2x.png': '716x896',
      'artwork@3x.png': '1074x1344',
      'primaryLogo.png': '120x30',
      'primaryLogo@2x.png': '240x60',
      'primaryLogo@3x.png': '360x90',
    });
  },
);

it('a template without artwork does not have the images of a poster', async () => {
  const names = [...(await filesOf(await save({}))).keys()];
  expect(names.filter((name) => /artwork|primaryLogo/.test(name))).toEqual([]);
});

it('new artwork or another logo creates a new revision, but the same images sent again do not', async () => {
  const first = await save({});
  const second = await save({ artwork });
  const again = await save({ artwork });
  expect([first.revision, second.revision, again.revision]).toEqual([1, 2, 2]);
  expect(second.images.logo).toEqual(first.images.logo);
  const other = await save({ artwork, logo: artwork });
  expect(other.images.primaryLogo?.source).toBe(other.images.artwork?.source);
  const without = await save({});
  expect(Object.keys(without.images).sort()).toEqual(Object.keys(first.images).sort());
});

it('a response and the audit trail contain the artwork, but do not contain the logo of the poster', async () => {
  const template = await save({ artwork });
  expect(toTemplateResponse(template)).toMatchObject({ artwork, logo });
  for (const shown of [toTemplateResponse(template), recordedContent(template)]) {
    expect(Object.keys(shown)).toContain('artwork');
    expect(Object.keys(shown)).not.toContain('primaryLogo');
  }
});

it('the deletion of a poster’s images is planned when the template loses its artwork', async () => {
  const { images: of } = await save({ artwork });
  const keys = [of.artwork, of.primaryLogo].flatMap((image) => image?.files.map(({ key }) => key) ?? []);
  expect(keys).toHaveLength(7);
  await save({});
  const rows = await nest
    .get(Database)
    .reads.query<{ keys: string[] }[]>(
      `SELECT payload->'keys' AS keys FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1`,
      [accountId],
    );
  expect(rows.flatMap((row) => row.keys ?? [])).toEqual(expect.arrayContaining(keys));
});
