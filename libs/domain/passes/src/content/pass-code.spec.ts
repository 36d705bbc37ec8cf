import { randomCode } from './pass-code.js';

it('a random code has four groups of five unambiguous symbols', () => {
  expect(randomCode()).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
});

it('randomCode uses every symbol in every position and never repeats a code', () => {
  const codes = Array.from({ length: 2000 }, randomCode);
  expect(new Set(codes).size).toBe(codes.length);
  const places = [...codes[0]!].map((_, at) => new Set(codes.map((code) => code[at])).size);
  expect(places).toEqual([...'00000-00000-00000-00000'].map((symbol) => (symbol === '-' ? 1 : 32)));
});
