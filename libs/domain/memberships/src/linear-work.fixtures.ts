import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { WorkCase } from '@passwright/testing';
import { csvLines } from './import/member-csv.js';
import { beginningsOf, lexemesOf, queryFor, queryForTokens, wordsOf } from './members/member-search.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const words = (size: number) => Array.from({ length: size }, (_, n) => `w${n}`).join(' ');

async function readCsv(text: string): Promise<number> {
  const body = Buffer.from(`email,name\n${text}`);
  const chunks = Array.from({ length: Math.ceil(body.length / 100) }, (_, n) => body.subarray(n * 100, (n + 1) * 100));
  const request = Object.assign(Readable.from(chunks), { headers: { 'content-type': 'text/csv' } });
  let lines = 0;
  for await (const some of csvLines(request as unknown as IncomingMessage)) lines += some.length;
  return lines;
}

/** The parsers of this package, each with the input that takes it the longest. */
export const cases: readonly WorkCase[] = [
  ['CSV of empty lines', repeated('\n'), readCsv],
  ['CSV of short lines', repeated('a,b\n'), readCsv],
  ['CSV of one line', repeated(','), readCsv],
  ['CSV of quotation marks', repeated('"'), readCsv],
  ['CSV with quotation marks in each line', repeated('a"b,c\n'), readCsv],
  ['CSV of one quoted cell', repeated('""\n'), (text: string) => readCsv(`"${text}`)],
  ['words', words, (text: string) => wordsOf(text)],
  ['a name of one letter', repeated('é'), (text: string) => wordsOf(text)],
  ['the lexemes of a name', words, (name: string) => lexemesOf('acc', { name, email: 'a@b.c' })],
  ['the beginnings of words', words, (name: string) => beginningsOf({ name, email: 'a@b.c' })],
  ['the beginnings of one word', repeated('a'), (name: string) => beginningsOf({ name, email: 'a@b.c' })],
  ['a search', words, (text: string) => queryFor('acc', wordsOf(text))],
  ['a search by tokens', words, (text: string) => queryForTokens(wordsOf(text))],
];
