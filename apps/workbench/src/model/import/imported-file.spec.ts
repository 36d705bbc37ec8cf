import { strToU8, zipSync } from 'fflate';
import { bytesOf } from './archive.js';
import { importedFile } from './imported-file.js';

const base = 'http://localhost:3000';
const png = new Uint8Array([0x89, 0x50]);
const json = (value: object) => strToU8(JSON.stringify(value));

const ticket = {
  formatVersion: 1,
  serialNumber: 'S-1',
  organizationName: 'Harbour Hall',
  description: 'Ticket',
  backgroundColor: 'rgb(31, 42, 107)',
  relevantDate: '2027-06-21T20:00+02:00',
  sharingProhibited: true,
  nfc: { message: 'x' },
  barcodes: [{ format: 'PKBarcodeFormatAztec', message: 'T-77', messageEncoding: 'iso-8859-1' }],
  locations: [{ latitude: 59.9, longitude: 10.7, relevantText: 'Doors are open' }],
  eventTicket: {
    headerFields: [{ key: 'gate', label: 'Gate', value: 4 }],
    primaryFields: [{ key: 'event', label: 'Event', value: 'Night Train' }],
    secondaryFields: [{ key: 'price', label: 'Price', value: 12, currencyCode: 'EUR' }],
    auxiliaryFields: [
      { key: 'row', label: 'Row', value: 'C', changeMessage: 'Row %@' },
      { key: 'seat', label: 'Seat', value: '7' },
      { key: 'area', label: 'Area', value: 'Stalls', changeMessage: 'x' },
    ],
    backFields: [{ key: 'terms', label: 'Terms', value: 'None', dateStyle: 'PKDateStyleShort' }],
  },
};

