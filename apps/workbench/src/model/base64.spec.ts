import { randomBytes } from 'node:crypto';
import { base64Of } from './base64.js';

it.each([0, 1, 2, 0x8000, 0x8001, 200_000])('base64Of encodes %d bytes like Node', (size) => {
  const bytes = randomBytes(size);
  expect(base64Of(bytes)).toBe(bytes.toString('base64'));
});
