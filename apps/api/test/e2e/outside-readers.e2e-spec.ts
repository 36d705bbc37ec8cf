import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeFormats } from '@passwright/wallet-renderers';
import { shownPass } from '@passwright/testing';
import { twoHalves } from '@passwright/testing/images';
import { Template } from '@walletpass/pass-js';
import Ajv from 'ajv/dist/2020.js';
import { PKPass } from 'passkit-generator';
import sharp from 'sharp';
import { passJsonSchema } from '../support/pass-json-schema.js';
import {
  type Account,
  passBody,
  RunningService,
  templateTypes,
  type TemplateType,
} from '../support/running-service.js';
import { UnpackedPackage } from '../support/unpacked-package.js';
import { imageSizes, uploadedImage, type UploadedPurpose } from '../support/uploaded-image.js';

/** Finds the program with which KDE's travel app and mail client read packages; null if it is not installed. */
function kitineraryPath(): string | null {
  const { PATH = '' } = process.env;
  const libraries = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const folders = libraries.flatMap((name) => ['kf6', 'kf5'].map((kf) => join('/usr/lib', name, 'libexec', kf)));
  const paths = [...PATH.split(':'), ...folders].map((folder) => join(folder, 'kitinerary-extractor'));
  return paths.find((path) => existsSync(path)) ?? null;
}

const kitinerary = kitineraryPath();
const missing = 'kitinerary-extractor is not installed (on Debian: libkpimitinerary-bin)';
if (!kitinerary) process.stderr.write(`${missing}: packages are not shown to it here\n`);

type CodeFormat = (typeof codeFormats)[number];

const codes: Partial<Record<CodeFormat, string>> = {
  codabar: 'A31117B',
  ean13: '4006381333931',
  itf: '15400141288763',
};
const hall = { name: 'Harbour Hall', address: 'Pier 4, 0150 Oslo', latitude: 59.9075, longitude: 10.7531 };
const times = {
  startDate: '2027-06-21T18:00:00.000Z',
  doorsOpen: '2027-06-21T17:00:00.000Z',
  endDate: '2027-06-23T21:00:00.000Z',
};
const languages = ['en', 'de', 'ja'] as const;
type Language = (typeof languages)[number];
type Json = Readonly<Record<string, unknown>>;
const front = ['a', 'b', 'c', 'd'];
const labels: Readonly<Record<Language, (key: string) => string>> = {
  en: (key) => `Label ${key}`,
  de: (key) => `Beschriftung "${key}" ß`,
  ja: (key) => `ラベル ${key}`,
};
const titles: Readonly<Record<Language, string>> = { en: 'Summer offer', de: 'Sommerfest', ja: '夏祭り' };
/**
 * The images are red on the left and blue on the right. The German images are blue on the left and red on the right.
 */
const purposesOf = (type: TemplateType): readonly UploadedPurpose[] => [
  'logo',
  'banner',
  ...(type === 'generic' ? (['thumbnail'] as const) : []),
  ...(type === 'event' ? [] : (['artwork'] as const)),
];
/** The formats that readers from before iOS 27 know. */
const oldFormats: readonly CodeFormat[] = ['qr', 'pdf417', 'aztec', 'code128'];
const classicStyles: Readonly<Record<TemplateType, string>> = {
  offer: 'coupon',
  event: 'eventTicket',
  generic: 'generic',
  membership: 'storeCard',
};
const actions = [
  { type: 'shop', url: 'https://harbour.example/shop?a=1&b=2' },
  { type: 'call', url: 'tel:+4722334455' },
];
/** Addresses in other languages. Apple Wallet ignores them, because it has one address for all languages. */
const actionsElsewhere = { 'actions.0.url': 'https://harbour.example/laden', 'actions.1.url': 'tel:+49301234567' };
const doors: Readonly<Record<Language, string>> = {
  en: 'Doors open at nine',
  de: 'Einlass ab "neun"',
  ja: '開場は九時',
};

let service: RunningService;
let account: Account;
const dir = mkdtempSync(join(tmpdir(), 'passwright-outside-readers-'));

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await service.stop();
});

