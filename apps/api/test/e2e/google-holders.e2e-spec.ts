import type { GoogleOnScreen } from '@passwright/testing';
import { eventually, GoogleWalletWorld, objectIdOf } from '../support/google-wallet-world.js';
import { type Account, passBody, templateTypes, type TemplateType } from '../support/running-service.js';
import { imagesOfSvg, linesOfSvg, meanColour, uploadedColour } from '../support/uploaded-image.js';

/** The language of each holder, and the language that the holder sees. The template has no French texts. */
const holders = { en: 'en', de: 'de', 'de-AT': 'de', ja: 'ja', fr: 'en' } as const;
type Holder = keyof typeof holders;
type Language = (typeof holders)[Holder];

const locales: Readonly<Record<Holder, string>> = { en: 'en-GB', de: 'de', 'de-AT': 'de', ja: 'ja', fr: 'fr' };
const languages = Object.keys(holders) as Holder[];
const words = {
  en: { title: 'Summer offer', issuer: 'Harbour Hall', primary: 'Holder', place: 'Pier Hall', shop: 'Shop online' },
  de: { title: 'Sommerfest', issuer: 'Hafenhalle', primary: 'Inhaber', place: 'Kaihalle', shop: 'Online einkaufen' },
  ja: { title: '夏祭り', issuer: '港ホール', primary: '名義人', place: '桟橋ホール', shop: 'オンラインで購入' },
} as const;
const labels: Readonly<Record<Language, (key: string) => string>> = {
  en: (key) => `Label ${key}`,
  de: (key) => `Schild ${key}`,
  ja: (key) => `札 ${key}`,
};
const messages: Readonly<Record<Language, { readonly header: string; readonly body: string }>> = {
  en: { header: 'Harbour Hall', body: 'Doors open at nine' },
  de: { header: 'Einlass', body: 'Einlass ab neun' },
  ja: { header: '港ホール', body: '開場は九時' },
};
const keys = ['a', 'b', 'c', 'd'];
const place = { address: 'Pier 4, 0150 Oslo', latitude: 59.9075, longitude: 10.7531 };

let world: GoogleWalletWorld;
let account: Account;

beforeAll(async () => {
  world = await GoogleWalletWorld.start();
  account = await world.service.register();
});
afterAll(() => world.stop());

/** Issues a pass with texts and images in several languages, and puts it into a holder's wallet. */
async function hold(type: TemplateType): Promise<{ readonly path: string; readonly objectId: string }> {
  const translated = (language: Language) => ({
    title: words[language].title,
    issuerName: words[language].issuer,
    ...((type === 'generic' || type === 'membership') && { primaryLabel: words[language].primary }),
    ...(type === 'event' && { 'location.name': words[language].place }),
    ...Object.fromEntries(keys.map((key) => [`fields.${key}.label`, labels[language](key)])),
    'backFields.e.value': `Terms ${language}`,
  });
  const [logo, banner, germanLogo, germanBanner] = await Promise.all([
    uploadedColour(account, 'logo', '#c01010'),
    uploadedColour(account, 'banner', '#a02020'),
    uploadedColour(account, 'logo', '#1010c0'),
    uploadedColour(account, 'banner', '#2020a0'),
  ]);
  const germanImages = { 'images.logo': germanLogo, 'images.banner': germanBanner };
  await world.template(account, type, type, {
    ...{ logo, banner, title: words.en.title, issuerName: words.en.issuer },
    ...((type === 'generic' || type === 'membership') && { primaryLabel: words.en.primary }),
    ...(type === 'event' && { location: { ...place, name: words.en.place } }),
    fields: keys.map((key) => ({ key, label: labels.en(key), value: `Value ${key}` })),
    backFields: [{ key: 'e', label: 'Terms', value: 'Terms en' }],
    language: 'en',
    translations: { de: { ...translated('de'), ...germanImages }, ja: translated('ja') },
    actions: [{ type: 'shop', url: 'https://harbour.example/shop' }],
  });
  const { status } = await account.post(`/v1/pass/${type}/ada`, { ...passBody(type), code: 'HH-42' });
  expect(status).toBe(200);
  const link = await eventually('the link', async () => {
    const response = await world.service.request('GET', `/v1/pass/${account.id}/${type}/ada/walletB`);
    return response.status === 200 ? (response.body.url as string) : null;
  });
  expect(await world.google.save(link)).toMatchObject({ status: 200 });
  return { path: `/v1/pass/${type}/ada`, objectId: objectIdOf(link) };
}

