import fc from 'fast-check';
import { base64Bytes, pemBlock, pemOf, sentFile } from './certificate-files.js';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array));

describe('a file as it is sent', () => {
  it('is read from base64 and base64url, padded or not, on any lines', () => {
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

  it('is nothing when it is neither PEM nor base64, whatever it is', () => {
    expect(['', ' ', '%', 'AAAAA', 'a.b', '====', 'Bag Attributes: none'].map(sentFile)).toEqual(
      new Array(7).fill(null),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const file = sentFile(text);
        expect(file === null || typeof file === 'string' || file.length > 0).toBe(true);
      }),
    );
  });

  it('is PEM text also inside base64, its line ends put right', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const windows = pem.replaceAll('\n', '\r\n');
    const shell = pem.replaceAll('\n', '\\n');
    for (const text of [pem, shell, Buffer.from(pem).toString('base64'), Buffer.from(windows).toString('base64')]) {
      expect(sentFile(text)).toBe(pem);
    }
  });
});

describe('a block of PEM text', () => {
  const certificate = pemOf(Buffer.alloc(100, 7));
  const key = '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n';

  it('is found by how its kind ends, among others and whatever stands around it', () => {
    expect(pemBlock(`Bag Attributes\n${certificate}text\n${key}${key}`, 'PRIVATE KEY')).toBe(key);
    expect(pemBlock(certificate, 'PRIVATE KEY')).toBeNull();
    expect(pemBlock(certificate + key, 'CERTIFICATE')).toBe(certificate);
  });

  it('is none when it does not end, and takes no time however often it begins', () => {
    expect(pemBlock('-----BEGIN PRIVATE KEY-----\nAAAA', 'PRIVATE KEY')).toBeNull();
    expect(pemBlock('-----BEGIN PRIVATE KEY-----'.repeat(600), 'PRIVATE KEY')).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => expect(pemBlock(`-----BEGIN ${text}`, 'KEY')).toBeNull()));
  });
});
