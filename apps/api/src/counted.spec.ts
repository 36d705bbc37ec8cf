import { counted } from './counted.js';

it('counted writes the unit of one thing in the singular, and large numbers with separators', () => {
  expect([0, 1, 2].map((number) => counted(number, 'image'))).toEqual(['0 images', '1 image', '2 images']);
  expect([1, 12_345].map((number) => counted(number, 'pass', 'passes'))).toEqual(['1 pass', '12,345 passes']);
});
