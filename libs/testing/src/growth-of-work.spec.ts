import { join } from 'node:path';
import { growthsOf, LINEAR_GROWTH } from './growth-of-work.js';

const file = join(__dirname, 'growth-of-work.fixtures.ts');
let growths: ReadonlyMap<string, number>;
beforeAll(async () => (growths = await growthsOf(file)));

it('work that does not depend on the input stays constant', () => {
  expect(growths.get('nothing')).toBeCloseTo(1, 1);
});

it('the work of a loop over all characters grows in proportion to the input', () => {
  expect(growths.get('a loop')).toBeGreaterThan(3);
  expect(growths.get('a loop')).toBeLessThan(LINEAR_GROWTH);
});

it.each(['a loop in a loop', 'native copies in a loop', 'a loop in a loop that is rejected later'])(
  'the work of %s grows with the square of the input',
  (name) => {
    expect(growths.get(name)).toBeGreaterThan(12);
  },
);

it('growthsOf measures nearly the same factors each time', async () => {
  for (const [name, growth] of await growthsOf(file)) expect(growth / growths.get(name)!).toBeCloseTo(1, 1);
});
