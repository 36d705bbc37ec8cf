import { codeFormats, shownFormat } from '@passwright/wallet-renderers';
import { randomCode } from './pass-code.js';

it('a random code has four groups of five unambiguous symbols', () => {
  expect(randomCode('qr')).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
});

it('randomCode uses every symbol in every position, and never repeats a code', () => {
  const codes = Array.from({ length: 2000 }, () => randomCode('qr'));
  expect(new Set(codes).size).toBe(codes.length);
  const places = [...codes[0]!].map((_, at) => new Set(codes.map((code) => code[at])).size);
  expect(places).toEqual([...'00000-00000-00000-00000'].map((symbol) => (symbol === '-' ? 1 : 32)));
});

it('a random code fits the barcode format of its template, except for EAN-13, which is too short', () => {
  for (const codeFormat of codeFormats) {
    const codes = new Set(Array.from({ length: 100 }, () => randomCode(codeFormat)));
    expect(codes.size).toBe(100);
    for (const code of codes)
      expect(shownFormat({ codeFormat }, code)).toBe(codeFormat === 'ean13' ? 'qr' : codeFormat);
  }
});
