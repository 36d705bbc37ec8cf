import { barcodeSvg, type Symbology } from './barcode.js';

it.each(['qr', 'pdf417', 'aztec', 'code128'] as const)(
  '%s is one drawing without script, style or text',
  (symbology) => {
    const svg = barcodeSvg(symbology, '<script>&"\'');
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
] as [Symbology, string][])('%s has room for long codes', (symbology, text) => {
  expect(barcodeSvg(symbology, text)).toMatch(/^<svg/);
});

it('is drawn once while it is in use', () => {
  const text = 'drawn once';
  const first = barcodeSvg('qr', text);
  const start = performance.now();
  for (let count = 0; count < 1000; count += 1) expect(barcodeSvg('qr', text)).toBe(first);
  expect(performance.now() - start).toBeLessThan(500);
});
