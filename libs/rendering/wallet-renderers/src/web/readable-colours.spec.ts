import fc from 'fast-check';
import { parseColour } from '../colour.js';
import { contrastOf } from '../contrast.js';
import { anyColour } from '../render.fixtures.js';
import { passColours } from './readable-colours.js';

const colours = (foregroundColor: string, backgroundColor: string, labelColor: string | null = null) =>
  passColours({ foregroundColor, backgroundColor, labelColor });
const ratio = (one: string, other: string) => contrastOf(parseColour(one)!, parseColour(other)!);

it('passColours keeps readable colours', () => {
  expect(colours('#fff', '#1f2a44', '#f2c14e')).toMatchObject({
    foreground: '#ffffff',
    background: '#1f2a44',
    label: '#f2c14e',
  });
});

it.each([
  ['#eeeeee', '#ffffff', '#000000'],
  ['#222222', '#000000', '#ffffff'],
  ['#808080', '#777777', '#000000'],
  ['#ff0000', '#ff0000', '#000000'],
])('passColours changes text in %s on %s to %s', (foreground, background, readable) => {
  expect(colours(foreground, background).foreground).toBe(readable);
});

it('passColours gives every text a contrast of at least 4.5, even over a background picture', () => {
  fc.assert(
    fc.property(anyColour, anyColour, fc.option(anyColour), (foreground, background, label) => {
      const shown = colours(foreground, background, label);
      for (const text of [shown.foreground, shown.label]) {
        expect(ratio(text, shown.background)).toBeGreaterThanOrEqual(4.5);
        for (const spot of [0, 255]) {
          const { r, g, b } = parseColour(shown.background)!;
          const mix = (below: number) => spot * shown.picture + below * (1 - shown.picture);
          const ground = { r: mix(r), g: mix(g), b: mix(b), alpha: 1 };
          expect(contrastOf(parseColour(text)!, ground)).toBeGreaterThanOrEqual(4.49);
        }
      }
    }),
    { numRuns: 200 },
  );
});
