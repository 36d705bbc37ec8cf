import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { csvLines } from './csv-parser.js';

/**
 * Reads a CSV body that arrives in these pieces. @returns the size of each group of lines, and the turn of the event
 * loop in which it arrived
 */
async function groupsOf(pieces: readonly string[]) {
  const body = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  const request = Object.assign(body, { headers: { 'content-type': 'text/csv' } }) as unknown as IncomingMessage;
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

  it('csvLines yields records before the whole file has arrived', async () => {
    const groups = await groupsOf(['email,name\na@example.com,A\n', 'b@example.com,B\nc@exa', 'mple.com,C\n']);
    // The parser returns the last record of a piece only after it has read the next character.
    expect(groups.map(({ size }) => size)).toEqual([2, 1]);
  });
});
