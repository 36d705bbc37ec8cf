import { type PhoneSystem, VirtualIPhone } from '@passwright/testing';
import {
  type Account,
  passBody,
  RunningService,
  templateTypes,
  type TemplateType,
} from '../support/running-service.js';

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

/** Issues a pass with everything that the generations show differently, in three languages. */
async function issue(type: TemplateType): Promise<{ path: string; bytes: Buffer }> {
  const translated = (language: Language) => ({
    title: words[language].title,
    ...Object.fromEntries(keys.map((key) => [`fields.${key}.label`, labels[language](key)])),
  });
  const saved = await account.saveTemplate(type, type, {
    codeFormat: 'code39',
    fields: keys.map((key) => ({ key, label: labels.en(key), value: `Value ${key}` })),
    language: 'en',
    translations: { de: translated('de'), ja: translated('ja') },
    actions: [{ type: 'shop', url: 'https://harbour.example/shop' }],
    ...(type !== 'event' && { artwork: 'http://localhost:3000/images/samples/artwork.png' }),
  });
  expect(saved).toMatchObject({ status: 200 });
  const { status, body } = await account.post(`/v1/pass/${type}/ada`, { ...passBody(type), code: 'HH-42' });
  expect(status).toBe(200);
  const { bytes } = await service.request('GET', body.walletAUrl as string);
  return { path: `/v1/pass/${type}/ada`, bytes };
}

/** Returns the texts of the preview of Apple Wallet. */
async function previewed(path: string, system: PhoneSystem, language: Language): Promise<string> {
  const { status, bytes } = await account.get(
    `${path}/preview?format=svg&wallet=walletA&system=${system}&lang=${language}`,
  );
  expect(status).toBe(200);
  return /<desc[^>]*>([^]*?)<\/desc>/.exec(bytes.toString())?.[1] ?? '';
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
    'a phone with %s shows in the language %s what the preview shows',
    async (system, language) => {
      const screen = phones.get(system)!.screen(serials[system], [language]);
      const picture = await previewed(path, system, language);
      const texts = screen.front
        // Phones write dates in their own form.
        .filter((field) => !('dateStyle' in field))
        .flatMap(({ label, value }) => [label ?? '', String(value)].filter(Boolean));
      // Phones write labels in capitals, and so does the preview.
      for (const text of texts) expect(picture.toUpperCase()).toContain(text.toUpperCase());
      expect(texts).toEqual(expect.arrayContaining(keys.flatMap((key) => [labels[language](key), `Value ${key}`])));
      expect(picture).toContain(words[language].title);
      expect(picture.includes(words[language].shop)).toBe(screen.actions.length > 0);
      const isPoster = type !== 'event' && system === 'ios27';
      expect([screen.style === 'posterGeneric', screen.artwork !== undefined]).toEqual([isPoster, isPoster]);
      expect(texts.includes(words[language].title)).toBe(isPoster || type === 'offer' || type === 'event');
      expect(screen.barcode?.format).toBe(`PKBarcodeFormat${system === 'ios27' ? 'Code39' : 'QR'}`);
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
