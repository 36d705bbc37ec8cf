import { readStringTables, shownPass } from './string-tables.js';

const files = (tables: Readonly<Record<string, string | Buffer>>) =>
  new Map(Object.entries(tables).map(([language, text]) => [`${language}.lproj/pass.strings`, Buffer.from(text)]));
const problems = (tables: Readonly<Record<string, string | Buffer>>) => readStringTables(files(tables)).problems;
const tableOf = (text: string | Buffer) => Object.fromEntries(readStringTables(files({ de: text })).tables.get('de')!);

it('readStringTables accepts comments, escapes and every encoding', () => {
  const text = '/* a "b" = "c"; */\n"a" = "\\"A\\" \\\\ \\n";// end\n"é" = "👩";\n';
  const table = { a: '"A" \\ \n', é: '👩' };
  expect(tableOf(text)).toEqual(table);
  expect(tableOf(`\ufeff${text}`)).toEqual(table);
  const little = Buffer.from(`\ufeff${text}`, 'utf16le');
  expect(tableOf(little)).toEqual(table);
  expect(tableOf(Buffer.from(little).swap16())).toEqual(table);
});

it.each([
  ['"a" = "b"', /no string table at character 0/],
  ['"a" = "b";\n"c" "d";', /no string table at character 11/],
  ['"a" = "b"c";', /no string table/],
  ['"a" = "b"; "a" = "c";', /has "a" twice/],
  [Buffer.from([0x22, 0xff, 0x22]), /neither UTF-8 nor UTF-16/],
])('readStringTables rejects the table %s', (text, problem) => {
  expect(problems({ de: text })).toEqual([expect.stringMatching(problem)]);
});

it('readStringTables reports folders that are not named after a language, and languages that lack texts', () => {
  expect(problems({ german: '' })).toEqual([expect.stringMatching(/"german" is no language/)]);
  expect(problems({ de: '"a" = "b";', 'pt-BR': '' })).toEqual(['pt-BR.lproj lacks "a", which another language has']);
  expect(problems({ de: '"a" = "b";', 'zh-Hant-TW': '"a" = "c";' })).toEqual([]);
});

it("shownPass shows a pass in the first of the phone's languages that the package has", () => {
  const json = { description: 'a', generic: { primaryFields: [{ key: 'a', label: 'a', value: 'x' }] } };
  const pass = { json, files: files({ de: '"a" = "A";', fr: '"a" = "B";' }) };
  const shown = (...languages: string[]) => shownPass(pass, languages);
  expect(shown('sv', 'de-AT', 'fr')).toEqual({
    description: 'A',
    generic: { primaryFields: [{ key: 'a', label: 'A', value: 'x' }] },
  });
  expect(shown('fr').description).toBe('B');
  expect(shown('sv')).toEqual(json);
});
