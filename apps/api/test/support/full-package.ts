import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { codeFormats } from '@passwright/wallet-renderers';
import { twoHalves } from '@passwright/testing/images';
import sharp from 'sharp';
import { type Account, passBody, type RunningService, type TemplateType } from './running-service.js';
import { UnpackedPackage } from './unpacked-package.js';
import { imageSizes, uploadedImage, type UploadedPurpose } from './uploaded-image.js';

export type CodeFormat = (typeof codeFormats)[number];
export type Json = Readonly<Record<string, unknown>>;
export const languages = ['en', 'de', 'ja'] as const;
export type Language = (typeof languages)[number];
type InLanguage<T> = Readonly<Record<Language, T>>;

/** The keys of the front fields. `keys` also contains the one on the back. */
export const front = ['a', 'b', 'c', 'd'];
export const keys = [...front, 'e'];
export const labels: InLanguage<(key: string) => string> = {
  en: (key) => `Label ${key}`,
  de: (key) => `Beschriftung "${key}" ß`,
  ja: (key) => `ラベル ${key}`,
};
/** The value of a field. That of the first field has quotes in the language of the template. */
export const values: InLanguage<(key: string) => string> = {
  en: (key) => (key === 'a' ? 'Value "a" é' : `Value ${key} é`),
  de: (key) => `Wert "${key}" ß`,
  ja: (key) => `値 ${key}`,
};
export const titles: InLanguage<string> = { en: 'Summer offer', de: 'Sommerfest', ja: '夏祭り' };
export const doors: InLanguage<string> = {
  en: 'Doors open at nine',
  de: 'Einlass ab "neun"',
  ja: '開場は九時',
};
export const actions = [
  { type: 'shop', url: 'https://harbour.example/shop?a=1&b=2' },
  { type: 'call', url: 'tel:+4722334455' },
];
/** Addresses in other languages. Apple Wallet has one address for all languages, so it ignores them. */
const actionsElsewhere = { 'actions.0.url': 'https://harbour.example/laden', 'actions.1.url': 'tel:+49301234567' };
const hall = { name: 'Harbour Hall', address: 'Pier 4, 0150 Oslo', latitude: 59.9075, longitude: 10.7531 };
const times = {
  startDate: '2027-06-21T18:00:00.000Z',
  doorsOpen: '2027-06-21T17:00:00.000Z',
  endDate: '2027-06-23T21:00:00.000Z',
};

const codes: Partial<Record<CodeFormat, string>> = {
  codabar: 'A31117B',
  ean13: '4006381333931',
  itf: '15400141288763',
};
export function codeOf(codeFormat: CodeFormat): string {
  return codes[codeFormat] ?? 'HH-2026-42';
}

/** Lists the purposes of the images that a test template of this type has. */
export const purposesOf = (type: TemplateType): readonly UploadedPurpose[] => [
  'logo',
  'banner',
  ...(type === 'generic' ? (['thumbnail'] as const) : []),
  ...(type === 'event' ? [] : (['artwork'] as const)),
];

/**
 * Returns an image of the minimum size for its purpose: red on the left and blue on the right. A German image has the
 * colours swapped.
 */
export async function sourceImage(purpose: UploadedPurpose, isGerman = false): Promise<Buffer> {
  const image = await twoHalves(...imageSizes[purpose])
    .png()
    .toBuffer();
  return isGerman ? sharp(image).flop().png().toBuffer() : image;
}

