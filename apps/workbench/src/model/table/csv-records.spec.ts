import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { CsvRecords } from './csv-records.js';

/** Reads a text in pieces of `size` characters. */
function recordsOf(text: string, separator = ',', size = 3): string[][] {
  const records = new CsvRecords(separator);
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
  return [...pieces.flatMap((piece) => records.push(piece)), ...records.end()];
}

/** Returns the records; null for a text that is not CSV. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return null;
  }
}

it('CsvRecords accepts and rejects the same texts as csv-parse, in pieces of any size', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é'), maxLength: 30 });
  const options = {
    recordDelimiter: '\n',
    relaxColumnCount: true,
    skipEmptyLines: true,
    skipRecordsWithEmptyValues: true,
  };
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 8 }), (csv, size) => {
      expect(outcomeOf(() => recordsOf(csv, ',', size))).toEqual(outcomeOf(() => parse(csv, options)));
    }),
    { numRuns: 2000 },
  );
});

it('CsvRecords reads the line ends of every system, line ends in quotation marks, and other separators', () => {
  expect(recordsOf('a;b\r\n"c\r\nd";"e ""f"""\rg;,\n', ';')).toEqual([
    ['a', 'b'],
    ['c\r\nd', 'e "f"'],
    ['g', ','],
  ]);
});

it('CsvRecords names the line of a misplaced quotation mark', () => {
  expect(() => recordsOf('a,b\n1,2\n3,x"y\n')).toThrow('Line 3: a quotation mark stands in a cell');
  expect(() => recordsOf('a,b\n"1,2\n')).toThrow('a quotation mark is never closed');
});
