import fc from 'fast-check';
import { pemBlocks } from './pem.js';

const der = Buffer.from('some bytes that are longer than one line of base64, so that there are two of them');
const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');

describe('pemBlocks', () => {
  it.each([
    ['as it is', pem],
    ['with line ends of Windows', pem.replaceAll('\n', '\r\n')],
    ['with line ends written as a backslash and an n', pem.replaceAll('\n', '\\n')],
    ['indented', pem.replaceAll('\n', '\n    ')],
    ['in one line', pem.replaceAll('\n', '').replace(/^(-+[^-]+-+)(.*?)(-+[^-]+-+)$/, '$1\n$2\n$3')],
    ['with text around it', `Bag Attributes\n  friendlyName: x -- y\n${pem}and more`],
  ])('pemBlocks reads a block %s', (_, text) => {
    expect(pemBlocks(text)).toEqual([{ label: 'CERTIFICATE', der, encrypted: false, text: expect.any(String) }]);
  });

  it('pemBlocks reads all blocks in order and skips a block without an end', () => {
    const key = pem.replaceAll('CERTIFICATE', 'RSA PRIVATE KEY');
    const labels = pemBlocks(`-----BEGIN X-----\nAAAA\n${pem}\n${key}-----BEGIN CERTIFICATE-----\nAAAA`).map(
      (block) => block.label,
    );
    expect(labels).toEqual(['CERTIFICATE', 'RSA PRIVATE KEY']);
  });

  it('pemBlocks recognises an encrypted key in the old format, which has headers', () => {
    const headers = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF';
    const old = `-----BEGIN RSA PRIVATE KEY-----\n${headers}\n\n${lines.join('\n')}\n-----END RSA PRIVATE KEY-----\n`;
    expect(pemBlocks(old)).toEqual([{ label: 'RSA PRIVATE KEY', der, encrypted: true, text: old }]);
    expect(pemBlocks(pem.replaceAll('CERTIFICATE', 'ENCRYPTED PRIVATE KEY'))).toMatchObject([{ encrypted: true }]);
  });

  it('pemBlocks reads any text without throwing an error', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('-----BEGIN ', '-----', '-----END ', 'A', '\n', '\\n', pem));
    fc.assert(fc.property(fc.array(piece, { maxLength: 50 }), (pieces) => Array.isArray(pemBlocks(pieces.join('')))));
  });

  it('pemBlocks reads a million unterminated blocks in linear time; quadratic time would take hours', () => {
    expect(pemBlocks('-----BEGIN A-----'.repeat(1_000_000))).toEqual([]);
  });
});
