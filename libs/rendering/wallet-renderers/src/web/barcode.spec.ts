import { createRequire } from 'node:module';
import fc from 'fast-check';
import { codeFormats, shownFormat } from '../code-format.js';
import { barcodeSvg, type Symbology, qrCodeSvg } from './barcode.js';

it.each([
  ...(['qr', 'pdf417', 'aztec', 'code128'] as const).map((symbology) => [symbology, '<script>&"\''] as const),
  ['code39', 'HH-42 $/+%.'],
  ['codabar', '31117-$:/.+'],
  ['codabar', 'A31117B'],
  ['ean13', '4006381333931'],
  ['itf', '15400141288763'],
] as [Symbology, string][])(
  'a %s barcode with the text %j is a single drawing without script, style or text',
  (symbology, text) => {
    const svg = barcodeSvg(symbology, text);
    expect(svg).toMatch(
      /^<svg aria-hidden="true" viewBox="0 0 \d+ \d+" xmlns="http:\/\/www.w3.org\/2000\/svg">\s*<path [^>]*>/,
    );
    expect(svg.match(/<(?!\/?svg\b|path\b)/g)).toBeNull();
  },
);

it.each([
  ['qr', '😀'.repeat(512)],
  ['aztec', 'x'.repeat(512)],
  ['pdf417', 'x'.repeat(512)],
  ['code128', 'x'.repeat(40)],
  ['code39', 'X'.repeat(28)],
  ['codabar', '7'.repeat(36)],
  ['itf', '7'.repeat(40)],
] as [Symbology, string][])('a barcode of the format %s has room for long codes', (symbology, text) => {
  expect(barcodeSvg(symbology, text)).toMatch(/^<svg/);
});

it('barcodeSvg encodes a text once, and then returns the cached drawing', () => {
  const encode = jest.spyOn(createRequire(__filename)('uqr') as typeof import('uqr'), 'encode');
  for (let count = 0; count < 3; count += 1) expect(barcodeSvg('qr', 'drawn once')).toMatch(/^<svg/);
  expect(encode).toHaveBeenCalledTimes(1);
});

/** Returns the dark modules of a drawing by row, read from its strokes. */
function strokesOf(svg: string): { y: number; from: number; to: number }[] {
  const strokes: { y: number; from: number; to: number }[] = [];
  let [x, y] = [0, 0];
  for (const [, verb, one = '', other = ''] of svg.matchAll(/([Mmh])(\d+)(?: (\d+)(?:\.5)?)?/g)) {
    if (verb === 'M') [x, y] = [Number(one), Number(other)];
    else if (verb === 'm') x += Number(one);
    else strokes.push({ y, from: x, to: (x += Number(one)) });
  }
  return strokes;
}

it.each(codeFormats.filter((format) => format !== 'qr'))(
  'a barcode of the format %s has room for every code that is shown in that format',
  (codeFormat) => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('x', 'é', '東', '🎟', '7', 'X1y', 'X', 'A', ' ', '42'),
    );
    const code = fc.tuple(part, part, fc.constantFrom(1, 10, 40, 80, 150, 300)).map(([one, other, count]) => {
      const text = (one + other).repeat(count);
      // Cut the code to what fits, at a character boundary.
      return [...text].slice(0, count).join('');
    });
    fc.assert(
      fc.property(code, (text) => {
        expect(barcodeSvg(shownFormat({ codeFormat }, text), text)).toMatch(/^<svg/);
      }),
      {
        numRuns: 25,
        examples: [['🎟'.repeat(150)], ['é'.repeat(300)], ['x'.repeat(600)], ['xé'.repeat(200)], ['4006381333931']],
      },
    );
  },
);

describe('a QR code', () => {
  it('a QR code accepts any text, even half a surrogate pair, and has a quiet zone of four modules', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom('', '\ud800'), (text, half) => {
        const svg = barcodeSvg('qr', text + half);
        const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
        const strokes = strokesOf(svg);
        expect(Math.min(...strokes.map(({ y }) => y))).toBe(4);
        expect(Math.max(...strokes.map(({ y }) => y))).toBe(size - 5);
        expect(Math.min(...strokes.map(({ from }) => from))).toBe(4);
        expect(Math.max(...strokes.map(({ to }) => to))).toBe(size - 4);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [11, 21, 'Q'],
    [46, 33, 'Q'],
    [100, 49, 'Q'],
    [442, 93, 'Q'],
    // A longer code has larger modules instead of better error correction.
    [450, 81, 'M'],
  ])('a QR code of %d characters has %d modules per side, at error correction %s or better', (length, modules, ecc) => {
    const text = 'x'.repeat(length);
    const encode = jest.spyOn(createRequire(__filename)('uqr') as typeof import('uqr'), 'encode');
    const svg = barcodeSvg('qr', text);
    expect(Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1])).toBe(modules + 8);
    expect(encode).toHaveBeenCalledWith(text, expect.objectContaining({ ecc, boostEcc: true }));
  });

  it('a small QR code of an address keeps its modules large', () => {
    const address = 'https://passes.example.com/p/7K3MQ9XPZ0/offer/ada';
    expect([qrCodeSvg(address), barcodeSvg('qr', address)].map((svg) => /viewBox="0 0 (\d+)/.exec(svg)?.[1])).toEqual([
      '41',
      '45',
    ]);
    expect(qrCodeSvg('HH-2026-000042')).toBe(barcodeSvg('qr', 'HH-2026-000042'));
  });

  it('a QR code draws neighbouring modules with one stroke', () => {
    const svg = barcodeSvg('qr', 'HH-2026-000042');
    expect(strokesOf(svg).slice(0, 2)).toEqual([{ y: 4, from: 4, to: 11 }, expect.objectContaining({ y: 4 })]);
    expect(svg.length).toBeLessThan(1000);
  });
});
