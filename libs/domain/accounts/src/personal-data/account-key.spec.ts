import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { AccountKey, newSalt } from './account-key.js';

const root = randomBytes(32);
const key = new AccountKey('acc_1', root, true);
const mail = { id: 'mail:1', salt: newSalt() };

it('AccountKey decrypts a value only for its own record and column', () => {
  const encrypted = key.encrypt(mail, 'pass_mail.personal', { recipient: 'ada@example.com' });
  expect(key.open(mail, 'pass_mail.personal', encrypted)).toEqual({ recipient: 'ada@example.com' });
  expect(key.open(mail, 'pass_mail.personal_message', encrypted)).toBeNull();
  expect(key.open({ ...mail, id: 'mail:2' }, 'pass_mail.personal', encrypted)).toBeNull();
  expect(key.open({ ...mail, salt: newSalt() }, 'pass_mail.personal', encrypted)).toBeNull();
  encrypted[0] = 1;
  expect(key.open(mail, 'pass_mail.personal', encrypted)).toBeNull();
});

it.each([
  ['a later format', (encrypted: Buffer) => Buffer.concat([Buffer.of(3), encrypted.subarray(1)])],
  ['a cut value', (encrypted: Buffer) => encrypted.subarray(0, 28)],
  ['a value without a tag', (encrypted: Buffer) => encrypted.subarray(0, 10)],
  ['an empty value', () => Buffer.alloc(0)],
])('AccountKey returns null for %s', (_, damage) => {
  const encrypted = key.encrypt(mail, 'pass_mail.personal', { recipient: 'ada@example.com' });
  expect(key.open(mail, 'pass_mail.personal', damage(encrypted))).toBeNull();
});

it('AccountKey decrypts values of the first format, which does not bind a value to its column', () => {
  const accountKey = Buffer.from(hkdfSync('sha256', root, '', 'passwright personal data of records', 32));
  const recordKey = createHmac('sha256', accountKey).update(mail.salt).digest();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', recordKey, nonce).setAAD(Buffer.from('["acc_1","mail:1"]'));
  const text = Buffer.concat([cipher.update('{"recipient":"ada@example.com"}'), cipher.final()]);
  const encrypted = Buffer.concat([Buffer.of(1), nonce, text, cipher.getAuthTag()]);
  expect(key.open(mail, 'pass_mail.personal', encrypted)).toEqual({ recipient: 'ada@example.com' });
});
