// Values, headers and forms that break careless code, and random values of the same kinds.
import fc from 'fast-check';

const texts = fc.constantFrom(
  ...[
    '',
    ' ',
    '__proto__',
    'constructor',
    'a\u0000b',
    '\ud800',
    '\u001b[31m',
    'x'.repeat(20_000),
    "'; DROP TABLE pass; --",
  ],
  ...[
    '<script>alert(1)</script>',
    '../../../etc/passwd',
    'http://127.0.0.1:1/x.png',
    '\u202e\u2066rtl',
    '\ufffe\uffff',
    '1e400',
  ],
  ...[
    '9999-12-31T23:59:59.999999999Z',
    '2026-01-01T24:00:00Z',
    '=?utf-8?q?x?=',
    'a@b',
    '{{7*7}}',
    '😀'.repeat(300),
    '%00',
    '-0',
  ],
);
export const anyText = fc.oneof(texts, fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ maxLength: 200 }));
export const anyValue = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(null, 0, -1, 1e308, 2 ** 53, 1.5, true, [], {}, [[]], [null], { toString: 'x' }),
);
export const segments = fc.oneof(
  fc.constantFrom(
    ...[
      '%00',
      'a%00b',
      '%2F',
      '%2e%2e%2f%2e%2e',
      '..',
      '%E0%A4%A',
      '%ED%A0%80',
      '%',
      '%25',
      '%0d%0aX:%20y',
      '*',
      ';a=b',
    ],
    ...['(a)', '{x}', '__proto__', '-1', 'batch', 'bundle', '99999999999999999999', 'x'.repeat(3000), '%F0%9F%8E%89'],
  ),
  fc
    .uint8Array({ minLength: 1, maxLength: 12 })
    .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')),
);
export const queryValue = fc.oneof(
  fc.constantFrom(
    ...['', '0', '-1', '100', '101', '1.5', '99999999999999999999', 'NaN', '%', 'true', 'x'.repeat(3000)],
  ),
  anyText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.jsonValue({ maxDepth: 2 }).map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
);
const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 300,
});
const headerNames = [
  ...[
    'If-Match',
    'If-None-Match',
    'If-Modified-Since',
    'Idempotency-Key',
    'Range',
    'Accept',
    'Accept-Language',
    'Expect',
  ],
  ...[
    'Accept-Encoding',
    'X-Forwarded-For',
    'X-Request-Id',
    'Cookie',
    'Origin',
    'X-HTTP-Method-Override',
    'Stripe-Signature',
  ],
];
export const headers = fc.dictionary(
  fc.constantFrom(...headerNames),
  fc.oneof(
    printable,
    fc.constantFrom('', '*', '"a"', 'W/"x", , "y', '\u00ff', 'yesterday', 'bytes=-1-5,x', 'x'.repeat(2000)),
  ),
  { maxKeys: 3 },
);
export const types = [
  'text/plain',
  'application/xml',
  'json',
  '',
  'application/json; charset=utf-16',
  'multipart/form-data; boundary=x',
];
export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
export const brokenBodies = [
  '',
  '{',
  'null',
  '5',
  '[]',
  '{"a": NaN}',
  '{"a": 1e999}',
  '['.repeat(2000),
  '{"a":'.repeat(33) + '1' + '}'.repeat(33),
];
