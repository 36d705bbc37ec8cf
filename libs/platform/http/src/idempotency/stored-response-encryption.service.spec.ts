import { StoredResponseEncryptionService } from './stored-response-encryption.service.js';

const masterKey = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) });
const encryptionWith = (...masterKeys: ReturnType<typeof masterKey>[]) =>
  new StoredResponseEncryptionService({
    baseUrl: '',
    trustProxy: 0,
    requestsPerMinute: 0,
    storedResponses: { masterKeys, encrypts: masterKeys.length > 0 },
  });

const [old, present] = [masterKey('old', 1), masterKey('new', 2)];
const encryption = encryptionWith(old);
const body = JSON.stringify({
  id: 'mail1',
  templateId: 'club',
  passId: 'p1',
  email: 'Ada@example.com',
  text: 'ask "bob+x@abc.example.org".',
  links: ['https://passes.example/p/acc_1/club/p1'],
});

it('the encryption decrypts a body with the same Idempotency-Key, even after the master key was replaced', () => {
  const stored = encryption.encrypt('acc_1', 'key-1', body);
  expect(stored.body).toBeNull();
  expect(encryptionWith(present, old).open('acc_1', 'key-1', stored)).toBe(body);
});

it('the encryption does not decrypt a body for another Idempotency-Key or another account', () => {
  const stored = encryption.encrypt('acc_1', 'key-1', body);
  expect(() => encryption.open('acc_1', 'key-2', stored)).toThrow('cannot read its response');
  expect(() => encryption.open('acc_2', 'key-1', stored)).toThrow('cannot read its response');
});

it('503 not_ready if the master key is missing or if another key has its id', () => {
  const stored = encryption.encrypt('acc_1', 'key-1', body);
  for (const other of [present, masterKey('old', 3)]) {
    expect(() => encryptionWith(other).open('acc_1', 'key-1', stored)).toThrow(
      expect.objectContaining({ statusCode: 503, code: 'not_ready', message: expect.not.stringContaining('master') }),
    );
  }
});

it('the encryption lists the pass, the mail and the addresses in a body', () => {
  const { names } = encryption.encrypt('acc_1', 'key-1', body);
  expect(names).toEqual(expect.arrayContaining(['pass:club/p1', 'mail:mail1']));
  expect(names?.join()).not.toMatch(/ada|bob|example/i);
  for (const email of ['ADA@example.com', 'bob+x@abc.example.org']) {
    const found = (accountId: string) =>
      encryptionWith(present, old)
        .namesOf(accountId, email)
        .some((name) => names?.includes(name));
    expect([found('acc_1'), found('acc_2')]).toEqual([true, false]);
  }
});

it('the encryption lists the pass of a body whose fields link to other passes', () => {
  const page = (pass: string) => `https://passes.example/p/acc_1/club/${pass}`;
  const pass = { id: 'p1', templateId: 'club', fields: [{ key: 'partner', value: page('p2') }] };
  const { names } = encryption.encrypt('acc_1', 'key-1', JSON.stringify({ pass, webUrl: page('p1') }));
  expect(names).toEqual(['pass:club/p2', 'pass:club/p1']);
});

it('the encryption finds an address that follows a quotation mark', () => {
  const { names } = encryption.encrypt('acc_1', 'key-1', JSON.stringify({ message: "not for 'ada@example.com'." }));
  const [name] = encryption.namesOf('acc_1', 'ada@example.com');
  expect(names).toContain(name);
});

it('the encryption lists the same name for every body with too many addresses, so that every erasure finds them', () => {
  const text = Array.from({ length: 30_000 }, (_, index) => `${index}@b`).join(' ');
  const { names } = encryption.encrypt('acc_1', 'key-1', JSON.stringify({ text }));
  expect(names).toEqual(['email:*']);
  expect(encryption.namesOf('acc_1', '7@b')).toContain('email:*');
});

it('the encryption stores bodies unencrypted if there is no master key', () => {
  expect(encryptionWith().encrypt('acc_1', 'key-1', body)).toEqual({ body, encrypted: null, names: null });
});
