import { terminalOf, wrapped } from './terminal.js';

const stream = (values: object) => values as NodeJS.WriteStream;

it('terminalOf returns null for a file or a pipe', () => {
  expect(terminalOf(stream({}))).toBeNull();
});

it('terminalOf reads the width of the terminal, and respects NO_COLOR', () => {
  const terminal = { isTTY: true, columns: 132, hasColors: () => false };
  expect(terminalOf(stream(terminal))).toEqual({ columns: 132, hasColors: false });
  // Some terminals report no width.
  expect(terminalOf(stream({ ...terminal, columns: 0, hasColors: () => true }))).toEqual({
    columns: 80,
    hasColors: true,
  });
});

it('`wrapped` breaks a text between words, never inside a word', () => {
  expect(wrapped('aa bb cc', 5)).toEqual(['aa bb', 'cc']);
  expect(wrapped('a https://example.com/long b', 10)).toEqual(['a', 'https://example.com/long', 'b']);
  expect(wrapped('short', 10)).toEqual(['short']);
});
