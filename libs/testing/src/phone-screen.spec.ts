import { ReferenceServer } from './virtual-iphone/reference-server.fixtures.js';
import { aPassJson, aPng, certificates } from './virtual-iphone/pass-package.fixtures.js';
import { changeMessages } from './virtual-iphone/lock-screen.js';
import { screenOf } from './phone-screen.js';
import { VirtualIPhone } from './virtual-iphone/virtual-iphone.js';

const field = (key: string, value: string, more: object = {}) => ({ key, label: key.toUpperCase(), value, ...more });
const code = (format: string) => ({ format: `PKBarcodeFormat${format}`, message: '1', messageEncoding: 'utf-8' });
const shop = { identifier: 'shop-1', type: 'shop', url: 'https://a.example/' };
const json = aPassJson({
  generic: { primaryFields: [field('gate', 'A1')], backFields: [field('terms', 'None')] },
  posterGeneric: {
    headerFields: [field('seat', '14')],
    primaryFields: [{ key: '_title', value: 'Concert' }, field('gate', 'A2')],
    backFields: [field('terms', 'None')],
  },
  barcodes: [code('Code39'), code('QR')],
  featuredActions: [shop],
});
const files = new Map([
  ['artwork@2x.png', aPng(2)],
  ['artwork@3x.png', aPng(3)],
  ['de.lproj/pass.strings', Buffer.from('"Concert" = "Konzert";\n"A1" = "eins";\n"A2" = "zwei";\n')],
]);
const seen = (system: 'ios27' | 'ios26', ...languages: string[]) => {
  const { front, back, barcode, images: _, ...rest } = screenOf({ json, files }, languages, system);
  return { ...rest, front: front.map(({ value }) => value), back: back.map(({ key }) => key), format: barcode?.format };
};

it('a phone with iOS 27 shows the poster with its artwork and actions, and can draw every barcode', () => {
  const poster = { style: 'posterGeneric', artwork: aPng(3), actions: [shop], format: 'PKBarcodeFormatCode39' };
  expect(seen('ios27', 'en')).toEqual({ ...poster, front: ['14', 'Concert', 'A2'], back: ['terms'] });
  expect(seen('ios27', 'de-AT')).toEqual({ ...poster, front: ['14', 'Konzert', 'zwei'], back: ['terms'] });
});

it("a phone shows the images of its language in the largest scale, or else the package's other images", () => {
  const localised = new Map([
    ['icon.png', aPng(1)],
    ['en.lproj/logo.png', aPng(1)],
    ['en.lproj/logo@2x.png', aPng(2)],
    ['de.lproj/logo.png', aPng(3)],
    ['de.lproj/artwork@3x.png', aPng(4)],
    ['de.lproj/pass.strings', Buffer.from('"Concert" = "Konzert";\n')],
  ]);
  const shown = (...languages: string[]) => {
    const { images, artwork } = screenOf({ json, files: localised }, languages, 'ios27');
    return [Object.fromEntries(images), artwork];
  };
  const english = [{ icon: aPng(1), logo: aPng(2) }, undefined];
  expect(shown('sv', 'de-AT')).toEqual([{ icon: aPng(1), logo: aPng(3), artwork: aPng(4) }, aPng(4)]);
  expect(shown('en')).toEqual(english);
  expect(shown('sv')).toEqual(english);
});

it('a phone with iOS 26 shows a pass with a poster in its classic style, without artwork and actions', () => {
  const classic = { style: 'generic', artwork: undefined, actions: [], format: 'PKBarcodeFormatQR' };
  expect(seen('ios26', 'en')).toEqual({ ...classic, front: ['A1'], back: ['terms'] });
  expect(seen('ios26', 'de')).toEqual({ ...classic, front: ['eins'], back: ['terms'] });
});

it('a phone with iOS 26 or 27 shows a pass without a poster in its classic style', () => {
  const plain = aPassJson({ barcodes: undefined });
  for (const system of ['ios27', 'ios26'] as const) {
    const screen = screenOf({ json: plain, files: new Map() }, ['en'], system);
    expect(screen).toMatchObject({ style: 'generic', barcode: null, actions: [] });
  }
});

it('a phone shows lock-screen lines only for fields of the style that it shows', () => {
  const changeMessage = 'Seat %@';
  const withSeat = (value: string) =>
    aPassJson({ posterGeneric: { primaryFields: [{ key: 'seat', value, changeMessage }] } });
  expect(changeMessages(withSeat('1'), withSeat('2'), 'ios27')).toEqual(['Seat 2']);
  expect(changeMessages(withSeat('1'), withSeat('2'), 'ios26')).toEqual([]);
});

it('a phone has iOS 27 unless its options say iOS 26', async () => {
  const server = await ReferenceServer.start();
  const phones = [{}, { system: 'ios26' as const }].map((options) =>
    VirtualIPhone.create({ roots: [certificates().rootPem], ...options }),
  );
  const shown = await Promise.all(
    phones.map(async (phone) => {
      const { json: issued } = await phone.add(
        server.issue('one', { posterGeneric: { primaryFields: [{ key: '_title', value: 'Concert' }] } }),
      );
      return phone.screen(issued.serialNumber).style;
    }),
  );
  expect(shown).toEqual(['posterGeneric', 'generic']);
  for (const phone of phones) await phone.close();
  server.stop();
});