/** Issues passes with everything that their types allow. */
export class FullPackages {
  readonly #addresses = new Map<string, Promise<string>>();
  readonly #packages = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly service: RunningService,
    private readonly account: Account,
  ) {}

  /** Returns the package of a pass, the same one for the same arguments. */
  of(type: TemplateType, codeFormat: CodeFormat, isTranslated = true): Promise<Buffer> {
    const name = `${type} ${codeFormat} ${isTranslated}`;
    const found = this.#packages.get(name) ?? this.#packageOf(type, codeFormat, isTranslated);
    this.#packages.set(name, found);
    return found;
  }

  async #packageOf(type: TemplateType, codeFormat: CodeFormat, isTranslated: boolean): Promise<Buffer> {
    return (await this.withOther(type, codeFormat, { isTranslated })).bytes;
  }

  /**
   * Issues a pass and a linked pass of another template in the same group.
   * @returns both packages
   */
  async withOther(type: TemplateType, codeFormat: CodeFormat, { isTranslated = true, hasMessage = false } = {}) {
    const id = randomUUID();
    const { account } = this;
    expect(await account.saveTemplate(type, id, await this.#template(type, codeFormat, isTranslated))).toMatchObject({
      status: 200,
    });
    expect(await account.saveTemplate(type, `${id}-other`)).toMatchObject({ status: 200 });
    const group = { id: `order-${id}`, order: 2 };
    const other = await account.post(`/v1/pass/${id}-other`, { ...passBody(type), id: 'other', group });
    expect(other).toMatchObject({ status: 201 });
    const issued = await account.post(`/v1/pass/${id}`, {
      ...passBody(type),
      id: 'ada',
      code: codeOf(codeFormat),
      validFrom: '2026-01-01T00:00:00Z',
      expiry: '2028-01-01T00:00:00Z',
      group: { ...group, order: 1 },
      linkedPasses: [{ templateId: `${id}-other`, passId: 'other' }],
    });
    expect(issued).toMatchObject({ status: 201 });
    const downloaded = (of: typeof issued) => this.service.request('GET', of.body.walletAUrl as string);
    const download = async () => (await downloaded(issued)).bytes;
    const packages = { bytes: await download(), other: (await downloaded(other)).bytes };
    if (!hasMessage) return packages;
    const translations = { de: { title: 'Einlass', text: doors.de }, ja: { text: doors.ja } };
    const sent = await account.post(`/v1/pass/${id}/ada/messages`, { text: doors.en, translations });
    expect(sent).toMatchObject({ status: 201 });
    const has = async (bytes: Buffer) => JSON.stringify((await unpacked(bytes)).pass).includes(doors.en);
    return { ...packages, bytes: await eventually(download, has) };
  }

  async #template(type: TemplateType, codeFormat: CodeFormat, isTranslated: boolean): Promise<object> {
    const [images, germanImages] = await Promise.all([this.#uploaded(type, false), this.#uploaded(type, true)]);
    const field = (key: string) => ({ key, label: labels.en(key), value: values.en(key) });
    return {
      codeFormat,
      labelColor: '#ffd08a',
      sharingProhibited: true,
      title: titles.en,
      fields: front.map(field),
      backFields: [field('e')],
      locations: [hall],
      actions,
      ...images,
      ...(type === 'event' && { location: hall, ...times }),
      ...(isTranslated && { language: 'en', translations: { de: germanTexts(germanImages), ja: texts('ja') } }),
    };
  }

  /**
   * Stores the images of a type once.
   * @returns their addresses by purpose
   */
  async #uploaded(type: TemplateType, isGerman: boolean): Promise<Readonly<Record<string, string>>> {
    const stored = purposesOf(type).map(async (purpose) => {
      const name = `${purpose} ${isGerman}`;
      const address = this.#addresses.get(name) ?? this.#upload(purpose, isGerman);
      this.#addresses.set(name, address);
      return [purpose, await address] as const;
    });
    return Object.fromEntries(await Promise.all(stored));
  }

  async #upload(purpose: UploadedPurpose, isGerman: boolean): Promise<string> {
    return uploadedImage(this.account, purpose, await sourceImage(purpose, isGerman));
  }
}

function texts(language: Language): Readonly<Record<string, string>> {
  const ofField = (key: string, list: string) => ({
    [`${list}.${key}.label`]: labels[language](key),
    [`${list}.${key}.value`]: values[language](key),
  });
  return Object.assign(
    { title: titles[language], ...ofField('e', 'backFields') },
    ...front.map((key) => ofField(key, 'fields')),
  );
}

function germanTexts(images: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const addresses = Object.entries(images).map(([purpose, url]) => [`images.${purpose}`, url]);
  return { ...texts('de'), ...Object.fromEntries(addresses), ...actionsElsewhere };
}

interface Unpacked {
  readonly pass: Json;
  readonly files: ReadonlyMap<string, Buffer>;
}

const unpackedPackages = new WeakMap<Buffer, Promise<Unpacked>>();

/** Returns the pass and the files of a package. Unpacks each buffer only once, because many tests read it. */
export async function unpacked(bytes: Buffer): Promise<Unpacked> {
  const found = unpackedPackages.get(bytes) ?? unpack(bytes);
  unpackedPackages.set(bytes, found);
  const { pass, files } = await found;
  return { pass: structuredClone(pass), files };
}

async function unpack(bytes: Buffer): Promise<Unpacked> {
  const found = await UnpackedPackage.of(bytes);
  const files = new Map(found.names.map((name) => [name, readFileSync(join(found.dir, name))]));
  found.remove();
  return { pass: found.pass as Json, files };
}

async function eventually<T>(read: () => Promise<T>, isRight: (value: T) => Promise<boolean>): Promise<T> {
  for (const end = performance.now() + 15_000; performance.now() < end; await pause(100)) {
    const value = await read();
    if (await isRight(value)) return value;
  }
  throw new Error('the package does not show what was written');
}

const halvesOfImages = new Map<string, Promise<string[]>>();

/**
 * Returns the colours of the left and the right of an image. Decodes each image only once, because many packages
 * contain it.
 */
export function halvesOf(file: Buffer): Promise<string[]> {
  const checksum = createHash('sha256').update(file).digest('base64');
  const found = halvesOfImages.get(checksum) ?? decodedHalves(file);
  halvesOfImages.set(checksum, found);
  return found;
}

async function decodedHalves(file: Buffer): Promise<string[]> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const row = Math.floor(info.height / 2) * info.width;
  return [0.25, 0.75].map((part) => {
    const at = (row + Math.floor(info.width * part)) * info.channels;
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    if (green > 10) return 'another';
    return red > 240 && blue < 15 ? 'red' : blue > 240 && red < 15 ? 'blue' : 'another';
  });
}

/** Returns the share of differing pixels of two images; 1 if their sizes differ. */
export async function differingPixels(image: Buffer, other: Buffer): Promise<number> {
  const pixels = (of: Buffer) =>
    sharp(of).removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const [{ data, info }, expected] = await Promise.all([pixels(image), pixels(other)]);
  if (info.width !== expected.info.width || info.height !== expected.info.height) return 1;
  if (data.equals(expected.data)) return 0;
  let differing = 0;
  for (let at = 0; at < data.length; at += info.channels) {
    if (data.compare(expected.data, at, at + info.channels, at, at + info.channels) !== 0) differing += 1;
  }
  return differing / (info.width * info.height);
}
