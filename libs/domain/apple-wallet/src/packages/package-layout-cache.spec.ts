import type { ImagesService } from '@passwright/images';
import type { PassAddress, WalletPass } from '@passwright/passes';
import type { Template, TemplatesService } from '@passwright/templates';
import { appleImageSlots, localisedPurposes, type RenderType } from '@passwright/wallet-renderers';
import { PackageLayoutCache } from './package-layout-cache.js';

const IMAGE_BYTES = 1_000_000;
const createdAt = new Date('2026-11-20T10:00:00.000Z');
const imageOf = (content: string) => ({ files: [{ wallet: 'apple', name: 'icon.png', key: `images/acc/${content}` }] });

/**
 * Creates a cache for four images. Returns it with lists of the templates and images that it reads.
 * @param contentAt returns the content of a template's only image in a revision; by default, each revision has a
 * different image
 */
function cacheOfFourImages(contentAt = (revision: number) => `${revision}`) {
  const loaded: string[] = [];
  const read: string[] = [];
  let latest = 0;
  const templates = {
    get: (_: string, id: string) =>
      Promise.resolve({ id, images: { icon: imageOf(contentAt(latest)) } } as unknown as Template),
  } as unknown as TemplatesService;
  const files = [{ name: 'icon.png', data: Buffer.alloc(IMAGE_BYTES) }];
  const appleFiles = (images: ReturnType<typeof imageOf>[]) => {
    read.push(...images.flatMap((image) => image.files.map(({ key }) => key)));
    return Promise.resolve(files);
  };
  const imagesService = { appleFiles } as unknown as ImagesService;
  const options = { baseUrl: '', passTokenSecret: '', packageCacheBytes: 4.5 * IMAGE_BYTES };
  const get = jest.spyOn(templates, 'get');
  const cache = new PackageLayoutCache(options, templates, imagesService);
  const open = async (templateId: string, revision: number) => {
    get.mockClear();
    latest = revision;
    const address = { accountId: 'acc', templateId, passId: 'p' } as PassAddress;
    await cache.for(address, { pass: {}, template: { createdAt, revision } } as unknown as WalletPass);
    if (get.mock.calls.length > 0) loaded.push(`${templateId} ${revision}`);
  };
  return { open, loaded, read };
}

it('PackageLayoutCache loads each revision once, and keeps it until it loads another revision of the template', async () => {
  const { open, loaded } = cacheOfFourImages();
  await open('gold', 1);
  await open('gold', 1);
  await open('gold', 2);
  await open('gold', 2);
  expect(loaded).toEqual(['gold 1', 'gold 2']);
});

it('PackageLayoutCache keeps one revision of each template, so that frequent changes do not evict other templates', async () => {
  const { open, loaded } = cacheOfFourImages();
  await open('quiet', 1);
  for (let revision = 1; revision <= 10; revision++) await open('busy', revision);
  await open('quiet', 1);
  expect(loaded.filter((name) => name.startsWith('quiet'))).toEqual(['quiet 1']);
});

it('PackageLayoutCache reads no image for a new revision with the same images', async () => {
  const { open, loaded, read } = cacheOfFourImages((revision) => (revision < 4 ? 'old' : 'new'));
  for (const revision of [1, 2, 3, 4, 5]) await open('gold', revision);
  expect(loaded).toHaveLength(5);
  expect(read).toEqual(['images/acc/old', 'images/acc/new']);
});

describe.each(['offer', 'event', 'generic', 'membership'] as const)('the packages of a template of type %s', (type) => {
  it.each(localisedPurposes)(
    'the package has a folder for a language that has only a %s image, if Apple Wallet shows that image',
    async (purpose) => {
      const { folders } = await packageInGerman(type, { [purpose]: { purpose, type, files: [] } }, {});
      const hasSlot = appleImageSlots(type).some((slot) => slot.purpose === purpose);
      expect(folders).toEqual(hasSlot ? ['de.lproj'] : []);
    },
  );

  it('the package keeps a language that has only a thumbnail image, even if the pass has its own thumbnail', async () => {
    const { languages } = await packageInGerman(
      type,
      { thumbnail: { purpose: 'thumbnail', type, files: [] } },
      { thumbnail: { files: [] } },
    );
    expect(languages).toEqual(['de']);
  });
});

/**
 * Builds a package of a template that has these images only in German. The cache uses the file names of real images.
 */
async function packageInGerman(type: RenderType, german: object, pass: object) {
  const template = { type, createdAt, revision: 1, images: {}, localisedImages: { de: german } } as unknown as Template;
  const slotsOf = (image: { purpose: string }) =>
    appleImageSlots(type).filter((slot) => slot.purpose === image.purpose);
  const appleFiles = (shown: { purpose: string }[]) =>
    Promise.resolve(shown.flatMap(slotsOf).map(({ baseName }) => ({ name: `${baseName}.png`, data: Buffer.alloc(9) })));
  const cache = new PackageLayoutCache(
    { baseUrl: '', passTokenSecret: '', packageCacheBytes: IMAGE_BYTES },
    { get: () => Promise.resolve(template) } as unknown as TemplatesService,
    { appleFiles } as unknown as ImagesService,
  );
  const address = { accountId: 'acc', templateId: 't', passId: 'p' } as PassAddress;
  const row = { pass, template } as unknown as WalletPass;
  const shared = await cache.for(address, row);
  const { images, languages } = await cache.imagesOf(address, row, shared, ['de']);
  const layout = shared.layout.with(...images);
  const manifest = Object.keys(JSON.parse(layout.draft('{}').manifest.toString('utf8')) as object);
  return {
    languages,
    folders: [...new Set(manifest.filter((name) => name.includes('/')).map((name) => name.split('/')[0]))],
  };
}