describe('importedFile', () => {
  it('importedFile reads the texts, the colours, the code and the place of a ticket as a template', () => {
    const { body, notes } = importedFile(zipSync({ 'pass.json': json(ticket) }), base);
    expect(body).toMatchObject({
      type: 'event',
      title: 'Night Train',
      issuerName: 'Harbour Hall',
      backgroundColor: '#1f2a6b',
      codeFormat: 'aztec',
      startDate: '2027-06-21T18:00:00.000Z',
      sharingProhibited: true,
      locations: [{ address: 'Doors are open', latitude: 59.9, longitude: 10.7, relevantText: 'Doors are open' }],
      fields: [
        { key: 'gate', label: 'Gate', value: '4' },
        { key: 'price', label: 'Price', value: expect.stringMatching(/12/) },
        { key: 'row', label: 'Row', value: 'C', changeMessage: 'Row %@' },
        { key: 'seat', label: 'Seat', value: '7' },
      ],
      backFields: [
        { key: 'area', label: 'Area', value: 'Stalls' },
        { key: 'terms', label: 'Terms', value: 'None' },
      ],
    });
    expect(notes).toEqual([
      'T-77: each pass has its own code.',
      'Area: a template has four front fields, so these are on the back.',
      'Terms: the date is a text, and is not formatted for the holder.',
      'formatVersion, serialNumber: the service sets them.',
      'nfc: templates have no such property.',
      'icon, logo, banner: the pass has no such image, so a sample takes its place.',
    ]);
  });

  it('importedFile takes the largest scale of each image, and lists the files that it does not use', () => {
    const large = new Uint8Array([0x89, 0x33]);
    const files = {
      'Gift.pass/pass.json': json({
        formatVersion: 1,
        storeCard: { primaryFields: [{ key: 'a', label: 'Balance', value: '5' }] },
      }),
      'Gift.pass/icon.png': png,
      'Gift.pass/icon@3x.png': large,
      'Gift.pass/icon@2x.png': png,
      'Gift.pass/strip@2x.png': png,
      'Gift.pass/footer.png': png,
      'Gift.pass/de.lproj/logo.png': png,
      'Gift.pass/manifest.json': json({}),
    };
    const { body, images, notes } = importedFile(zipSync(files), base);
    expect(body).toMatchObject({ type: 'membership', title: 'Untitled', primaryLabel: 'Balance' });
    expect([...images]).toEqual([
      ['icon', large],
      ['banner', png],
    ]);
    expect(notes).toContain('de.lproj/logo.png, footer.png: the template does not use these files.');
    expect(notes).toContain('logo: the pass has no such image, so a sample takes its place.');
  });

  it.each([
    ['UTF-8', (text: string) => strToU8(text)],
    ['UTF-16', (text: string) => new Uint8Array([0xff, 0xfe, ...Buffer.from(text, 'utf16le')])],
  ])('importedFile reads translations from tables of texts in %s', (_, encoded) => {
    const table = encoded(
      '/* Texts */\n"Night Train" = "Nachtzug \\"Express\\"";\n"Row" = "Reihe";\n"Unused" = "x";\n',
    );
    const { body } = importedFile(zipSync({ 'pass.json': json(ticket), 'de.lproj/pass.strings': table }), base);
    expect(body.translations).toEqual({ de: { title: 'Nachtzug "Express"', 'fields.row.label': 'Reihe' } });
  });

  it('importedFile treats names of JavaScript\'s own properties, such as "constructor", as unknown names', () => {
    const pass = { ...ticket, barcodes: [{ format: 'constructor', message: 'T-77' }], constructor: 'x' };
    const files = { 'pass.json': json(pass), 'constructor.png': png };
    const { body, images, notes } = importedFile(zipSync(files), base);
    expect([...images]).toEqual([]);
    expect(body).not.toHaveProperty('codeFormat');
    expect(notes).toEqual(
      expect.arrayContaining([
        'constructor.png: the template does not use these files.',
        expect.stringMatching(/constructor: templates have no such property\.$/),
      ]),
    );
  });

  it('importedFile reads a pass.json without an archive, and reads a template of this API unchanged', () => {
    expect(importedFile(json(ticket), base).body.title).toBe('Night Train');
    const template = { type: 'offer', issuerName: 'Tea', title: 'Cup' };
    expect(importedFile(json(template), base)).toEqual({ body: template, notes: [], images: new Map() });
  });

  it.each([
    ['a picture', png, 'neither a pass nor a template'],
    ['a list', json([]), 'neither a pass nor a template'],
    ['an archive without a pass', zipSync({ 'a.txt': png }), 'no pass.json'],
    ['a damaged archive', new Uint8Array([0x50, 0x4b, 3, 4, 9]), 'neither a .pkpass'],
    [
      'an archive that unpacks to 41 MiB',
      zipSync({ 'pass.json': new Uint8Array(41 * 2 ** 20) }),
      'larger than any pass',
    ],
    ['an archive that claims a stored file of 41 MiB to be empty', claimedEmpty(41 * 2 ** 20), 'larger than any pass'],
  ])('importedFile rejects %s and says why', (_, bytes, reason) => {
    expect(() => importedFile(bytes, base)).toThrow(reason);
  });
});

it('bytesOf rejects a file that is larger than any pass, and does not read it', async () => {
  const arrayBuffer = jest.fn(() => Promise.resolve(new ArrayBuffer(0)));
  await expect(bytesOf({ size: 41 * 2 ** 20, arrayBuffer } as unknown as Blob)).rejects.toThrow('larger than any pass');
  expect(arrayBuffer).not.toHaveBeenCalled();
  expect(await bytesOf(new Blob([png]))).toEqual(png);
});

/** Builds an archive with one uncompressed file, whose directory falsely says that the file is empty. */
function claimedEmpty(size: number): Uint8Array {
  const archive = Buffer.from(zipSync({ 'pass.json': new Uint8Array(size) }, { level: 0 }));
  const directory = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  archive.writeUInt32LE(0, directory + 24);
  return archive;
}
