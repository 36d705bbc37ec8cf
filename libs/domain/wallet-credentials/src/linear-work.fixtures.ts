import type { WorkCase } from '@passwright/testing';
import { base64Bytes, pemOf, sentFile } from './apple-certificates/certificate-files.js';
import { readKeyFile } from './google-service-accounts/key-file.js';
import { readRsaKey } from './google-service-accounts/rsa-key.js';

const repeated = (text: string) => (size: number) => text.repeat(size);

/** The parsers of this package, each with the input that costs it the most work. */
export const cases: readonly WorkCase[] = [
  ['padding without base64', repeated('='), base64Bytes],
  ['padding before base64', repeated('='), (text: string) => base64Bytes(`${text}A=`)],
  ['base64 on many lines', repeated('A\n'), base64Bytes],
  ['the beginnings of PEM', repeated('-----BEGIN '), sentFile],
  ['escaped line ends', repeated('\\r\\n'), (text: string) => sentFile(`-----BEGIN ${text}`)],
  ['PEM in base64', (size: number) => Buffer.from('-----BEGIN \r\n'.repeat(size)).toString('base64'), sentFile],
  ['a certificate written as PEM', (size: number) => Buffer.alloc(size), pemOf],
  ['a key of hyphens', repeated('-'), readRsaKey],
  ['a key of blank lines', repeated('\n'), (text: string) => readRsaKey(`-----BEGIN PRIVATE KEY-----${text}`)],
  ['a key file that is no JSON', repeated('{"'), (text: string) => readKeyFile('1', text)],
  [
    'a key file of one long address',
    repeated('a.'),
    (text: string) =>
      readKeyFile('1', { type: 'service_account', client_email: text, private_key: text, private_key_id: text }),
  ],
];
