import fc from 'fast-check';
import { appleColour, cssColour, hexColour, isColour, parseColour } from './colour.js';
import { anyColour } from './render.fixtures.js';

describe('parseColour', () => {
  it.each([
    ['#abc', { r: 170, g: 187, b: 204, alpha: 1 }],
    ['#A1b2C3', { r: 161, g: 178, b: 195, alpha: 1 }],
    ['rgb(1,2,3)', { r: 1, g: 2, b: 3, alpha: 1 }],
    ['RGB( 1 , 2 , 3 )', { r: 1, g: 2, b: 3, alpha: 1 }],
    ['rgb(10%, 20%, 40%)', { r: 26, g: 51, b: 102, alpha: 1 }],
    ['rgb(12.6, 50.5%, 0)', { r: 13, g: 129, b: 0, alpha: 1 }],
    ['rgba(1, 2, 3, 0.5)', { r: 1, g: 2, b: 3, alpha: 0.5 }],
    ['rgba(1, 2, 3, .25)', { r: 1, g: 2, b: 3, alpha: 0.25 }],
    ['rgba(1, 2, 3, 25%)', { r: 1, g: 2, b: 3, alpha: 0.25 }],
    ['rgba(300, 999%, 3, 1.5)', { r: 255, g: 255, b: 3, alpha: 1 }],
  ])('parseColour reads %s', (text, colour) => {
    expect(parseColour(text)).toEqual(colour);
  });

  it.each([
    '',
    '#',
    '#ab',
    '#abcd',
    '#abcde',
    '#abcdef0',
    '#ggg',
    'abc',
    'red',
    ' #abc',
    '#abc ',
    '#abc\n',
    'rgb(1,2)',
    'rgb(1,2,3,4,5)',
    'rgb(1 2 3)',
    'rgb(1-2-3)',
    'rgb(1,2,3',
    'rgb(1,2,,3)',
    'rgb(-1,2,3)',
    'rgb(1,2,3 %)',
    'rgb(1.,2,3)',
    'rgb(1,2,3,)',
    'rgba(1,2,3,2)',
    'rgba(1,2,3,.)',
    'hsl(1,2%,3%)',
    'rgb(1,2,3);}',
  ])('parseColour rejects %j', (text) => {
    expect(isColour(text)).toBe(false);
  });

  it.each([
    ['digits', `rgb(${'1'.repeat(28)}`],
    ['many digits', `rgb(${'1'.repeat(100_000)}`],
    ['blanks', `rgb(${' '.repeat(100_000)}`],
    ['commas', `rgb(${'1,'.repeat(50_000)}`],
    ['percent signs', `rgb(${'1%'.repeat(50_000)})`],
    ['fractions', `rgb(0.${'0'.repeat(100_000)},`],
    ['hex digits', `#${'a'.repeat(100_000)}`],
    ['blanks within the length limit', `rgb(${' '.repeat(120)}`],
    ['near misses within the length limit', `rgba(${`1.${'1'.repeat(20)}%    ,    `.repeat(4)}`],
  ])('parseColour rejects a hostile text of %s', (_, text) => {
    expect(parseColour(text)).toBeNull();
  });
});

describe('appleColour', () => {
  it.each([
    ['#abc', undefined, 'rgb(170, 187, 204)'],
    ['rgba(0, 0, 0, 0.5)', undefined, 'rgb(128, 128, 128)'],
    ['rgba(0, 0, 0, 0.5)', '#ff0000', 'rgb(128, 0, 0)'],
    ['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)'],
  ])('appleColour blends %s over %s into %s', (text, background, expected) => {
    expect(appleColour(text, background)).toBe(expected);
  });

  it('appleColour rejects an invalid colour, and the error quotes the colour', () => {
    expect(() => appleColour('red')).toThrow(
      new RangeError('"red" is not a colour; write it like #1a2b3c or rgb(26, 43, 60).'),
    );
  });
});

describe('colour conversion', () => {
  it('every valid colour keeps its value when it is converted for each wallet', () => {
    fc.assert(
      fc.property(anyColour, anyColour, (text, background) => {
        expect(appleColour(text, background)).toMatch(/^rgb\(\d{1,3}, \d{1,3}, \d{1,3}\)$/);
        expect(hexColour(text, background)).toMatch(/^#[0-9a-f]{6}$/);
        expect(parseColour(hexColour(text, background))).toEqual(parseColour(appleColour(text, background)));
        expect(cssColour(text)).toMatch(/^rgba?\([\d., ]+\)$/);
        expect(appleColour(cssColour(text), background)).toBe(appleColour(text, background));
      }),
    );
  });
});
