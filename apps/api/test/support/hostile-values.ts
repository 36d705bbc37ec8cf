import type { Json } from './json.js';

/** A body as text, because JSON.stringify cannot create all of them. */
export interface HostileBody {
  what: string;
  text: string;
}

const deep = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

/** Bodies that no route accepts. */
export const noBodies: HostileBody[] = [
  { what: 'half an object', text: '{"a": 1' },
  { what: 'null', text: 'null' },
  { what: 'a number', text: '5' },
  { what: 'a text', text: '"x"' },
  { what: 'a list', text: '[]' },
  { what: 'a list of objects', text: '[{}]' },
  { what: 'a comma too many', text: '{"a": 1,}' },
  { what: 'single quotes', text: "{'a': 1}" },
  { what: 'a comment', text: '{} // nothing' },
  { what: 'NaN', text: '{"a": NaN}' },
  { what: 'a number beyond doubles', text: '{"a": 1e999}' },
  { what: '33 levels', text: deep(33) },
  { what: '100,000 levels', text: deep(100_000) },
  { what: '200,000 open lists', text: '['.repeat(200_000) },
  { what: '100,000 values', text: `{"a": [${'0,'.repeat(99_999)}0]}` },
  { what: '20,000 unknown properties', text: `{${Array.from({ length: 20_000 }, (_, i) => `"p${i}": 1`).join()}}` },
  { what: '__proto__', text: '{"__proto__": {"isAdmin": true}}' },
  { what: 'constructor', text: '{"constructor": {"prototype": {"isAdmin": true}}}' },
  { what: 'an unknown property', text: '{"colour": "red"}' },
  { what: 'a name with NUL', text: '{"a\\u0000": 1}' },
  { what: 'a name of half a surrogate pair', text: '{"\\ud800": 1}' },
  { what: 'a name like a path', text: '{"fields[0].key": 1, "": 2, "a.b": 3}' },
];

