import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFile } from './table-file.js';
import { allRows, temporaryTables } from './tables.fixtures.js';

const { table } = temporaryTables();

it.each([
  ['commas', 'Name,Seat\r\nAda,"1,2"\r\n"Grace ""G""",3'],
  ['semicolons and a byte order mark', '\ufeffName;Seat\nAda;1,2\n\n;\n"Grace ""G""";3\n'],
  ['tabs', 'Name\tSeat\nAda\t1,2\n"Grace ""G"""\t3\n'],
])('a table with %s is read correctly', async (_, text) => {
  const file = await table(text);
  expect(file.columns).toEqual(['Name', 'Seat']);
  expect((await allRows(file)).map(({ number, cells }) => [number, cells])).toEqual([
    [1, { Name: 'Ada', Seat: '1,2' }],
    [2, { Name: 'Grace "G"', Seat: '3' }],
  ]);
});

it('a faulty row is reported with its number, and a broken file is rejected before any row is sent', async () => {
  const rows = await allRows(await table(Buffer.concat([Buffer.from('Name\na,b\n'), Buffer.from([0xe4, 10, 99, 10])])));
  expect(rows.map(({ problem }) => problem)).toEqual([
    expect.stringContaining('2 cells'),
    expect.stringContaining('not UTF-8'),
    undefined,
  ]);
  const lines = await allRows(await table('{"id":"a"}\n\n[1]\n{"id"\n', 'people.ndjson'));
  expect(lines.map(({ problem }) => problem)).toEqual([
    undefined,
    'It is not a JSON object',
    expect.stringContaining('It is not JSON: '),
  ]);
  await expect(table('Name,Name\n')).rejects.toThrow('two columns "Name"');
  await expect(table('')).rejects.toThrow('is empty');
  await expect(table(Buffer.from('Gr\xf6\xdfe,Name\n1,Ada\n', 'latin1'))).rejects.toThrow('not UTF-8');
  // Reject the file before any row is sent, because the corrected file counts as another import.
  await expect(table('Name\nAda\n"never ended\n')).rejects.toThrow(/Quote/);
});

it('a table has one row for each line of NDJSON, even if texts contain line separators', async () => {
  const odd = { id: 'a', primaryValue: 'one\u2028two\u2029three\rfour' };
  const rows = await allRows(await table(`\ufeff${JSON.stringify(odd)}\r\n{"id":"b"}`, 'people.ndjson'));
  expect(rows.map(({ cells }) => cells)).toEqual([odd, { id: 'b' }]);
  expect(rows.at(-1)?.endByte).toBe(Buffer.byteLength(`\ufeff${JSON.stringify(odd)}\r\n{"id":"b"}`));
  const endless = await table('x'.repeat(3_000_000), 'endless.ndjson');
  await expect(allRows(endless)).rejects.toThrow(/line 1 is longer than 1 MiB/);
});

it.each(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0', `/proc/${process.pid}/fd/0`])(
  'a table at %s is rejected as the standard input',
  async (path) => {
    await expect(tableFile(path)).rejects.toThrow('The standard input is not a file');
  },
);

const MEMORY = '/dev/shm';
(existsSync(MEMORY) ? it : it.skip)(
  'a table in a file system in memory is a file, not the standard input',
  async () => {
    const dir = mkdtempSync(join(MEMORY, 'passwright-import-'));
    try {
      const path = join(dir, 'people.csv');
      writeFileSync(path, 'Name\nAda\n');
      expect(await allRows(await tableFile(path))).toHaveLength(1);
    } finally {
      rmSync(dir, { recursive: true });
    }
  },
);
