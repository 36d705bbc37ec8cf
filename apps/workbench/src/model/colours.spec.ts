import { coloursOf } from './colours.js';

/** Returns the pixels of a picture with a number of pixels for each colour. */
const picture = (...parts: [count: number, rgba: [number, number, number, number]][]) =>
  parts.flatMap(([count, rgba]) => Array.from({ length: count }, () => rgba).flat());

it('coloursOf uses the most frequent colour as the background, and white texts on a dark background', () => {
  const green = picture([90, [11, 93, 75, 255]], [10, [255, 243, 214, 255]]);
  expect(coloursOf(green)).toEqual({
    backgroundColor: '#0b5d4b',
    foregroundColor: '#ffffff',
    labelColor: '#fff3d6',
  });
});

it('coloursOf uses black texts on a light background, and no label colour that is hard to read there', () => {
  const sand = picture([90, [255, 243, 214, 255]], [10, [250, 200, 120, 255]]);
  expect(coloursOf(sand)).toEqual({
    backgroundColor: '#fff3d6',
    foregroundColor: '#000000',
    labelColor: '#000000',
  });
});

it('coloursOf counts similar colours together, and ignores transparent pixels', () => {
  const shaded = picture([50, [0, 0, 0, 0]], [5, [200, 10, 10, 255]], [5, [204, 14, 14, 255]], [8, [0, 0, 255, 255]]);
  expect(coloursOf(shaded).backgroundColor).toBe('#ca0c0c');
});

it('coloursOf returns readable colours for a picture without visible pixels', () => {
  expect(coloursOf([])).toEqual({ backgroundColor: '#ffffff', foregroundColor: '#000000', labelColor: '#000000' });
});
