import { type PhoneSystem, VirtualIPhone } from '@passwright/testing';
import { barcodeSvg } from '@passwright/wallet-renderers';
import {
  type Account,
  passBody,
  RunningService,
  templateTypes,
  type TemplateType,
} from '../support/running-service.js';
import {
  imagesOfSvg,
  linesOfSvg,
  meanColour,
  uploadedColour,
  type UploadedPurpose,
} from '../support/uploaded-image.js';

const systems: readonly PhoneSystem[] = ['ios27', 'ios26'];
const languages = ['en', 'de', 'ja'] as const;
type Language = (typeof languages)[number];
const labels: Readonly<Record<Language, (key: string) => string>> = {
  en: (key) => `Label ${key}`,
  de: (key) => `Schild ${key}`,
  ja: (key) => `札 ${key}`,
};
const words: Readonly<Record<Language, { readonly title: string; readonly shop: string }>> = {
  en: { title: 'Summer offer', shop: 'Shop online' },
  de: { title: 'Sommerfest', shop: 'Online einkaufen' },
  ja: { title: '夏祭り', shop: 'オンラインで購入' },
};
const keys = ['a', 'b', 'c', 'd'];
const code = 'HH-42';
/** The colour of each image, by language. There are no Japanese images. */
const colours: Readonly<Record<'en' | 'de', Readonly<Record<UploadedPurpose, string>>>> = {
  en: { logo: '#c01010', banner: '#a02020', thumbnail: '#903030', artwork: '#804040' },
  de: { logo: '#1010c0', banner: '#2020a0', thumbnail: '#303090', artwork: '#404080' },
};

let service: RunningService;
let account: Account;
const phones = new Map<PhoneSystem, VirtualIPhone>();

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
  for (const system of systems) {
    phones.set(system, VirtualIPhone.create({ system, route: () => service.baseUrl }));
  }
});
afterAll(async () => {
  for (const phone of phones.values()) await phone.close();
  await service.stop();
});

/** Stores the images that a type shows. @returns their addresses by purpose */
async function uploaded(type: TemplateType, language: 'en' | 'de'): Promise<Readonly<Record<string, string>>> {
  const isShown = (purpose: string) =>
    purpose === 'thumbnail' ? type === 'generic' : purpose !== 'artwork' || type !== 'event';
  const named = Object.entries(colours[language]).filter(([purpose]) => isShown(purpose));
  const stored = named.map(
    async ([purpose, colour]) => [purpose, await uploadedColour(account, purpose as UploadedPurpose, colour)] as const,
  );
  return Object.fromEntries(await Promise.all(stored));
}

/** Issues a pass in three languages with everything that older and newer iPhones show differently. */
async function issue(type: TemplateType): Promise<{ path: string; bytes: Buffer }> {
  const translated = (language: Language) => ({
    title: words[language].title,
    ...Object.fromEntries(keys.map((key) => [`fields.${key}.label`, labels[language](key)])),
  });
  const [images, germanImages] = [await uploaded(type, 'en'), await uploaded(type, 'de')];
  const german = Object.entries(germanImages).map(([purpose, url]) => [`images.${purpose}`, url]);
  const saved = await account.saveTemplate(type, type, {
    ...images,
    codeFormat: 'code39',
    fields: keys.map((key) => ({ key, label: labels.en(key), value: `Value ${key}` })),
    language: 'en',
    translations: { de: { ...translated('de'), ...Object.fromEntries(german) }, ja: translated('ja') },
    actions: [{ type: 'shop', url: 'https://harbour.example/shop' }],
  });
  expect(saved).toMatchObject({ status: 200 });
  const { status, body } = await account.post(`/v1/pass/${type}/ada`, { ...passBody(type), code });
  expect(status).toBe(200);
  const { bytes } = await service.request('GET', body.walletAUrl as string);
  return { path: `/v1/pass/${type}/ada`, bytes };
}

