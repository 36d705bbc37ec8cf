import { terminalText } from './terminal-text.js';

it('terminalText escapes control and direction characters, but not letters of any direction', () => {
  expect(terminalText('a\u202ecod.exe\u001b[2J\u009b1mb\u2066c\tד\n')).toBe(
    'a\\u202ecod.exe\\u001b[2J\\u009b1mb\\u2066c\\u0009ד\n',
  );
});

it('terminalText does not change what a program parses from JSON', () => {
  const data = { name: 'a\u202eb\u0085c', list: ['\u001b'] };
  const text = terminalText(`${JSON.stringify(data, null, 2)}\n`);
  expect(JSON.parse(text)).toEqual(data);
  expect(text).not.toMatch(/[\u202e\u0085\u001b]/);
});
