import type { ImagesService } from '@passwright/images';
import type { PassAddress, WalletPass } from '@passwright/passes';
import type { Template, TemplatesService } from '@passwright/templates';
import { PackageLayoutCache } from './package-layout-cache.js';

const IMAGE_BYTES = 1_000_000;
const createdAt = new Date('2026-11-20T10:00:00.000Z');
const images = { icon: { url: 'https://example.com/icon.png' } };

/** Creates a cache for four images, and counts the templates whose images it loads. */
function cacheOfFourImages() {
  const loaded: string[] = [];
  const templates = {
    get: (_: string, id: string) => Promise.resolve({ id, images } as unknown as Template),
  } as unknown as TemplatesService;
  const files = [{ name: 'icon.png', data: Buffer.alloc(IMAGE_BYTES) }];
  const imagesService = { appleFiles: () => Promise.resolve(files) } as unknown as ImagesService;
  const options = { baseUrl: '', passTokenSecret: '', packageCacheBytes: 4.5 * IMAGE_BYTES };
  const get = jest.spyOn(templates, 'get');
  const cache = new PackageLayoutCache(options, templates, imagesService);
  const open = async (templateId: string, revision: number) => {
    get.mockClear();
    const address = { accountId: 'acc', templateId, passId: 'p' } as PassAddress;
    await cache.for(address, { pass: {}, template: { createdAt, revision } } as unknown as WalletPass);
    if (get.mock.calls.length > 0) loaded.push(`${templateId} ${revision}`);
  };
  return { open, loaded };
}

it('PackageLayoutCache loads a revision once, and keeps it until another revision of the template is loaded', async () => {
  const { open, loaded } = cacheOfFourImages();
  await open('gold', 1);
  await open('gold', 1);
  await open('gold', 2);
  await open('gold', 2);
  expect(loaded).toEqual(['gold 1', 'gold 2']);
});

it('PackageLayoutCache keeps one revision of a template, so that a template that changes often displaces no other', async () => {
  const { open, loaded } = cacheOfFourImages();
  await open('quiet', 1);
  for (let revision = 1; revision <= 10; revision++) await open('busy', revision);
  await open('quiet', 1);
  expect(loaded.filter((name) => name.startsWith('quiet'))).toEqual(['quiet 1']);
});
