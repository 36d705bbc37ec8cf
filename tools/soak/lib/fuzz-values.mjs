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

/** Valid texts that break renderers, indexes, counts of characters, and parsers of dates, languages and time zones. */
export const odderText = fc.constantFrom(
  ...['\ufeffx', '\ufdd0', '\u{10ffff}', 'a\ufe0f'.repeat(30), 'Z' + '\u0335'.repeat(50), '\u200d'.repeat(9) + 'x'],
  ...[
    '👩‍👩‍👧‍👦🏴\u{e0067}\u{e007f}',
    '\u2028\u2029x',
    '\u00adx',
    'ﷺ'.repeat(20),
    'İı',
    'ẞß',
    '\u1f88',
    'x\u0300y\u0300',
    'ＡＢ',
  ],
  ...['+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
  ...[
    '2026-12-31T23:59:60Z',
    'Etc/GMT+14',
    'posixrules',
    'utc',
    'i-klingon',
    'en-u-ca-buddhist',
    'zh-Hant-x-a',
    'und',
    'x-a',
  ],
  ...[
    'https://\u00e9.example/',
    'HTTPS://EXAMPLE.COM:443/%',
    'tel:+1',
    'javascript:alert(1)',
    'data:text/html,x',
    '//x',
  ],
  ...[
    'a@[127.0.0.1]',
    '"a b"@example.com',
    'a+\u00e9@b\u00fccher.example',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.example`,
  ],
  ...[
    '$&',
    '%s%n',
    '{0}',
    '#{x}',
    '\\u0000',
    '&#0;',
    '<!--',
    ']]>',
    '-->',
    '=cmd()',
    'NaN',
    '1e309',
    '0x10',
    '١٢٣',
    '-',
  ],
);

/** Texts that most properties accept. */
const spokenText = fc.constantFrom('Grüße', '漢字', '😀', 'a\ufe0f', '\u0645', 'x', '👩‍👩‍👧‍👦', '<b>', '{0} $&', 'İı');

const colours = fc.constantFrom('#abc', '#A1B2C3', 'rgb(1, 2, 3)', 'rgba(10%, 20%, 30%, 0.5)');

const inLanguages = (texts) => fc.dictionary(fc.constantFrom('de', 'pt-BR', 'ar'), fc.record(texts));

/** Valid values of properties that the schemas do not define completely, by name. */
export const knownValues = {
  ...{ foregroundColor: colours, backgroundColor: colours, labelColor: colours },
  expiry: fc
    .date({ noInvalidDate: true, min: new Date('2030-01-01'), max: new Date('2090-01-01') })
    .map((at) => at.toISOString()),
  email: fc.uuid().map((name) => `${name}@example.com`),
  timeZone: fc.constantFrom('Europe/Berlin', 'Pacific/Apia', 'America/St_Johns', 'UTC'),
  language: fc.constantFrom('de', 'pt-BR', 'zh-Hant', 'ar'),
  translations: fc.oneof(inLanguages({ title: spokenText }), inLanguages({ title: spokenText, text: spokenText })),
  changeMessage: spokenText.map((text) => `${[...text].slice(0, 90).join('').replaceAll('%', '')}%@`),
};

/** A text as long as a property allows, whose characters have several bytes. */
export function longText(maxLength) {
  const length = Math.min(maxLength, 3000);
  return fc
    .constantFrom('é', '漢', '😀', 'a\ufe0f', '\u0645', 'x')
    .map((unit) => [...unit.repeat(length)].slice(0, length).join(''));
}

export const anyText = fc.oneof(
  odderText,
  texts,
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ maxLength: 200 }),
);
export const anyValue = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(null, 0, -1, 1e308, 2 ** 53, 1.5, true, [], {}, [[]], [null], { toString: 'x' }),
  fc.constantFrom(
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 63,
    5e-324,
    -0,
    1e21,
    0.1 + 0.2,
    { then: 'x' },
    { length: 3 },
    { valueOf: 1 },
  ),
  fc.constantFrom({ toJSON: 'x' }, { hasOwnProperty: 1 }, { '': 1 }, { a: { b: null } }, Array(2000).fill(0), [
    {},
    [],
    '',
  ]),
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
/** The parts of cursors, valid and nearly valid. */
const positions = fc.constantFrom(
  ...[
    'created',
    'updated',
    'expires',
    'id',
    'x',
    'infinity',
    '',
    '0',
    '1',
    '9223372036854775808',
    '2147483648',
    '\u0000',
  ],
  ...[
    '2026-11-20T10:00:00.000Z',
    '9999-12-31T23:59:59.999999999Z',
    '1970-01-01T00:00+14:00',
    '2026-02-29',
    '2026-13',
    '%',
  ],
);
export const queryValue = fc.oneof(
  fc.constantFrom(
    ...['', '0', '-1', '100', '101', '1.5', '99999999999999999999', 'NaN', '%', 'true', 'x'.repeat(3000)],
  ),
  anyText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.jsonValue({ maxDepth: 2 }).map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
  fc
    .array(positions, { minLength: 1, maxLength: 4 })
    .map((all) => Buffer.from(JSON.stringify(all)).toString('base64url')),
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

/** Replaces one part of a value, or adds one. */
export function withOneChanged(body, value, at) {
  if (typeof body !== 'object' || body === null) return value;
  const keys = [...Object.keys(body), 'colour'];
  const key = keys[at % keys.length];
  const own = Object.hasOwn(body, key) ? body[key] : undefined;
  const changed =
    typeof own === 'object' && own !== null && at % 3 > 0 ? withOneChanged(own, value, Math.floor(at / 3)) : value;
  return Array.isArray(body) ? [...body.slice(0, at % 3), changed] : { ...body, [key]: changed };
}
