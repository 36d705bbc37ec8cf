import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { ValidationFailed } from '@passwright/core';
import fc from 'fast-check';
import { aKeyFile, ISSUER, pkcs8, rsaKey } from '../google-service-accounts.fixtures.js';
import { readKeyFile } from './key-file.js';

const key = rsaKey('first');
const pem = pkcs8(key);

function problemsOf(sent: object | string, issuerId = ISSUER): readonly string[] {
  try {
    readKeyFile(issuerId, sent);
  } catch (error) {
    if (error instanceof ValidationFailed) return error.problems;
    throw error;
  }
  return [];
}

describe('a key file', () => {
  const expected = {
    issuerId: ISSUER,
    clientEmail: 'passes@example-club.iam.gserviceaccount.com',
    privateKeyId: '0123456789abcdef0123456789abcdef01234567',
    privateKeyPem: pem,
  };

  it.each<[string, object | string]>([
    ['as an object', aKeyFile()],
    ['as text', JSON.stringify(aKeyFile(), null, 2)],
    ['as text with a byte order mark', `\uFEFF${JSON.stringify(aKeyFile())}\n`],
    ['with line ends written as \\n', aKeyFile({ private_key: pem.replaceAll('\n', '\\n') })],
    ['with Windows line ends written as \\r\\n', aKeyFile({ private_key: pem.replaceAll('\n', '\\r\\n') })],
    [
      'with a key in the older PKCS#1 form',
      aKeyFile({ private_key: key.export({ type: 'pkcs1', format: 'pem' }).toString() }),
    ],
    ['with properties that Google may add', aKeyFile({ quota_project_id: 'x', more: { of: ['it'] } })],
  ])('readKeyFile reads a key file %s', (_, sent) => {
    expect(readKeyFile(ISSUER, sent)).toEqual(expected);
  });

  it.each([[undefined], [7], ['two words'], ['x'.repeat(129)]])('readKeyFile omits the invalid key id %p', (id) => {
    expect(readKeyFile(ISSUER, aKeyFile({ private_key_id: id }))).not.toHaveProperty('privateKeyId');
  });

  it.each([
    ['123456789012-compute@developer.gserviceaccount.com'],
    ['club@club-1.example.co.uk.iam.gserviceaccount.com'],
    ['club@appspot.gserviceaccount.com'],
  ])('readKeyFile accepts the key file of a service account such as %s', (client_email) => {
    expect(readKeyFile(ISSUER, aKeyFile({ client_email })).clientEmail).toBe(client_email);
  });

  const ec = pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const encrypted = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString();
  const lines = pem.split('\n');
  it.each<[string, object | string, string[]]>([
    ['text that is not JSON', 'serviceAccount.json', ['serviceAccount is a text, but no JSON object']],
    ['a list', '[]', ['serviceAccount is a text, but no JSON object']],
    ['a key alone', pem, ['serviceAccount is a private key alone']],
    ['an empty object', {}, ['serviceAccount must have the type "service_account"']],
    ['an OAuth client', { installed: { client_id: 'x' } }, ['serviceAccount is an OAuth client']],
    ['a web OAuth client', '{"web": {"client_secret": "x"}}', ['serviceAccount is an OAuth client']],
    ['a person’s login', { type: 'authorized_user', refresh_token: 'x' }, ['serviceAccount is the login of a person']],
    ['an external account', { type: 'external_account' }, ['serviceAccount stands for an identity elsewhere']],
    [
      'an object with only the type',
      { type: 'service_account' },
      ['serviceAccount.client_email is missing', 'serviceAccount.private_key is missing'],
    ],
    [
      'the e-mail of a person',
      aKeyFile({ client_email: 'Ada <a@example.com>' }),
      ['serviceAccount.client_email must be'],
    ],
    ['a number as the e-mail', aKeyFile({ client_email: 5 }), ['serviceAccount.client_email is missing']],
    ['a key without armour', aKeyFile({ private_key: lines[1] }), ['serviceAccount.private_key must be PEM text']],
    ['a public key', aKeyFile({ private_key: publicPem() }), ['serviceAccount.private_key must be a private key']],
    ['an encrypted key', aKeyFile({ private_key: encrypted }), ['serviceAccount.private_key must not be encrypted']],
    ['an EC key', aKeyFile({ private_key: ec }), ['serviceAccount.private_key must be an RSA key']],
    [
      'a small key',
      aKeyFile({ private_key: pkcs8(rsaKey('small', 1024)) }),
      ['serviceAccount.private_key has 1024 bits'],
    ],
    [
      'a truncated key',
      aKeyFile({ private_key: [...lines.slice(0, 9), ...lines.slice(-2)].join('\n') }),
      ['serviceAccount.private_key is damaged'],
    ],
    ['a key mixed from two keys', aKeyFile({ private_key: mixed() }), ['serviceAccount.private_key is damaged']],
  ])('readKeyFile explains why it rejects a key file: %s', (_, sent, beginnings) => {
    expect(problemsOf(sent)).toEqual(beginnings.map((beginning) => expect.stringContaining(beginning)));
  });

  it.each([
    ['the client_id', aKeyFile({ client_id: '11223344556677889900' }), '11223344556677889900', 'is the client_id'],
    [
      'the project’s number',
      aKeyFile({ client_email: '123456789012-compute@developer.gserviceaccount.com' }),
      '123456789012',
      'is the number of the Cloud project',
    ],
  ])('readKeyFile explains the error if %s was sent as the issuer id', (_, sent, issuerId, sentence) => {
    expect(problemsOf(sent, issuerId)).toEqual([expect.stringContaining(`issuerId ${sentence}`)]);
  });

  it('the errors of readKeyFile never contain content of a key file', () => {
    const secret = 'S3CRET';
    const values = fc.oneof(
      fc.constant(secret),
      fc.constant(`-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`),
      fc.constant([secret]),
      fc.string().map((text) => text + secret),
    );
    const properties = fc.constantFrom('type', 'client_email', 'private_key', 'client_id', secret);
    const files = fc
      .dictionary(properties, values)
      .map((changes) => ({ ...aKeyFile(), private_key: secret, ...changes }));
    const cut = fc.tuple(files, fc.nat(400)).map(([file, length]) => JSON.stringify(file).slice(0, length));
    fc.assert(
      fc.property(fc.oneof(files, cut), (sent) => {
        const problems = problemsOf(sent);
        expect(problems.length).toBeGreaterThan(0);
        expect(problems.join()).not.toContain(secret);
      }),
    );
  });
});

function publicPem(): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
}

/** Returns a key that can be parsed but has the modulus of another key. */
function mixed(): string {
  const [modulus, replaced] = [rsaKey('second'), key].map((each) =>
    Buffer.from(each.export({ format: 'jwk' }).n ?? '', 'base64url'),
  );
  const bytes = key.export({ type: 'pkcs8', format: 'der' });
  bytes.set(modulus ?? [], bytes.indexOf(replaced ?? ''));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}
