import { type Row, rowsOf, tableOf } from './table-file.js';

const { signal } = new AbortController();

async function read(content: string | Uint8Array, name = 'people.csv') {
  const table = await tableOf(new File([content as BlobPart], name), signal);
  const rows: Row[] = [];
  for await (const row of rowsOf(table)) rows.push(row);
  return { ...table, all: rows };
}

it.each([
  ['commas', 'Name,Seat\r\nAda,"1,2"\r\n\r\nGrace,\r\n'],
  ['semicolons and a byte order mark', '\ufeffName;Seat\nAda;1,2\nGrace;'],
  ['tabs', 'Name\tSeat\nAda\t1,2\nGrace\t\n'],
])('tableOf reads a CSV with %s', async (_, text) => {
  const { columns, rows, all } = await read(text);
  expect([columns, rows]).toEqual([['Name', 'Seat'], 2]);
  expect(all.map(({ cells }) => cells)).toEqual([
    { Name: 'Ada', Seat: '1,2' },
    { Name: 'Grace', Seat: '' },
  ]);
});

it('tableOf reads the lines of NDJSON, and keeps a line that is not an object as a row with a problem', async () => {
  const { columns, all } = await read('{"id":"a"}\n\n[1]\n{"id":"b"}', 'people.ndjson');
  expect(columns).toBeNull();
  expect(all).toEqual([
    { number: 1, cells: { id: 'a' } },
    { number: 2, cells: {}, problem: 'The line is not a JSON object.' },
    { number: 3, cells: { id: 'b' } },
  ]);
});

it('tableOf marks rows with too many cells and rows that are not UTF-8', async () => {
  const bytes = [...'a,b\n1,2,3\n'].map((letter) => letter.charCodeAt(0));
  const { all } = await read(new Uint8Array([...bytes, 0xe9, 0x2c, 0x0a]));
  expect(all.map(({ problem }) => problem)).toEqual([
    'The row has 3 cells, but there are 2 columns.',
    'The file is not UTF-8. Save it as “CSV UTF-8”.',
  ]);
});

it.each([
  ['an empty file', '', /is empty/],
  ['a header without rows', 'a,b\n', /has no rows/],
  ['a repeated column', 'a,a\n1,2\n', /Two columns are called “a”/],
  ['an open quotation mark behind the first rows', `a\n${'1\n'.repeat(9)}"2\n`, /never closed/],
  ['an endless line', `a\n${'x'.repeat(2 ** 20 + 1)}`, /longer than 1 MiB/],
])('tableOf rejects %s', async (_, text, reason) => {
  await expect(read(text)).rejects.toThrow(reason);
});
