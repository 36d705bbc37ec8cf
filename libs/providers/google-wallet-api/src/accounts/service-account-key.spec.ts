import * as fc from 'fast-check';
import { serviceAccount } from '../google.fixtures.js';
import { readServiceAccountKey } from './service-account-key.js';

const file = {
  type: 'service_account',
  project_id: 'example',
  private_key_id: 'abc',
  private_key: serviceAccount.privateKeyPem,
  client_email: serviceAccount.clientEmail,
  token_uri: 'https://oauth2.googleapis.com/token',
};
const read = {
  clientEmail: file.client_email,
  privateKeyPem: file.private_key,
  privateKeyId: 'abc',
  tokenUri: file.token_uri,
};

it('readServiceAccountKey reads a key file of Google Cloud as JSON or as base64 of that JSON', () => {
  const json = JSON.stringify(file, null, 2);
  expect(readServiceAccountKey(json)).toEqual(read);
  expect(readServiceAccountKey(`\n ${json}`)).toEqual(read);
  expect(readServiceAccountKey(Buffer.from(json).toString('base64'))).toEqual(read);
});

it('readServiceAccountKey accepts a token address on this machine without https', () => {
  const token_uri = 'http://127.0.0.1:9000/token';
  expect(readServiceAccountKey(JSON.stringify({ ...file, token_uri })).tokenUri).toBe(token_uri);
});

it.each([
  [{ type: 'authorized_user' }, /^must be the key file of a service account/],
  [{ client_email: undefined }, /^must have client_email/],
  [{ private_key: 5 }, /^must have private_key/],
  [{ token_uri: 'http://oauth2.googleapis.com/token' }, /^must have an https address as token_uri/],
])('readServiceAccountKey rejects a key file with the change %j, and the error names the mistake', (change, words) => {
  expect(() => readServiceAccountKey(JSON.stringify({ ...file, ...change }))).toThrow(words);
});

it('readServiceAccountKey rejects any other text, and says what a key file must be', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(() => readServiceAccountKey(text)).toThrow(/^must /);
    }),
  );
});
