import { testDatabase } from '@passwright/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import { textArray } from './text-array.js';

let client: Client;
beforeAll(async () => {
  const { url } = await testDatabase();
  client = new Client({ connectionString: url });
  await client.connect();
});
afterAll(() => client.end());

async function received(values: readonly (string | null)[]): Promise<(string | null)[]> {
  const { rows } = await client.query<{ values: (string | null)[] }>('SELECT $1::text[] AS values', [
    textArray(values),
  ]);
  return rows[0]?.values ?? [];
}

it('textArray gives Postgres exactly the values of the array', async () => {
  // Postgres stores neither NUL nor unpaired surrogates.
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0') && !/\p{Cs}/u.test(value));
  const delicate = fc.constantFrom(
    '',
    'null',
    'NULL',
    '{}',
    ',',
    '"',
    '\\',
    "'",
    ' ',
    '\n',
    '\t',
    '\u007f',
    '\u2028',
    'é',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.oneof(text, delicate))), async (values) => {
      expect(await received(values)).toEqual(values);
    }),
  );
});

it('textArray formats ids and tokens itself, and leaves values that need escapes to pg', () => {
  expect(textArray(['d1', 'aB-_9', null, 'null'])).toBe('{"d1","aB-_9",null,"null"}');
  expect(textArray(['a"b'])).toEqual(['a"b']);
});
