import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  bodyValidation,
  clientAddress,
  decodeCursor,
  emailForm,
  isDateTime,
  namesTag,
  parseTags,
  rejectedName,
  Text,
} from '@passwright/core';
import type { WorkCase } from '@passwright/testing';
import { ndjsonLines } from './lines/ndjson-lines.js';
import { hasMoreValuesThan, isNestedDeeperThan } from './request/json-limits.js';
import { parseJson } from './request/json-text.js';
import { rejectedContent, rejectedText } from './request/rejected-content.js';
import { repeatedName } from './request/repeated-name.js';
import { splitTarget } from './request/request-target.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const json = (text: string) => (size: number) => Buffer.from(text.repeat(size));
const names = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, n) => [`name ${n}`, '']));

class Body {
  @Text({ description: 'A text.', max: 1_000_000 })
  text!: string;
}

async function readLines(body: Buffer): Promise<number> {
  const chunks = Array.from({ length: body.length / 100 }, (_, n) => body.subarray(n * 100, (n + 1) * 100));
  const request = Object.assign(Readable.from(chunks), { headers: { 'content-type': 'application/x-ndjson' } });
  let lines = 0;
  for await (const some of ndjsonLines(request as unknown as IncomingMessage)) lines += some.length;
  return lines;
}

/** The parsers of this package, each with its most costly input. */
export const cases: readonly WorkCase[] = [
  ['JSON arrays in arrays', repeated('['), (text: string) => isNestedDeeperThan(text, Infinity)],
  ['JSON objects in objects', repeated('{"a":'), (text: string) => isNestedDeeperThan(text, Infinity)],
  ['JSON escapes', repeated('\\\\"'), (text: string) => isNestedDeeperThan(`"${text}`, Infinity)],
  ['JSON values', repeated('0,'), (text: string) => hasMoreValuesThan(text, Infinity)],
  ['malformed JSON', json('[{"a":'), (bytes: Buffer) => parseJson(bytes)],
  [
    'JSON of many names',
    (size: number) => Buffer.from(JSON.stringify(names(size))),
    (bytes: Buffer) => parseJson(bytes),
  ],
  ['names in JSON', (size: number) => JSON.stringify(names(size)), (text: string) => repeatedName(text)],
  [
    'a list of values',
    (size: number) => Array.from({ length: size }, () => 'a'),
    (list: string[]) => rejectedContent(list),
  ],
  ['a record of values', names, (record: object) => rejectedContent(record)],
  ['a text without controls', repeated('😀'), rejectedText],
  ['NDJSON of empty lines', json('\n'), readLines],
  ['NDJSON of short lines', json('{}\n'), readLines],
  ['NDJSON of one line', json(' '), readLines],
  [
    'a validated text',
    repeated('é'),
    (text: string) => bodyValidation.transform({ text }, { type: 'body', metatype: Body }),
  ],
  ['entity tags', repeated('"a", '), (header: string) => namesTag(parseTags(header), '"b"')],
  ['an unfinished entity tag', repeated('W/'), parseTags],
  ['a cursor', repeated('QUFB'), (cursor: string) => decodeCursor(cursor)],
  [
    'a cursor of many parts',
    (size: number) => Buffer.from(JSON.stringify(Object.keys(names(size)))).toString('base64url'),
    (cursor: string) => decodeCursor(cursor),
  ],
  ['a name', repeated('a'), rejectedName],
  ['a date', repeated('1'), isDateTime],
  ['an e-mail address', repeated('a.'), (text: string) => emailForm.test(`${text}@`)],
  ['an address of a client', repeated('1:'), clientAddress],
  ['a target of slashes', repeated('/'), splitTarget],
  ['a target of parameters', repeated('a=%20&'), (query: string) => splitTarget(`/?${query}`)],
];
