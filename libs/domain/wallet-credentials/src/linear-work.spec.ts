import { join } from 'node:path';
import { growthsOf, LINEAR_GROWTH } from '@passwright/testing';
import { cases } from './linear-work.fixtures.js';

let growths: ReadonlyMap<string, number>;
beforeAll(async () => (growths = await growthsOf(join(__dirname, 'linear-work.fixtures.ts'))), 120_000);

it.each(cases)('the work for %s grows at most in proportion to the length of its input', (name) => {
  expect(growths.get(name)).toBeLessThan(LINEAR_GROWTH);
});
