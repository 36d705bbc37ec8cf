import { terminalText } from './terminal-text.js';

it('terminalText shows characters that a terminal would obey, and leaves letters of all directions unchanged', () => {
  expect(terminalText('a\u202ecod.exe\u001b[2J\u009b1mb\u2066c\tד\n')).toBe(
    'a\\u202ecod.exe\\u001b[2J\\u009b1mb\\u2066c\\u0009ד\n',
  );
});

it('terminalText changes nothing for programs that parse JSON', () => {
  const data = { name: 'a\u202eb\u0085c', list: ['\u001b'] };
  const text = terminalText(`${JSON.stringify(data, null, 2)}\n`);
  expect(JSON.parse(text)).toEqual(data);
  expect(text).not.toMatch(/[\u202e\u0085\u001b]/);
});
