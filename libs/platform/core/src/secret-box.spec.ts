import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DecryptionFailed, SecretBox, UnknownMasterKey, type MasterKey, type SecretContext } from './secret-box.js';

const aKey = (id: string): MasterKey => ({ id, key: createHash('sha256').update(id).digest() });
const box = new SecretBox([aKey('new'), aKey('old')]);
const context: SecretContext = { accountId: 'acc_1', purpose: 'apple-certificate' };
const secrets = fc.uint8Array({ maxLength: 3000 });
const contexts = fc.record({ accountId: fc.string(), purpose: fc.string() });

describe('a secret box', () => {
  it('a secret box decrypts every secret that it encrypted, if the context is the same', () => {
    fc.assert(
      fc.property(secrets, contexts, (secret, owner) => {
        expect(box.open(box.encrypt(secret, owner), owner).equals(secret)).toBe(true);
      }),
    );
  });

  it('a secret box encrypts a text as UTF-8', () => {
    expect(box.open(box.encrypt('Schlüssel 🔑', context), context).toString()).toBe('Schlüssel 🔑');
  });

  it('a secret box rejects encrypted bytes in which one byte was changed', () => {
    fc.assert(
      fc.property(secrets, fc.nat(), fc.integer({ min: 1, max: 255 }), (secret, position, difference) => {
        const encrypted = box.encrypt(secret, context);
        encrypted[position % encrypted.length]! ^= difference;
        expect(() => box.open(encrypted, context)).toThrow(/^The (encrypted )?secret/);
      }),
    );
  });

  it('a secret box rejects truncated and extended encrypted bytes', () => {
    fc.assert(
      fc.property(secrets, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 }), (secret, length, more) => {
        const encrypted = box.encrypt(secret, context);
        expect(() => box.open(encrypted.subarray(0, length % encrypted.length), context)).toThrow(DecryptionFailed);
        expect(() => box.open(Buffer.concat([encrypted, more]), context)).toThrow(DecryptionFailed);
      }),
    );
  });

  it('a secret box rejects arbitrary bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => expect(() => box.open(bytes, context)).toThrow(/secret/)));
  });

  it('a secret box rejects bytes that were encrypted for another account or purpose', () => {
    fc.assert(
      fc.property(contexts, contexts, (owner, other) => {
        fc.pre(owner.accountId !== other.accountId || owner.purpose !== other.purpose);
        expect(() => box.open(box.encrypt('secret', owner), other)).toThrow(DecryptionFailed);
      }),
    );
    const shifted = { accountId: 'acc_1","apple', purpose: 'certificate' };
    expect(() => box.open(box.encrypt('secret', context), shifted)).toThrow(DecryptionFailed);
  });

  it('a secret box encrypts the same secret differently each time, and the bytes never contain the secret', () => {
    const [one, other] = [
      box.encrypt('a secret of some length', context),
      box.encrypt('a secret of some length', context),
    ];
    expect(one.equals(other)).toBe(false);
    expect(one.includes('secret')).toBe(false);
    // The authentication tags differ too, not only the nonces.
    expect(one.subarray(-16).equals(other.subarray(-16))).toBe(false);
  });
});

describe('rotation of master keys', () => {
  const before = new SecretBox([aKey('old')]);
  const after = new SecretBox([aKey('new')]);

  it('a secret box decrypts with every master key and encrypts with the first', () => {
    const encrypted = before.encrypt('secret', context);
    expect(box.open(encrypted, context).toString()).toBe('secret');
    expect([box.isCurrent(encrypted), before.isCurrent(encrypted)]).toEqual([false, true]);
    const again = box.encrypt(box.open(encrypted, context), context);
    expect(box.isCurrent(again)).toBe(true);
    expect(after.open(again, context).toString()).toBe('secret');
    expect([box.currentKeyId, box.keyIds]).toEqual(['new', ['new', 'old']]);
  });

  it('a secret box names the master key that is missing', () => {
    const encrypted = before.encrypt('secret', context);
    expect(() => after.open(encrypted, context)).toThrow(new UnknownMasterKey('old'));
    expect(() => after.open(encrypted, context)).toThrow(/"old"/);
  });

  it('a secret box rejects another master key under the same id', () => {
    const impostor = new SecretBox([{ id: 'old', key: aKey('other').key }]);
    expect(() => impostor.open(before.encrypt('secret', context), context)).toThrow(DecryptionFailed);
  });

  it.each([
    ['no key', [], 'There must be a master key'],
    ['an id with a colon', [{ ...aKey('a'), id: 'a:b' }], 'must be 1 to 32 characters'],
    ['an empty id', [{ ...aKey('a'), id: '' }], 'must be 1 to 32 characters'],
    ['a short key', [{ id: 'a', key: new Uint8Array(16) }], '"a" must be 32 bytes long'],
    ['a repeated id', [aKey('a'), aKey('a')], 'same id'],
  ])('a secret box rejects a list of master keys with %s', (_, keys, message) => {
    expect(() => new SecretBox(keys)).toThrow(message);
  });
});
