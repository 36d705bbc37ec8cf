import type { Request } from 'express';
import { parsedBody } from './parsed-body.js';

const read = (body: unknown, type = 'application/json', rawBody?: Buffer) =>
  parsedBody({
    readableDidRead: true,
    body,
    rawBody,
    headers: { 'content-type': type },
  } as unknown as Request)?.toString();

it('parsedBody returns null for a body that no parser has read', () => {
  expect(parsedBody({ readableDidRead: false, headers: {} } as Request)).toBeNull();
});

it("parsedBody restores the original bytes of a body that the app's parser has read", () => {
  expect(read({ a: ['ä', 1, null] })).toBe('{"a":["ä",1,null]}');
  expect(read({ name: 'Ada Lovelace', tags: 'a&b' }, 'application/x-www-form-urlencoded')).toBe(
    'name=Ada+Lovelace&tags=a%26b',
  );
  expect(read('text', 'text/plain')).toBe('text');
  expect(read(Buffer.from('bytes'), 'application/octet-stream')).toBe('bytes');
});

it('parsedBody prefers the received bytes to the parsed body', () => {
  expect(read({ a: 2 }, 'application/json', Buffer.from('{"a":1,"a":2}'))).toBe('{"a":1,"a":2}');
});
