import fc from 'fast-check';
import { base64Bytes, pemOf, sentFile } from './certificate-files.js';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array));

describe('an uploaded certificate file', () => {
  it('sentFile reads base64 and base64url, with or without padding and line breaks', () => {
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 80 }), (file, width) => {
        const base64 = file.toString('base64');
        const lines = base64.replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
        for (const text of [base64, lines, ` ${base64} `, base64.replace(/=+$/, ''), file.toString('base64url')]) {
          expect(base64Bytes(text)?.equals(file)).toBe(true);
        }
      }),
    );
  });

  it('sentFile returns null for any file that is neither PEM nor base64', () => {
    expect(['', ' ', '%', 'AAAAA', '+=', 'a.b', '====', 'Bag Attributes: none'].map(sentFile)).toEqual(
      new Array(8).fill(null),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const file = sentFile(text);
        expect(file === null || typeof file === 'string' || file.length > 0).toBe(true);
      }),
    );
  });

  it('sentFile reads PEM text inside base64, and normalises its line ends', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const windows = pem.replaceAll('\n', '\r\n');
    const shell = pem.replaceAll('\n', '\\n');
    for (const text of [pem, shell, Buffer.from(pem).toString('base64'), Buffer.from(windows).toString('base64')]) {
      expect(sentFile(text)).toBe(pem);
    }
  });
});

it('pemOf writes DER as PEM text with 64 characters per line', () => {
  const der = Buffer.alloc(100, 7);
  const [begin, ...lines] = pemOf(der).split('\n');
  expect([begin, lines.at(-2), lines.at(-1)]).toEqual(['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', '']);
  expect(lines[0]).toHaveLength(64);
  expect(base64Bytes(lines.slice(0, -2).join(''))?.equals(der)).toBe(true);
});