/** Returns the lines and the images in the preview of Google Wallet. */
async function previewed(path: string, holder: Holder) {
  const { status, bytes } = await account.get(`${path}/preview?format=svg&wallet=walletB&lang=${holder}`);
  expect(status).toBe(200);
  const svg = bytes.toString();
  return { lines: linesOfSvg(svg), images: imagesOfSvg(svg) };
}

const lineOf = (label: string | null, value: string) => [label, value].filter(Boolean).join(': ');

/** Returns the lines that a holder sees. Google formats the dates itself. */
function linesOf(screen: GoogleOnScreen, holder: Holder): string[] {
  const { name, titleLabel, title, venue, rows, barcode, links } = screen;
  return [
    name,
    lineOf(titleLabel, title),
    ...(venue ? [venue.name] : []),
    ...rows.flat().map(({ label, value }) => (isTime(value) ? dateIn(value, holder) : lineOf(label, value))),
    `Code: ${barcode?.value}`,
    ...links.map((link) => link.words),
  ];
}

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text);

function dateIn(value: string, holder: Holder): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Oslo' } as const;
  return new Intl.DateTimeFormat(locales[holder], format).format(new Date(value));
}

describe.each(templateTypes)('a pass of type %s at Google', (type) => {
  let path: string;
  let objectId: string;

  beforeAll(async () => {
    ({ path, objectId } = await hold(type));
  }, 60_000);

  it.each(languages)('a holder in the language %s sees the texts that the preview shows', async (holder) => {
    const screen = world.google.shown(objectId, [holder]);
    const { lines } = await previewed(path, holder);
    const expected = linesOf(screen, holder);
    // The preview shows a date with its label, but `expected` contains only the date.
    expect(lines.map((line) => expected.find((date) => line.endsWith(`: ${date}`)) ?? line)).toEqual(expected);
    const { title, shop } = words[holders[holder]];
    const shown = expected.join('\n');
    for (const text of [title, shop, ...keys.map((key) => labels[holders[holder]](key))]) expect(shown).toContain(text);
    expect(screen.details).toContainEqual({ label: 'Terms', value: `Terms ${holders[holder]}` });
  });

  it.each(languages)('a holder in the language %s sees the images that the preview shows', async (holder) => {
    const { wideLogo, logo, hero } = world.google.shown(objectId, [holder]).images;
    const addresses = [wideLogo ?? logo, hero].filter((address) => address !== null);
    const files = await Promise.all(addresses.map((address) => world.service.request('GET', address)));
    const { images } = await previewed(path, holder);
    const atGoogle = await Promise.all(files.map(({ bytes }) => meanColour(bytes)));
    expect(await Promise.all(images.map(meanColour))).toEqual(atGoogle);
    const [red = 0, , blue = 0] = atGoogle.at(-1) ?? [];
    expect(red).toBeGreaterThan(blue);
  });
});

it("each holder sees a message and its heading in the holder's language", async () => {
  const { path, objectId } = await hold('generic');
  const { de, ja } = messages;
  const translations = { de: { title: de.header, text: de.body }, ja: { text: ja.body } };
  const sent = await account.post(`${path}/messages`, { text: messages.en.body, translations });
  expect(sent).toMatchObject({ status: 201 });
  await eventually('the message', () => world.google.shown(objectId).messages.length > 0);
  for (const holder of languages) {
    expect(world.google.shown(objectId, [holder]).messages).toEqual([messages[holders[holder]]]);
  }
});
