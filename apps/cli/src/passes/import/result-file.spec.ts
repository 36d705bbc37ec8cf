import { appendFileSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { tableFile } from '../rows/table-file.js';
import { allRows, temporaryTables } from '../rows/tables.fixtures.js';
import { ResultFile } from './result-file.js';
import type { SentRow } from './row-sender.js';

const { pathOf, table } = temporaryTables();

const cells = fc.dictionary(fc.constantFrom('Name', 'Seat'), fc.string());

it('a result file preserves cells with any content when it is written and read again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(cells, { minLength: 1, maxLength: 5 }), async (given) => {
      const file = await table('Name,Seat\n');
      const path = pathOf('out.csv');
      const results = (await ResultFile.open(path, file, 0))!;
      await results.append(given.map((one, i) => ({ row: { number: i + 1, cells: one, endByte: 0 }, id: 'x' })));
      await results.close();
      const read = await allRows(await tableFile(path));
      expect(read.map(({ cells: { Name, Seat } }) => [Name, Seat])).toEqual(
        given.map(({ Name = '', Seat = '' }) => [Name, Seat]),
      );
    }),
    { numRuns: 40 },
  );
});

it('a result file keeps all values of a failed NDJSON row, and adds the error', async () => {
  const file = await table('{"code":"A1"}\n', 'people.ndjson');
  const path = pathOf('out.ndjson');
  const results = (await ResultFile.open(path, file, 0))!;
  const sent: SentRow = { row: (await allRows(file))[0]!, code: 'pass_exists', error: 'pass_exists: there' };
  await results.append([sent]);
  await results.close();
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ code: 'A1', error: 'pass_exists: there' });
});

it('a result file is truncated after the last counted row, and is rejected if counted rows are missing', async () => {
  const file = await table('Name\nAda\n');
  const path = pathOf('out.csv');
  const row = { number: 1, cells: { Name: 'Ada' }, endByte: 9 };
  const results = (await ResultFile.open(path, file, 0))!;
  await results.append([{ row, id: 'a' }]);
  const { bytes } = results;
  await results.close();
  const whole = readFileSync(path, 'utf8');
  appendFileSync(path, 'Grace,"b');
  const again = (await ResultFile.open(path, file, bytes))!;
  expect(readFileSync(path, 'utf8')).toBe(whole);
  await again.append([{ row: { ...row, cells: { Name: 'G' } }, error: 'x: y' }]);
  await again.close();
  expect(readFileSync(path, 'utf8')).toBe(`${whole}G,,,,,x: y\n`);
  expect(await ResultFile.open(path, file, 10_000)).toBeNull();
});
