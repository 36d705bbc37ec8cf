import { readFileSync } from 'node:fs';
import { codeFormats } from '@passwright/wallet-renderers';
import { shownPass } from '@passwright/testing';
import { Template } from '@walletpass/pass-js';
import Ajv from 'ajv/dist/2020.js';
import { PKPass } from 'passkit-generator';
import sharp from 'sharp';
import {
  actions,
  type CodeFormat,
  codeOf,
  differingPixels,
  doors,
  FullPackages,
  halvesOf,
  type Json,
  keys,
  labels,
  type Language,
  languages,
  purposesOf,
  sourceImage,
  titles,
  unpacked,
  values,
} from '../support/full-package.js';
import {
  extracted,
  kitinerary,
  kpkpass,
  readByKpkpass,
  readByPassJs,
  readByPasskitGenerator,
  removeReaders,
} from '../support/package-readers.js';
import { passJsonSchema } from '../support/pass-json-schema.js';
import { RunningService, templateTypes, type TemplateType } from '../support/running-service.js';

for (const { reader, missing } of [
  { reader: kitinerary.path, missing: kitinerary.missing },
  { reader: kpkpass.program, missing: kpkpass.missing },
]) {
  if (!reader) process.stderr.write(`${missing}: packages are not shown to it here\n`);
}

/** The formats that iPhones before iOS 27 can show. */
const oldFormats: readonly CodeFormat[] = ['qr', 'pdf417', 'aztec', 'code128'];
const formatNames: Readonly<Record<CodeFormat, string>> = {
  ...{ qr: 'QR', pdf417: 'PDF417', aztec: 'Aztec', code128: 'Code128' },
  ...{ code39: 'Code39', codabar: 'Codabar', ean13: 'EAN13', itf: 'I2of5' },
};
const classicStyles: Readonly<Record<TemplateType, string>> = {
  offer: 'coupon',
  event: 'eventTicket',
  generic: 'generic',
  membership: 'storeCard',
};
const knownToPassJs = oldFormats.map((format) => `PKBarcodeFormat${formatNames[format]}`);
const everything = templateTypes.flatMap((type) => codeFormats.map((codeFormat) => [type, codeFormat] as const));

let service: RunningService;
let packages: FullPackages;

beforeAll(async () => {
  service = await RunningService.start();
  packages = new FullPackages(service, await service.register());
});
afterAll(async () => {
  removeReaders();
  await service.stop();
});

const unlessSkipped = (reader: string | null, missing: string) => (reader ? '' : `; skipped, because ${missing}`);

