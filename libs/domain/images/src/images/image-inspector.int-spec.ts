import type { TestingModule } from '@nestjs/testing';
import sharp from 'sharp';
import { anAccount, imagesModule } from '../images.fixtures.js';
import { ImageInspector } from './image-inspector.service.js';
import { ImagesService } from './images.service.js';

const size = { width: 4, height: 2 };
let nest: TestingModule;

beforeAll(async () => {
  nest = await imagesModule();
  await nest.init();
});
afterAll(() => nest.close());

/** Uploads a banner, and returns its address. */
async function anUpload(accountId: string): Promise<string> {
  const bytes = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#1f2a6b' } })
    .png()
    .toBuffer();
  const { banner = '' } = await nest.get(ImagesService).storeAll(accountId, { banner: bytes });
  return banner;
}

it('ImageInspector keeps one small copy of an upload, whatever the query and the fragment of its address', async () => {
  const inspector = nest.get(ImageInspector);
  const accountId = await anAccount(nest);
  const url = await anUpload(accountId);
  const copy = await inspector.smallCopy(accountId, url, size);
  expect(copy).toMatchObject(size);
  expect(await inspector.smallCopy(accountId, `${url}?version=2#top`, size)).toBe(copy);
  expect(await inspector.smallCopy(await anAccount(nest), url, size)).not.toBe(copy);
});
