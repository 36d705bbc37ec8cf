import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Line } from '@passwright/http';
import { csvLines } from './member-csv.js';

function requestOf(pieces: readonly string[]): IncomingMessage {
  const body = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  return Object.assign(body, { headers: { 'content-type': 'text/csv' } }) as unknown as IncomingMessage;
}

/**
 * Reads a CSV body that arrives in these pieces. @returns the size of each group of lines, and the turn of the event
 * loop in which it arrived
 */
async function groupsOf(pieces: readonly string[]) {
  const request = requestOf(pieces);
  let turn = 0;
  let ticker = setImmediate(function tick() {
    turn += 1;
    ticker = setImmediate(tick);
  });
  const groups: { size: number; turn: number }[] = [];
  for await (const lines of csvLines(request)) groups.push({ size: lines.length, turn });
  clearImmediate(ticker);
  return groups;
}

function linesOf(text: string): Promise<Line[]> {
  return linesOfPieces([text]);
}

async function linesOfPieces(pieces: readonly string[]): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const some of csvLines(requestOf(pieces))) lines.push(...some);
  return lines;
}

describe('csvLines', () => {
  it.each([
    ['records with too few cells', 'a\n'.repeat(10_000), 10_000],
    ['records with stray quotation marks', 'a"b,c\n'.repeat(4_000), 4_000],
  ])('csvLines yields to the event loop while it reads many %s', async (_name, records, count) => {
    const groups = await groupsOf([`email,name\n${records}`]);
    expect(groups.reduce((sum, { size }) => sum + size, 0)).toBe(count);
    expect(Math.max(...groups.map(({ size }) => size))).toBeLessThanOrEqual(200);
    const turns = new Set(groups.map(({ turn }) => turn));
    expect(turns.size).toBeGreaterThanOrEqual(Math.floor(records.length / 4096));
  });

  it.each(['\n', '\r\n', '\r', ''])(
    'csvLines reads the same records however a file arrives, with the line end %j',
    async (end) => {
      const file = ['email;name;desk', 'a@example.com;"A, B";7', 'b@example.com;C;'].join(end || '\n') + end;
      const whole = [
        { value: { email: 'a@example.com', name: 'A, B', data: { desk: '7' } } },
        { value: { email: 'b@example.com', name: 'C' } },
      ];
      expect(await linesOf(file)).toEqual(whole);
      expect(await linesOfPieces([...file])).toEqual(whole);
      expect(await linesOfPieces([file.slice(0, 5), file.slice(5)])).toEqual(whole);
    },
  );

  it('csvLines yields records before the whole file has arrived', async () => {
    const groups = await groupsOf(['email,name\na@example.com,A\n', 'b@example.com,B\nc@exa', 'mple.com,C\n']);
    // The parser returns the last record of a piece only after it has read the next character.
    expect(groups.map(({ size }) => size)).toEqual([2, 1]);
  });

  it.each([
    [
      'a cell that is too long',
      `a@example.com,"${'x'.repeat(70_000)}"\n`,
      'the record that ends in line 2 of the file is longer than 65536 bytes',
    ],
    [
      'an open quotation mark before many lines',
      `"a@example.com,A\n${'b,B\n'.repeat(20_000)}`,
      'is longer than 65536 bytes',
    ],
    [
      'an open quotation mark at the end',
      'a@example.com,"A\n',
      'line 2 of the file begins a cell with a quotation mark that is never closed',
    ],
    ['a stray quotation mark', 'a@example.com,A"B\n', 'line 2 of the file has quotation marks where none can be'],
  ])('csvLines says what is wrong with %s', async (_name, record, problem) => {
    const [first] = await linesOf(`email,name\n${record}`);
    expect(first).toMatchObject({ error: { message: expect.stringContaining(problem) } });
  });

  it.each([
    ['stray quotation marks', 'a"b"c"d,e"f\n'],
    ['text after quotation marks', '"a"b"c",d"e\n'],
    ['several bad cells over two lines', 'a"b,"c\nd"e,f"\n'],
  ])('csvLines yields one error for a record with %s, so that later lines keep their index', async (_name, bad) => {
    const good = (name: string) => ({ value: { email: `${name}@example.com`, name } });
    const lines = await linesOf(`email,name\na@example.com,a\n${bad}${bad}b@example.com,b\n`);
    expect(lines).toEqual([good('a'), { error: expect.anything() }, { error: expect.anything() }, good('b')]);
  });

  it('csvLines ends the reading at a record that is too long, because the lines after it may belong to it', async () => {
    const long = `"b@example.com","${'b,B\n'.repeat(20_000)}"\n`;
    const lines = await linesOf(`email,name\na@example.com,A\n${long}${'c@example.com,C\n'.repeat(3000)}`);
    expect(lines).toEqual([
      { value: { email: 'a@example.com', name: 'A' } },
      { error: expect.objectContaining({ message: expect.stringContaining('is longer than 65536 bytes') }) },
    ]);
  });
});
