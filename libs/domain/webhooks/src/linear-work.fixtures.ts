import type { WorkCase } from '@passwright/testing';
import { decodeEventCursor } from './events/event-cursor.js';
import { webhookUrl } from './webhooks/webhook-url.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const now = new Date('2026-11-20T10:00:00.000Z');

/** The parsers of this package, each with the input that costs it the most work. */
export const cases: readonly WorkCase[] = [
  ['a host of labels', repeated('a.'), (host: string) => webhookUrl(`https://${host}com`, [])],
  ['a host of numbers', repeated('1.'), (host: string) => webhookUrl(`https://${host}`, [])],
  ['an address of colons', repeated(':'), (host: string) => webhookUrl(`https://[${host}]`, [])],
  ['a path', repeated('/..'), (path: string) => webhookUrl(`https://example.com${path}`, [])],
  ['user names', repeated('@'), (user: string) => webhookUrl(`https://${user}example.com`, [])],
  [
    'a list of hosts',
    (size: number) => Array.from({ length: size }, (_, n) => `host${n}`),
    (hosts: string[]) => webhookUrl('https://example.com', hosts),
  ],
  ['a cursor of events', repeated('MS4x'), (cursor: string) => decodeEventCursor(cursor, now)],
  ['the dots of a cursor of events', repeated('.'), (cursor: string) => decodeEventCursor(cursor, now)],
];
