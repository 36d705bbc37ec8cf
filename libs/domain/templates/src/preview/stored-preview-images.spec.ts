import type { PreparedFile, PreparedImages } from '@passwright/images';
import { MemoryStorage } from '@passwright/testing';
import { StoredPreviewImages } from './stored-preview-images.service.js';

let storage: MemoryStorage;
let images: StoredPreviewImages;
beforeEach(() => {
  storage = new MemoryStorage();
  images = new StoredPreviewImages(storage);
});

const file = (wallet: PreparedFile['wallet'], name: string, key: string) => ({
  wallet,
  name,
  key,
  width: 20,
  height: 10,
});
const put = (key: string) => storage.put(key, Buffer.from(key), 'image/png');
const logo = {
  files: [file('apple', 'logo@2x.png', 'images/acc_1/a.png'), file('web', 'logo.png', 'images/acc_1/w.png')],
};
const template = { logo } as unknown as PreparedImages;

it('StoredPreviewImages returns the file of the requested wallet, and nothing for purposes without an image', async () => {
  await put('images/acc_1/a.png');
  await put('images/acc_1/w.png');
  const { logo: shown, banner } = await images.of(template, 'web');
  expect(shown).toEqual({
    bytes: Uint8Array.from(Buffer.from('images/acc_1/w.png')),
    mediaType: 'image/png',
    width: 20,
    height: 10,
  });
  expect(banner).toBeUndefined();
});

it('StoredPreviewImages reads an image from the storage only once', async () => {
  await put('images/acc_1/a.png');
  const get = jest.spyOn(storage, 'get');
  const first = await images.of(template, 'apple');
  expect(await images.of(template, 'apple')).toEqual(first);
  expect(get).toHaveBeenCalledTimes(1);
});

it('StoredPreviewImages shows an image that was missing as soon as the storage has it', async () => {
  expect((await images.of(template, 'apple')).logo).toBeUndefined();
  await put('images/acc_1/a.png');
  expect((await images.of(template, 'apple')).logo).toBeDefined();
});