function codeOf(codeFormat: CodeFormat): string {
  return codes[codeFormat] ?? 'HH-2026-42';
}

/**
 * Issues a pass whose template and content have everything that the type allows, and a pass of another template in its
 * group, to which it links. Returns both packages.
 */
async function packagesOf(type: TemplateType, codeFormat: CodeFormat, hasMessage = false) {
  const id = randomUUID();
  const [images, germanImages] = await Promise.all([uploaded(type, false), uploaded(type, true)]);
  const template = templateWithEverything(type, codeFormat, { images, germanImages });
  expect(await account.saveTemplate(type, id, template)).toMatchObject({ status: 200 });
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
  const downloaded = (of: typeof issued) => service.request('GET', of.body.walletAUrl as string);
  const download = async () => (await downloaded(issued)).bytes;
  const packages = { bytes: await download(), other: (await downloaded(other)).bytes };
  if (!hasMessage) return packages;
  const translations = { de: { title: 'Einlass', text: doors.de }, ja: { text: doors.ja } };
  const sent = await account.post(`/v1/pass/${id}/ada/messages`, { text: doors.en, translations });
  expect(sent).toMatchObject({ status: 201 });
  const has = async (bytes: Buffer) => JSON.stringify((await unpacked(bytes)).pass).includes(doors.en);
  return { ...packages, bytes: await eventually(download, has) };
}

async function packageOf(type: TemplateType, codeFormat: CodeFormat): Promise<Buffer> {
  return (await packagesOf(type, codeFormat)).bytes;
}

const addresses = new Map<string, Promise<string>>();

/** Stores the images of a type once. Returns their addresses by purpose. */
async function uploaded(type: TemplateType, isGerman: boolean): Promise<Readonly<Record<string, string>>> {
  const stored = purposesOf(type).map(async (purpose) => {
    const name = `${purpose} ${isGerman}`;
    const address = addresses.get(name) ?? upload(purpose, isGerman);
    addresses.set(name, address);
    return [purpose, await address] as const;
  });
  return Object.fromEntries(await Promise.all(stored));
}

async function upload(purpose: UploadedPurpose, isGerman: boolean): Promise<string> {
  const bytes = await twoHalves(...imageSizes[purpose])
    .png()
    .toBuffer();
  return uploadedImage(account, purpose, isGerman ? await sharp(bytes).flop().png().toBuffer() : bytes);
}

type Uploaded = Readonly<Record<'images' | 'germanImages', Readonly<Record<string, string>>>>;

function templateWithEverything(
  type: TemplateType,
  codeFormat: CodeFormat,
  { images, germanImages }: Uploaded,
): object {
  const field = (key: string) => ({ key, label: labels.en(key), value: `Value "${key}" é` });
  const translated = (language: Language) => ({
    title: titles[language],
    ...Object.fromEntries(front.map((key) => [`fields.${key}.label`, labels[language](key)])),
    'backFields.e.label': labels[language]('e'),
  });
  return {
    codeFormat,
    labelColor: '#ffd08a',
    sharingProhibited: true,
    title: titles.en,
    fields: front.map(field),
    backFields: [field('e')],
    locations: [hall],
    language: 'en',
    translations: {
      de: {
        ...translated('de'),
        ...Object.fromEntries(Object.entries(germanImages).map(([purpose, url]) => [`images.${purpose}`, url])),
        ...actionsElsewhere,
      },
      ja: translated('ja'),
    },
    actions,
    ...images,
    ...(type === 'event' && { location: hall, ...times }),
  };
}