/** Media types and encodings that JSON routes reject. */
export const wrongMedia: Record<string, string>[] = [
  { 'Content-Type': 'text/plain' },
  { 'Content-Type': 'text/xml' },
  { 'Content-Type': 'application/x-www-form-urlencoded' },
  { 'Content-Type': 'multipart/form-data; boundary=x' },
  { 'Content-Type': 'application/jsonx' },
  { 'Content-Type': 'json' },
  { 'Content-Type': '' },
  { 'Content-Type': `${'x'.repeat(4000)}/json` },
  { 'Content-Type': 'application/json; charset=utf-16' },
  { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  { 'Content-Type': 'application/json', 'Content-Encoding': 'zstd' },
  { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip, gzip, br' },
];

/** Texts that are rejected everywhere, each as JSON. */
export const rejectedTexts = [
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u001b[31m"',
  `"${'x'.repeat(20_000)}"`,
];

/** Texts that break careless code, each as JSON. A route may accept or reject them. */
export const nastyTexts = [
  '""',
  '" "',
  '"__proto__"',
  '"constructor"',
  '"\'; DROP TABLE pass; --"',
  '"<script>alert(1)</script>"',
  '"{{7*7}} <%= 7*7 %> ${7*7}"',
  '"../../../etc/passwd"',
  '"http://127.0.0.1:1/x.png"',
  '"file:///etc/passwd"',
  '"\\u202e\\u2066rtl"',
  '"\\ufffe\\uffff"',
  '"9999-12-31T23:59:59.999999999Z"',
  '"1970-01-01T00:00:00+14:00"',
  '"2026-01-01T24:00:00Z"',
  '"1e400"',
];

/** Returns JSON texts whose types differ from the schema's. */
export function wrongTypes(document: Json, schema: Json): string[] {
  const { $ref, allOf, type } = schema as { $ref?: string; allOf?: Json[]; type?: string };
  if ($ref) return wrongTypes(document, document.components.schemas[$ref.split('/').at(-1) as string]);
  if (allOf) return wrongTypes(document, allOf[0]);
  const byType: Record<string, string[]> = {
    string: ['0', 'true', '{}', '[]', '["x"]', '{"toString": "x"}'],
    number: ['"1"', 'true', '{}', '[1]', '1e308', '-1e308'],
    boolean: ['"true"', '0', '1', '{}', '[]'],
    array: ['"x"', '{}', '0', '[null]', '[0]', '["x"]', '[[{}]]', '{"length": 1, "0": {}}'],
    object: ['"x"', '[]', '0', 'true', '[{}]'],
  };
  return byType[type ?? ''] ?? [];
}

/** Path segments, as written in a request target. */
export const segments = [
  '%00',
  'a%00b',
  '%2F',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..',
  '.',
  '%E0%A4%A',
  '%ED%A0%80',
  '%',
  '%zz',
  '%25',
  '%F0%9F%8E%89',
  '%0d%0aSet-Cookie:%20a=b',
  '%20',
  "'",
  '*',
  ';a=b',
  '(a)',
  '{templateId}',
  '__proto__',
  'constructor',
  '-1',
  'batch',
  'bundle',
  '%EF%BF%BF',
  'x'.repeat(5000),
];

/** Values of a query parameter, as written in a request target after `name=`. */
export const queryValues = [
  '',
  '0',
  '-1',
  '101',
  '1.5',
  '1e3',
  '99999999999999999999',
  'NaN',
  '%00',
  '%ED%A0%80',
  '%E0%A4%A',
  '%',
  '%25_%5C',
  "'%22;--",
  '__proto__',
  '%F0%9F%8E%89',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+275760-09-13T00:00:00Z',
  'x'.repeat(3000),
];

/** Cursors that no list has issued. */
export const cursors = [
  'x',
  '%00',
  ...[
    'null',
    '{}',
    '[]',
    '""',
    '[1, 2, 3]',
    '["a"]',
    '["created", "x", "y", "z"]',
    '["created", "2026-02-30T00:00:00Z", "a"]',
    '["created", "2026-01-01T00:00:00Z", "\\u0000"]',
    '["2026-01-01T00:00:00Z", "\\u0000"]',
    '["2026-01-01T00:00:00Z", "\\ud800"]',
    '["99999-01-01T00:00:00Z", "a"]',
    `["2026-01-01T00:00:00Z", "${'x'.repeat(1000)}"]`,
    '['.repeat(700),
  ].map((text) => Buffer.from(text).toString('base64url')),
];

/**
 * Headers with invalid credentials, versions, keys and ids, by the part of the service that reads them. A list is sent
 * as repeated headers.
 */
export const oddHeaders: Record<string, Record<string, string | string[]>[]> = {
  credential: [
    { Authorization: '' },
    { Authorization: 'Bearer' },
    { Authorization: 'Basic dXNlcjpwYXNz' },
    { Authorization: `Bearer ${'x'.repeat(6000)}` },
    { Authorization: 'Bearer a.b.c' },
    { Authorization: 'Bearer pw_live_x' },
  ],
  'condition of a write': [
    { 'If-Match': '' },
    { 'If-Match': '"' },
    { 'If-Match': 'W/"x", , "y' },
    { 'If-Match': ','.repeat(5000) },
    { 'If-Match': ['"a"', '*'] },
  ],
  'condition of a read': [{ 'If-None-Match': '\u00ff' }, { 'If-Modified-Since': 'yesterday' }],
  key: [
    { 'Idempotency-Key': '' },
    { 'Idempotency-Key': 'two words' },
    { 'Idempotency-Key': '\u00ff' },
    { 'Idempotency-Key': 'x'.repeat(256) },
    { 'Idempotency-Key': ['a', 'b'] },
  ],
  // These headers are independent of each other, so each entry combines several of them.
  rest: [
    { 'X-Request-Id': '<script>', 'X-Forwarded-For': "'; DROP TABLE pass; --", 'X-HTTP-Method-Override': 'DELETE' },
    { 'X-Request-Id': 'x'.repeat(129), 'X-Forwarded-For': 'x'.repeat(3000) },
    { Accept: '\u00ff/*', Range: 'bytes=-1-5,x', Cookie: 'x'.repeat(8000) },
  ],
  expectation: [{ Expect: 'the unexpected' }],
};
