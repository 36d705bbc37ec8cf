import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeFormats } from '@passwright/wallet-renderers';
import { shownPass } from '@passwright/testing';
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
type Language = 'en' | 'de' | 'ja';
type Json = Readonly<Record<string, unknown>>;
const front = ['a', 'b', 'c', 'd'];
const labels: Readonly<Record<Language, (key: string) => string>> = {
  en: (key) => `Label ${key}`,
  de: (key) => `Beschriftung "${key}" ß`,
  ja: (key) => `ラベル ${key}`,
};
const titles: Readonly<Record<Language, string>> = { en: 'Summer offer', de: 'Sommerfest', ja: '夏祭り' };
const artwork = 'http://localhost:3000/images/samples/artwork.png';
/** The formats that readers from before iOS 27 know. */
const oldFormats: readonly CodeFormat[] = ['qr', 'pdf417', 'aztec', 'code128'];
const actions = [
  { type: 'shop', url: 'https://harbour.example/shop?a=1&b=2' },
  { type: 'call', url: 'tel:+4722334455' },
];

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

/** Issues a pass whose template and content have everything that the type allows. Returns its package. */
async function packageOf(type: TemplateType, codeFormat: CodeFormat, message?: string): Promise<Buffer> {
  const id = randomUUID();
  expect(await account.saveTemplate(type, id, templateWithEverything(type, codeFormat))).toMatchObject({ status: 200 });
  const other = await account.post(`/v1/pass/${id}`, { ...passBody(type), id: 'other' });
  expect(other).toMatchObject({ status: 201 });
  const issued = await account.post(`/v1/pass/${id}`, {
    ...passBody(type),
    id: 'ada',
    code: codeOf(codeFormat),
    validFrom: '2026-01-01T00:00:00Z',
    expiry: '2028-01-01T00:00:00Z',
    group: { id: 'order-1', order: 1 },
    linkedPasses: [{ templateId: id, passId: 'other' }],
  });
  expect(issued).toMatchObject({ status: 201 });
  const download = async () => (await service.request('GET', issued.body.walletAUrl as string)).bytes;
  if (message === undefined) return download();
  expect(await account.post(`/v1/pass/${id}/ada/messages`, { text: message })).toMatchObject({ status: 201 });
  return eventually(download, async (bytes) => JSON.stringify((await unpacked(bytes)).pass).includes(message));
}

function templateWithEverything(type: TemplateType, codeFormat: CodeFormat): object {
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
    translations: { de: translated('de'), ja: translated('ja') },
    actions,
    ...(type === 'event' ? { location: hall, ...times } : { artwork }),
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
    for (const language of ['de', 'ja'] as const) {
      const texts = textsReadBy(read, language);
      for (const key of [...front, 'e']) expect(texts).toContain(labels[language](key));
    }
    // It does not know the style and the actions of iOS 27.
    const { posterGeneric, featuredActions, ...known } = pass;
    expect([posterGeneric !== undefined, featuredActions]).toEqual([type !== 'event', expect.any(Array)]);
    expect(JSON.parse(JSON.stringify(read.props))).toMatchObject(known);
  },
);

it.each(templateTypes.flatMap((type) => oldFormats.map((codeFormat) => [type, codeFormat] as const)))(
  'pass-js reads a package of type %s with a code of format %s: its content, and images of sizes that it accepts',
  async (type, codeFormat) => {
    const bytes = await packageOf(type, codeFormat);
    const { pass, files } = await unpacked(bytes);
    const read = await Template.fromBuffer(bytes, { allowHttp: true });
    expect(withTimes(pass)).toMatchObject(withTimes(read));
    expect(read.barcodes?.at(-1)).toMatchObject({ message: codeOf(codeFormat) });
    const images = [...files.keys()].filter((name) =>
      /^(icon|logo|strip|thumbnail|background)(@[23]x)?\.png$/.test(name),
    );
    expect([...read.images.keys()].sort()).toEqual(images.sort());
    expect(images).toEqual(expect.arrayContaining(['icon@2x.png', 'icon@3x.png', 'logo@2x.png', 'logo@3x.png']));
  },
);

describe.each(templateTypes)('a package of type %s with everything set', (type) => {
  let pass: Json;
  let files: ReadonlyMap<string, Buffer>;

  beforeAll(async () => {
    ({ pass, files } = await unpacked(await packageOf(type, 'code39', 'Doors open at nine')));
  });

  it('the package satisfies the schema of the published definitions', () => {
    expect(problemsIn(pass)).toEqual([]);
    expect(JSON.stringify(pass)).toContain('Doors open at nine');
    expect(pass.groupingIdentifier !== undefined).toBe(type === 'event');
    expect(pass.featuredActions).toMatchObject([{ type: 'shop' }, { type: 'call', url: 'tel://+4722334455' }]);
    expect(pass.barcodes).toMatchObject([{ format: 'PKBarcodeFormatCode39' }, { format: 'PKBarcodeFormatQR' }]);
  });

  it.each(['en', 'de', 'ja'] as const)('the package has every label and the title in the language %s', (language) => {
    const shown = JSON.stringify(shownPass({ json: pass, files }, [language]));
    for (const key of [...front, 'e']) expect(shown).toContain(JSON.stringify(labels[language](key)));
    expect(shown).toContain(titles[language]);
  });

  it('the package has artwork with the pixels of each scale, unless it is an event', async () => {
    const sizes = await Promise.all(
      [1, 2, 3].map(async (scale) => {
        const file = files.get(`artwork${scale === 1 ? '' : `@${scale}x`}.png`);
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
  ['barcodes as an object', { barcodes: { format: 'PKBarcodeFormatQR', message: 'a', messageEncoding: 'utf-8' } }],
])('the schema rejects a pass with %s', async (_, change) => {
  const { pass } = await unpacked(await packageOf('offer', 'qr'));
  expect(problemsIn(pass)).toEqual([]);
  expect(problemsIn(JSON.parse(JSON.stringify({ ...pass, ...change })))).not.toEqual([]);
});

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