/** Returns what the files of a package hold: the pass, and each file by its path. */
async function unpacked(bytes: Buffer) {
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

/** Returns the reservations that kitinerary-extractor finds in a package. Only events are reservations. */
function extracted(bytes: Buffer): unknown {
  const file = join(dir, 'pass.pkpass');
  writeFileSync(file, bytes);
  return JSON.parse(execFileSync(kitinerary ?? '', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

const skipped = kitinerary ? '' : `; skipped, because ${missing}`;

(kitinerary ? it : it.skip).each(codeFormats)(
  `kitinerary-extractor reads an event with a code of format %s${skipped}`,
  async (codeFormat) => {
    const prefix = { qr: 'qrCode:', aztec: 'aztecCode:' }[codeFormat as string] ?? '';
    expect(extracted(await packageOf('event', codeFormat))).toMatchObject([
      {
        '@type': 'EventReservation',
        reservationFor: {
          name: titles.en,
          location: {
            name: 'Harbour Hall',
            geo: { latitude: expect.closeTo(59.9075), longitude: expect.closeTo(10.7531) },
          },
          startDate: { '@value': '2027-06-21T20:00:00+02:00', timezone: 'Europe/Oslo' },
        },
        reservedTicket: { ticketToken: `${prefix}${codeOf(codeFormat)}` },
      },
    ]);
  },
);

/** Returns the texts that passkit-generator has read from the string table of a language. */
function textsReadBy(read: PKPass, language: Language): string[] {
  const name = Object.getOwnPropertySymbols(read).find(({ description }) => description === 'pass.l10n');
  const tables = (read as unknown as Record<symbol, Record<string, Record<string, string>>>)[name!]!;
  return Object.values(tables[language]!).map((text) => text.replaceAll('\\"', '"'));
}

const everything = templateTypes.flatMap((type) => codeFormats.map((codeFormat) => [type, codeFormat] as const));

it.each(everything)(
  'passkit-generator reads a package of type %s with a code of format %s, its languages, and drops no property',
  async (type, codeFormat) => {
    const { pass, files } = await unpacked(await packageOf(type, codeFormat));
    const read = new PKPass(Object.fromEntries(files), undefined, undefined);
    expect([...read.languages].sort()).toEqual(['de', 'en', 'ja']);
    const drawn = (names: Iterable<string>) => [...names].filter((name) => name.endsWith('.png')).sort();
    expect(drawn(read.files)).toEqual(drawn(files.keys()));
    for (const language of ['de', 'ja'] as const) {
      const texts = textsReadBy(read, language);
      for (const key of [...front, 'e']) expect(texts).toContain(labels[language](key));
    }
    expect(JSON.parse(JSON.stringify(read.props))).toMatchObject(pass);
    expect(read.featuredActions).toEqual(pass.featuredActions);
    const styles = read.types.map((style) => style.type).sort();
    expect(styles).toEqual([classicStyles[type], ...(type === 'event' ? [] : ['posterGeneric'])].sort());
  },
);

it.each([
  ['an action without a type', { featuredActions: [{ identifier: 'a', url: 'https://a.example/' }] }],
  ['an unknown action', { featuredActions: [{ identifier: 'a', type: 'dance', url: 'https://a.example/' }] }],
  ['a place with an address', { featuredActions: [{ identifier: 'a', type: 'place', url: 'https://a.example/' }] }],
  ['a poster whose field has no value', { posterGeneric: { primaryFields: [{ key: 'a' }] } }],
  ['an unknown barcode', { barcodes: [{ format: 'PKBarcodeFormatITF14', message: '1', messageEncoding: 'utf-8' }] }],
])('passkit-generator rejects a pass with %s, so it checks what iOS 27 shows', async (_, change) => {
  const { pass, files } = await unpacked(await packageOf('offer', 'qr'));
  const typesIn = (json: object) => {
    const changed = { ...Object.fromEntries(files), 'pass.json': Buffer.from(JSON.stringify(json)) };
    return new PKPass(changed, undefined, undefined).types.length;
  };
  const warned = jest.spyOn(console, 'warn').mockImplementation();
  expect([typesIn(pass), typesIn({ ...pass, ...change })]).toEqual([2, 0]);
  expect(warned).toHaveBeenCalled();
  warned.mockRestore();
});

it.each(templateTypes.flatMap((type) => oldFormats.map((codeFormat) => [type, codeFormat] as const)))(
  'pass-js reads a package of type %s with a code of format %s: its content, and images of sizes that it accepts',
  async (type, codeFormat) => {
    const bytes = await packageOf(type, codeFormat);
    const { pass, files } = await unpacked(bytes);
    const read = await Template.fromBuffer(bytes, { allowHttp: true });
    expect(withTimes(pass)).toMatchObject(withTimes(read));
    expect(read.barcodes?.at(-1)).toMatchObject({ message: codeOf(codeFormat) });
    const images = [...files.keys()].filter((name) =>
      /^(\w+\.lproj\/)?(icon|logo|strip|thumbnail|background)(@[23]x)?\.png$/.test(name),
    );
    expect([...read.images.keys()].sort()).toEqual(images.sort());
    const logos = ['en', 'de', 'ja'].flatMap((language) =>
      [2, 3].map((scale) => `${language}.lproj/logo@${scale}x.png`),
    );
    expect(images).toEqual(expect.arrayContaining(['icon@2x.png', 'icon@3x.png', ...logos]));
  },
);

describe.each(templateTypes)('a package of type %s with everything set', (type) => {
  let pass: Json;
  let files: ReadonlyMap<string, Buffer>;
  let other: Json;

  beforeAll(async () => {
    const packages = await packagesOf(type, 'code39', true);
    ({ pass, files } = await unpacked(packages.bytes));
    ({ pass: other } = await unpacked(packages.other));
  });

  it('the package satisfies the schema of the published definitions', () => {
    expect([problemsIn(pass), problemsIn(other)]).toEqual([[], []]);
    expect(JSON.stringify(pass)).toContain(doors.en);
    expect(pass.groupingIdentifier !== undefined).toBe(type === 'event');
    expect(pass.groupingIdentifier).toBe(other.groupingIdentifier);
    expect(pass.featuredActions).toMatchObject([
      { type: 'shop', url: actions[0]!.url },
      { type: 'call', url: 'tel://+4722334455' },
    ]);
    expect(pass.barcodes).toMatchObject([{ format: 'PKBarcodeFormatCode39' }, { format: 'PKBarcodeFormatQR' }]);
  });

  it.each(languages)('the package has every label, the title and the message in the language %s', (language) => {
    const shown = JSON.stringify(shownPass({ json: pass, files }, [language]));
    for (const key of [...front, 'e']) expect(shown).toContain(JSON.stringify(labels[language](key)));
    expect(shown).toContain(titles[language]);
    expect(shown).toContain(JSON.stringify(doors[language]).slice(1, -1));
  });

  it.each(languages)(
    'the package has every image in the language %s, with its pixels at each scale',
    async (language) => {
      const names = imageFiles(type);
      const found = [...files.keys()].filter((name) => name.startsWith(`${language}.lproj/`) && name.endsWith('.png'));
      expect(found.map((name) => name.slice(name.indexOf('/') + 1)).sort()).toEqual([...names].sort());
      // No image is outside of the folders, where it would apply to all languages.
      expect(names.filter((name) => files.has(name))).toEqual([]);
      const colours = language === 'de' ? ['blue', 'red'] : ['red', 'blue'];
      for (const name of found) expect([name, ...(await halvesOf(files.get(name)!))]).toEqual([name, ...colours]);
      for (const name of names.filter((each) => !each.includes('@'))) {
        const sizes = await Promise.all([1, 2, 3].map((scale) => sizeOf(files, `${language}.lproj/${name}`, scale)));
        expect([name, ...sizes]).toEqual([name, sizes[0], sizes[0], sizes[0]]);
      }
    },
  );

  it('the package has artwork with the pixels of each scale, unless it is an event', async () => {
    const sizes = await Promise.all(
      [1, 2, 3].map(async (scale) => {
        const file = files.get(`en.lproj/artwork${scale === 1 ? '' : `@${scale}x`}.png`);
        if (!file) return null;
        const { width, height } = await sharp(file).metadata();
        return [width / scale, height / scale];
      }),
    );
    const found = sizes.filter((size) => size !== null);
    expect(found).toEqual(found.map(() => [358, 448]));
    expect(found.length > 0).toBe(type !== 'event');
    expect(sizes[2] !== null).toBe(type !== 'event');
  });
});

it.each([
  ['a misspelt key', { voided: undefined, viod: true }],
  ['a second classic style', { coupon: {}, generic: {} }],
  ['a hexadecimal colour', { labelColor: '#fff' }],
  ['a date without a zone', { expirationDate: '2027-01-01T00:00' }],
  ['a group of an offer', { groupingIdentifier: 'a' }],
  [
    'three actions',
    { featuredActions: [1, 2, 3].map((n) => ({ identifier: `${n}`, type: 'shop', url: 'https://a.example' })) },
  ],
  ['a field without a value', { coupon: { primaryFields: [{ key: 'a' }] } }],
  ['a poster whose title has a label', { posterGeneric: { primaryFields: [{ key: 'a', label: 'b', value: 'c' }] } }],
  ['an action with a misspelt key', { featuredActions: [{ id: 'a', type: 'shop', url: 'https://a.example' }] }],
  ['an action of an unknown type', { featuredActions: [{ identifier: 'a', type: 'buy', url: 'https://a.example' }] }],
  ['a call of a web page', { featuredActions: [{ identifier: 'a', type: 'call', url: 'https://a.example' }] }],
  ['an empty list of actions', { featuredActions: [] }],
  ['a poster without fields', { posterGeneric: { primaryFields: [] } }],
  [
    'a poster with two footer fields',
    {
      posterGeneric: {
        primaryFields: [{ key: 'a', value: 'b' }],
        footerFields: ['c', 'd'].map((key) => ({ key, value: 'e' })),
      },
    },
  ],
  ['a poster with a row of another style', { posterGeneric: { primaryFields: [{ key: 'a', value: 'b' }], row: [] } }],
  ['a barcode of a format of Google', { barcodes: [{ format: 'ITF_14', message: 'a', messageEncoding: 'utf-8' }] }],
  ['barcodes as an object', { barcodes: { format: 'PKBarcodeFormatQR', message: 'a', messageEncoding: 'utf-8' } }],
])('the schema rejects a pass with %s', async (_, change) => {
  const { pass } = await unpacked(await packageOf('offer', 'qr'));
  expect(problemsIn(pass)).toEqual([]);
  expect(problemsIn(JSON.parse(JSON.stringify({ ...pass, ...change })))).not.toEqual([]);
});

/** Returns the names of the images of a type that differ by language. */
function imageFiles(type: TemplateType): string[] {
  const names = { logo: 'logo', banner: 'strip', thumbnail: 'thumbnail', artwork: 'artwork' } as const;
  // A generic pass has no strip.
  const own = purposesOf(type).flatMap((purpose) => (type === 'generic' && purpose === 'banner' ? [] : names[purpose]));
  return [...own, ...(type === 'event' ? [] : ['primaryLogo'])].flatMap((name) =>
    ['', '@2x', '@3x'].map((scale) => `${name}${scale}.png`),
  );
}

/** Returns the colours of the left and the right of an image. */
async function halvesOf(file: Buffer): Promise<string[]> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const row = Math.floor(info.height / 2) * info.width;
  return [0.25, 0.75].map((part) => {
    const at = (row + Math.floor(info.width * part)) * info.channels;
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    if (green > 10) return 'another';
    return red > 240 && blue < 15 ? 'red' : blue > 240 && red < 15 ? 'blue' : 'another';
  });
}

/** Returns the size of an image in points. */
async function sizeOf(files: ReadonlyMap<string, Buffer>, name: string, scale: number): Promise<number[]> {
  const { width, height } = await sharp(
    files.get(scale === 1 ? name : name.replace('.png', `@${scale}x.png`)),
  ).metadata();
  return [width / scale, height / scale];
}

const validate = new Ajv({ allErrors: true, strict: false }).compile(passJsonSchema);
function problemsIn(pass: unknown): string[] {
  return validate(pass) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Returns JSON whose times are numbers, because readers write them in their own form. */
function withTimes(value: unknown): Json {
  const isTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text);
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'string' && isTime(inner) ? Date.parse(inner) : inner,
  ) as Json;
}