(kitinerary.path ? it : it.skip).each(codeFormats)(
  `kitinerary-extractor reads an event with a code of format %s${unlessSkipped(kitinerary.path, kitinerary.missing)}`,
  async (codeFormat) => {
    const prefix = { qr: 'qrCode:', aztec: 'aztecCode:' }[codeFormat as string] ?? '';
    expect(extracted(await packages.of('event', codeFormat))).toMatchObject([
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

// KPkPass knows neither actions nor posters, and reads formats of iOS 27 as `Invalid`. It reads only images outside of
// language folders, so the tests of images use packages without translations. It does not resolve escapes when it looks
// up a translation, so a text with quotes stays untranslated.
(kpkpass.program ? describe : describe.skip)(`KPkPass${unlessSkipped(kpkpass.program, kpkpass.missing)}`, () => {
  it.each(everything)('KPkPass reads a package of type %s with a code of format %s', async (type, codeFormat) => {
    const read = readByKpkpass(await packages.of(type, codeFormat), 'en');
    const isOld = oldFormats.includes(codeFormat);
    const code = { format: isOld ? formatNames[codeFormat] : 'Invalid', message: codeOf(codeFormat) };
    const fallback = { format: 'QR', message: codeOf(codeFormat) };
    const style = classicStyles[type];
    expect(read).toMatchObject({
      style: `${style[0]!.toUpperCase()}${style.slice(1)}`,
      barcodes: isOld && codeFormat !== 'code128' ? [code] : [code, fallback],
      description: titles.en,
      organizationName: 'Analytical Engines',
      group: type === 'event' ? expect.stringMatching(/./) : '',
      expires: '2028-01-01T00:00:00Z',
      colours: ['#142850', '#ffffff', '#ffd08a'],
      images: ['icon'],
    });
  });

  it.each(templateTypes.flatMap((type) => languages.map((language) => [type, language] as const)))(
    'KPkPass reads every label and value of a package of type %s in the language %s',
    async (type, language) => {
      const { fields } = readByKpkpass(await packages.of(type, 'qr'), language);
      const shown = new Map(fields.map(({ key, label, value }) => [key, [label, value]]));
      for (const key of keys) {
        const value = values[values.en(key).includes('"') ? 'en' : language](key);
        expect([key, ...(shown.get(key) ?? [])]).toEqual([key, labels[language](key), value]);
      }
    },
  );

  it.each(templateTypes)('KPkPass decodes the pixels of every image of a package of type %s', async (type) => {
    const { images, pictures } = readByKpkpass(await packages.of(type, 'qr', false), 'en');
    expect(images).toEqual(expect.arrayContaining(['icon', ...imageNames(type)]));
    for (const name of imageNames(type)) {
      for (const scale of [1, 2, 3]) {
        const picture = pictures.get(`${name}@${scale}x.png`)!;
        expect([name, scale, ...(await halvesOf(picture))]).toEqual([name, scale, 'red', 'blue']);
      }
    }
    const artwork = pictures.get('artwork@3x.png');
    expect(artwork !== undefined).toBe(type !== 'event');
    if (artwork) expect(await differingPixels(artwork, await sourceImage('artwork'))).toBe(0);
  });
});

it.each(everything)(
  'passkit-generator reads every property and language of a package of type %s with a code of format %s',
  async (type, codeFormat) => {
    const bytes = await packages.of(type, codeFormat);
    const { pass, files } = await unpacked(bytes);
    const { pass: read, texts } = await readByPasskitGenerator(bytes);
    expect([...read.languages].sort()).toEqual(['de', 'en', 'ja']);
    const drawn = (names: Iterable<string>) => [...names].filter((name) => name.endsWith('.png')).sort();
    expect(drawn(read.files)).toEqual(drawn(files.keys()));
    for (const language of languages) expectTexts(new Map(texts(language)), language);
    expect(JSON.parse(JSON.stringify(read.props))).toMatchObject(pass);
    expect(read.props.barcodes?.[0]).toEqual({
      format: `PKBarcodeFormat${formatNames[codeFormat]}`,
      message: codeOf(codeFormat),
      messageEncoding: 'iso-8859-1',
      altText: expect.anything(),
    });
    expect(read.featuredActions).toEqual(pass.featuredActions);
    expect(read.featuredActions).toMatchObject(actions.map(({ type: kind }) => ({ type: kind })));
    const styles = read.types.map((style) => style.type).sort();
    expect(styles).toEqual([classicStyles[type], ...(type === 'event' ? [] : ['posterGeneric'])].sort());
  },
);

it.each(templateTypes)(
  'passkit-generator keeps the pixels of every image of a package of type %s in every language',
  async (type) => {
    const { files } = await readByPasskitGenerator(await packages.of(type, 'qr'));
    for (const language of languages) {
      await expectPixels(imageNames(type), language, (name) => files[`${language}.lproj/${name}`]);
      const artwork = files[`${language}.lproj/artwork@3x.png`];
      expect(artwork !== undefined).toBe(type !== 'event');
      if (artwork) expect(await differingPixels(artwork, await sourceImage('artwork', language === 'de'))).toBe(0);
    }
  },
);

it.each([
  ['an action without a type', { featuredActions: [{ identifier: 'a', url: 'https://a.example/' }] }],
  ['an unknown action', { featuredActions: [{ identifier: 'a', type: 'dance', url: 'https://a.example/' }] }],
  ['a place with an address', { featuredActions: [{ identifier: 'a', type: 'place', url: 'https://a.example/' }] }],
  ['a poster whose field has no value', { posterGeneric: { primaryFields: [{ key: 'a' }] } }],
  ['an unknown barcode', { barcodes: [{ format: 'PKBarcodeFormatITF14', message: '1', messageEncoding: 'utf-8' }] }],
])('passkit-generator checks the properties of iOS 27, and rejects a pass with %s', async (_, change) => {
  const { pass, files } = await unpacked(await packages.of('offer', 'qr'));
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
  'pass-js reads the content and the accepted images of a package of type %s with a code of format %s',
  async (type, codeFormat) => {
    const bytes = await packages.of(type, codeFormat);
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

// pass-js knows neither actions nor posters. It reads no artwork. In place of a format of iOS 27, it reads the next
// code, which is a QR code.
it.each(everything)(
  'pass-js reads every text and every classic image of a package of type %s with a code of format %s in every language',
  async (type, codeFormat) => {
    const read = await readByPassJs(await packages.of(type, codeFormat), knownToPassJs);
    expect(read.barcodes?.at(-1)).toMatchObject({ message: codeOf(codeFormat) });
    expect([...read.localization.keys()].sort()).toEqual(['de', 'en', 'ja']);
    const classic = imageNames(type).filter((name) => !['artwork', 'primaryLogo'].includes(name));
    for (const language of languages) {
      expectTexts(read.localization.get(language)!, language);
      await expectPixels(classic, language, (name) =>
        readFileSync(read.images.get(`${language}.lproj/${name}`) as string),
      );
    }
  },
);

describe.each(templateTypes)('a package of type %s with everything set', (type) => {
  let pass: Json;
  let files: ReadonlyMap<string, Buffer>;
  let other: Json;

  beforeAll(async () => {
    const issued = await packages.withOther(type, 'code39', { hasMessage: true });
    ({ pass, files } = await unpacked(issued.bytes));
    ({ pass: other } = await unpacked(issued.other));
  });

  it("the package satisfies the schema of Apple's published definitions", () => {
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

  it.each(languages)('the package has all texts in the language %s', (language) => {
    const shown = JSON.stringify(shownPass({ json: pass, files }, [language]));
    for (const key of keys) {
      expect(shown).toContain(JSON.stringify(labels[language](key)));
      expect(shown).toContain(JSON.stringify(values[language](key)));
    }
    expect(shown).toContain(titles[language]);
    expect(shown).toContain(JSON.stringify(doors[language]).slice(1, -1));
  });

  it.each(languages)(
    'the package has every image in the language %s, with the right pixels at each scale',
    async (language) => {
      const names = imageNames(type).flatMap(filesOfImage);
      const found = [...files.keys()].filter((name) => name.startsWith(`${language}.lproj/`) && name.endsWith('.png'));
      expect(found.map((name) => name.slice(name.indexOf('/') + 1)).sort()).toEqual([...names].sort());
      // An image outside of the language folders would apply to all languages.
      expect(names.filter((name) => files.has(name))).toEqual([]);
      await expectPixels(imageNames(type), language, (name) => files.get(`${language}.lproj/${name}`));
      for (const name of names.filter((each) => !each.includes('@'))) {
        const sizes = await Promise.all([1, 2, 3].map((scale) => sizeOf(files, `${language}.lproj/${name}`, scale)));
        expect([name, ...sizes]).toEqual([name, sizes[0], sizes[0], sizes[0]]);
      }
    },
  );

  it('the package has artwork of the right size at each scale, unless its type is event', async () => {
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
  const { pass } = await unpacked(await packages.of('offer', 'qr'));
  expect(problemsIn(pass)).toEqual([]);
  expect(problemsIn(JSON.parse(JSON.stringify({ ...pass, ...change })))).not.toEqual([]);
});

/** Returns the names of the images of a type that differ by language. */
function imageNames(type: TemplateType): string[] {
  const names = { logo: 'logo', banner: 'strip', thumbnail: 'thumbnail', artwork: 'artwork' } as const;
  // A generic pass has no strip.
  const own = purposesOf(type).flatMap((purpose) => (type === 'generic' && purpose === 'banner' ? [] : names[purpose]));
  return [...own, ...(type === 'event' ? [] : ['primaryLogo'])];
}

/** Returns the names of the files of an image, one for each scale. */
function filesOfImage(name: string): string[] {
  return ['', '@2x', '@3x'].map((scale) => `${name}${scale}.png`);
}

function expectTexts(table: ReadonlyMap<string, string>, language: Language): void {
  for (const texts of [labels, values]) {
    for (const key of keys) expect([key, table.get(texts.en(key))]).toEqual([key, texts[language](key)]);
  }
  expect(table.get(titles.en)).toBe(titles[language]);
}

/** Checks the colours of both halves of each image at each scale. In German images, the two colours are swapped. */
async function expectPixels(
  names: readonly string[],
  language: Language,
  fileOf: (name: string) => Buffer | undefined,
): Promise<void> {
  const colours = language === 'de' ? ['blue', 'red'] : ['red', 'blue'];
  for (const name of names.flatMap(filesOfImage)) {
    expect([name, ...(await halvesOf(fileOf(name)!))]).toEqual([name, ...colours]);
  }
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

/** Returns JSON with each time as a number, because readers write times in different forms. */
function withTimes(value: unknown): Json {
  const isTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text);
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'string' && isTime(inner) ? Date.parse(inner) : inner,
  ) as Json;
}
