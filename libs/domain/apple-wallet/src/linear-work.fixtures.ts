import type { ImagesService } from '@passwright/images';
import type { PassAddress, WalletPass } from '@passwright/passes';
import type { Template, TemplatesService } from '@passwright/templates';
import type { WorkCase } from '@passwright/testing';
import { takenLines } from './logs/log-lines.js';
import { decodeTag, isSigned } from './devices/update-tag.js';
import { PackageLayoutCache } from './packages/package-layout-cache.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const lines = (size: number) => Array.from({ length: size }, (_, n) => `Web service error for pass ${n}`);

const template = {
  ...{ type: 'offer', createdAt: new Date(0), revision: 1 },
  ...{ images: {}, localisedImages: { de: { logo: {} } } },
} as unknown as Template;
const packages = new PackageLayoutCache(
  { baseUrl: '', passTokenSecret: '', packageCacheBytes: 10_000_000 },
  { get: () => Promise.resolve(template) } as unknown as TemplatesService,
  { appleFiles: () => Promise.resolve([{ name: 'logo.png', data: Buffer.alloc(9) }]) } as unknown as ImagesService,
);
const languages = (size: number) => Array.from({ length: size }, (_, n) => `aa-${n}`);

/** Lists the files of a package in many languages. */
async function inLanguages(tags: string[]): Promise<void> {
  const address = { accountId: 'acc', templateId: 't', passId: 'p' } as PassAddress;
  const row = { pass: {}, template } as unknown as WalletPass;
  const shared = await packages.for(address, row);
  const { images } = await packages.imagesOf(address, row, shared, tags);
  shared.layout.with(...images);
}

/** The parsers and builders of this package, each with the input that costs it the most work. */
export const cases: readonly WorkCase[] = [
  ['log lines', lines, takenLines],
  ['one log line of line ends', repeated('\n'), (line: string) => takenLines([line])],
  ['one log line of quotation marks', repeated("'"), (line: string) => takenLines([line])],
  ['an update tag', repeated('1:'), decodeTag],
  ['a package in many languages', languages, inLanguages],
  ['the signature of an update tag', repeated('A.'), (tag: string) => isSigned(tag, 'secret')],
];