/** Returns the texts, the images and the formats of the barcodes of the preview of Apple Wallet. */
async function previewed(path: string, system: PhoneSystem, language: Language) {
  const { status, bytes } = await account.get(
    `${path}/preview?format=svg&wallet=walletA&system=${system}&lang=${language}`,
  );
  expect(status).toBe(200);
  const svg = bytes.toString();
  const barcodes = (['code39', 'qr'] as const).filter((format) =>
    svg.includes(barcodeSvg(format, code).replace(/^<svg /, '')),
  );
  return { picture: linesOfSvg(svg).join('\n'), images: imagesOfSvg(svg), barcodes };
}

describe.each(templateTypes)('a pass of type %s', (type) => {
  let path: string;
  let serials: Record<PhoneSystem, string>;

  beforeAll(async () => {
    const issued = await issue(type);
    ({ path } = issued);
    const added = systems.map(async (system) => [
      system,
      (await phones.get(system)!.add(issued.bytes)).json.serialNumber,
    ]);
    serials = Object.fromEntries(await Promise.all(added)) as typeof serials;
  });

  it.each(systems.flatMap((system) => languages.map((language) => [system, language] as const)))(
    'a phone with %s and the language %s shows the same texts as the preview',
    async (system, language) => {
      const screen = phones.get(system)!.screen(serials[system], [language]);
      const { picture, barcodes } = await previewed(path, system, language);
      const texts = screen.front
        // Phones write dates in their own form.
        .filter((field) => !('dateStyle' in field))
        .flatMap(({ label, value }) => [label ?? '', String(value)].filter(Boolean));
      // Phones show labels in capitals, and so does the preview.
      for (const text of texts) expect(picture.toUpperCase()).toContain(text.toUpperCase());
      expect(texts).toEqual(expect.arrayContaining(keys.flatMap((key) => [labels[language](key), `Value ${key}`])));
      expect(picture).toContain(words[language].title);
      expect(picture.includes(words[language].shop)).toBe(screen.actions.length > 0);
      const isPoster = type !== 'event' && system === 'ios27';
      expect([screen.style === 'posterGeneric', screen.artwork !== undefined]).toEqual([isPoster, isPoster]);
      expect(texts.includes(words[language].title)).toBe(isPoster || type === 'offer' || type === 'event');
      expect(screen.barcode?.format).toBe(`PKBarcodeFormat${system === 'ios27' ? 'Code39' : 'QR'}`);
      expect(barcodes.map((format) => `pkbarcodeformat${format}`)).toEqual([screen.barcode?.format.toLowerCase()]);
    },
  );

  it.each(systems.flatMap((system) => languages.map((language) => [system, language] as const)))(
    'a phone with %s and the language %s shows the same images as the preview',
    async (system, language) => {
      const { images, artwork } = phones.get(system)!.screen(serials[system], [language]);
      const coloursOf = (all: Iterable<Buffer>) =>
        Promise.all([...all].map(async (image) => String(await meanColour(image))));
      const [onPhone, inPreview] = await Promise.all([
        coloursOf(images.values()),
        coloursOf((await previewed(path, system, language)).images),
      ]);
      expect(inPreview.length).toBeGreaterThan(1);
      expect(inPreview.filter((colour) => !onPhone.includes(colour))).toEqual([]);
      const { logo, artwork: poster } = colours[language === 'de' ? 'de' : 'en'];
      for (const hex of [logo, ...(artwork ? [poster] : [])]) {
        const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
        expect(inPreview).toContain(`${red},${green},${blue}`);
      }
    },
  );
});

it('phones of both generations announce a change in the same words', async () => {
  const { path, bytes } = await issue('generic');
  for (const phone of phones.values()) await phone.add(bytes);
  const changed = await account.patch(path, { fields: [{ key: 'a', label: 'Label a', value: 'New' }] });
  expect(changed).toMatchObject({ status: 200 });
  const { passTypeIdentifier } = [...phones.values()][0]!.passes.values().next().value!.json;
  for (const phone of phones.values()) {
    const lines = await phone.push(passTypeIdentifier);
    expect(lines.map(({ text }) => text)).toEqual(['Label a: New']);
  }
  expect(changed.body.notifications.walletA).toMatchObject([{ key: 'a', message: 'Label a: New' }]);
});
