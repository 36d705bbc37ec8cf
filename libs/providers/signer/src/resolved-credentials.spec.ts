import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appleWwdrG4 } from './apple-certificates.js';
import { toIdentity } from './apple-credential.js';
import { ResolvedCredentials } from './resolved-credentials.js';
import {
  aChain,
  type Chain,
  FixedClock,
  materialOf,
  MovedClock,
  NOW,
  OWNER,
  SomeAccounts,
  SomeTestAccounts,
} from './signer.fixtures.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('ResolvedCredentials', () => {
  let operators: Chain;
  let own: Chain;

  beforeAll(() => {
    operators = aChain();
    own = aChain(NOW, { ...OWNER, passTypeIdentifier: 'pass.com.example.own' });
  });

  const credentialsOf = (accounts: SomeAccounts, clock = new MovedClock()) =>
    new ResolvedCredentials(operators, clock, accounts);

  it("ResolvedCredentials uses the account's own certificate, or the operator's certificate if the account has none", async () => {
    const credentials = credentialsOf(new SomeAccounts().set('acc_own', own));
    expect((await credentials.of('acc_own')).passTypeIdentifier).toBe('pass.com.example.own');
    expect((await credentials.of('acc_other')).passTypeIdentifier).toBe(OWNER.passTypeIdentifier);
  });

  it("ResolvedCredentials uses the operator's certificate for all accounts when no module provides account certificates", async () => {
    const credentials = new ResolvedCredentials(operators, new FixedClock());
    expect((await credentials.of('acc_own')).passTypeIdentifier).toBe(OWNER.passTypeIdentifier);
  });

  describe('test accounts', () => {
    let dir: string;
    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'passwright-chain-'));
    });
    afterEach(() => rmSync(dir, { recursive: true }));

    const load = (withChain: boolean) => {
      const identity = { kind: 'certificate', ...operators } as const;
      const testIdentity = { kind: 'development', dir: join(dir, 'chain') } as const;
      const options = { identity, ...(withChain && { testIdentity }) };
      const stored = new SomeAccounts().set('acc_test', own).set('acc_own', own);
      return ResolvedCredentials.load(options, new FixedClock(), stored, new SomeTestAccounts('acc_test'));
    };

    it('a test account uses the development chain, even if it has stored its own certificate', async () => {
      const credentials = await load(true);
      const ofTest = await credentials.of('acc_test');
      expect(ofTest).toMatchObject({ passTypeIdentifier: 'pass.dev.passwright', development: true });
      expect(await credentials.of('acc_test')).toBe(ofTest);
      expect((await credentials.of('acc_own')).passTypeIdentifier).toBe('pass.com.example.own');
      expect((await credentials.of('acc_live')).passTypeIdentifier).toBe(OWNER.passTypeIdentifier);
    });

    it('503 wallet_unavailable for a test account if there is no development chain', async () => {
      const credentials = await load(false);
      await expect(credentials.of('acc_test')).rejects.toMatchObject({ code: 'wallet_unavailable' });
      expect((await credentials.of('acc_live')).passTypeIdentifier).toBe(OWNER.passTypeIdentifier);
    });

    it('503 wallet_unavailable for a test account while the folder of the chain cannot be used', async () => {
      writeFileSync(join(dir, 'chain'), '');
      const credentials = await load(true);
      await expect(credentials.of('acc_test')).rejects.toMatchObject({ code: 'wallet_unavailable' });
      rmSync(join(dir, 'chain'));
      expect((await credentials.of('acc_test')).development).toBe(true);
    });
  });

  it('ResolvedCredentials returns a single certificate and a decrypted key as plain PEM, whatever the input form', async () => {
    const privateKeyPem = operators.keys.pass
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'sésame' })
      .toString();
    const certificatePem = `Bag Attributes\n${operators.certificatePem}${operators.rootPem}`;
    const pem = { ...operators, certificatePem, privateKeyPem, passphrase: 'sésame' };
    const credential = await new ResolvedCredentials(pem, new FixedClock()).of('acc_1');
    expect(credential).toMatchObject({
      certificatePem: operators.certificatePem,
      intermediatePem: operators.intermediatePem,
      privateKeyPem: operators.privateKeyPem,
    });
    expect(credential.passphrase).toBeUndefined();
    expect(createPrivateKey(credential.privateKeyPem).asymmetricKeyType).toBe('rsa');
  });

  it('ResolvedCredentials marks a credential as a development one unless Apple issued its intermediate', async () => {
    const credentials = credentialsOf(new SomeAccounts());
    expect(await credentials.of('acc_1')).toMatchObject({ development: true });
    const { certificate } = materialOf(own);
    expect(toIdentity({ certificate, intermediate: appleWwdrG4 })).toMatchObject({ development: false });
  });

  it('ResolvedCredentials returns the same object for the same certificate, even if its PEM is in a new string', async () => {
    const accounts = new SomeAccounts().set('acc_1', own);
    const credentials = credentialsOf(accounts);
    const first = await credentials.of('acc_1');
    const copy = (text: string) => Buffer.from(text).toString();
    accounts.set('acc_1', {
      certificatePem: copy(own.certificatePem),
      privateKeyPem: copy(own.privateKeyPem),
      intermediatePem: copy(own.intermediatePem),
    });
    expect(await credentials.of('acc_1')).toBe(first);
    expect(await credentials.of('acc_2')).toBe(await credentials.of('acc_3'));
  });

  it('ResolvedCredentials uses a changed account certificate immediately, and after its removal the operator’s', async () => {
    const accounts = new SomeAccounts().set('acc_1', own);
    const credentials = credentialsOf(accounts);
    const first = await credentials.of('acc_1');
    accounts.set('acc_1', aChain(NOW, { ...OWNER, passTypeIdentifier: 'pass.com.example.own' }));
    const renewed = await credentials.of('acc_1');
    expect(renewed.fingerprint).not.toBe(first.fingerprint);
    accounts.set('acc_1', null);
    expect((await credentials.of('acc_1')).passTypeIdentifier).toBe(OWNER.passTypeIdentifier);
  });

  it('503 wallet_unavailable for a certificate outside its validity period, with pass type, dates and remedy', async () => {
    const clock = new MovedClock(new Date(NOW.getTime() - DAY_MS));
    const credentials = credentialsOf(new SomeAccounts().set('acc_own', own), clock);
    await expect(credentials.of('acc_1')).rejects.toMatchObject({
      statusCode: 503,
      code: 'wallet_unavailable',
      message:
        'The operator\'s Apple Wallet certificate of "pass.com.example.dev" is valid from 2026-09-28T11:34:56.000Z ' +
        'to 2027-10-28T11:34:56.000Z only, and that time has not begun.',
    });
    clock.at = NOW;
    expect((await credentials.of('acc_1')).passTypeIdentifier).toBe('pass.com.example.dev');
    clock.at = new Date(NOW.getTime() + 396 * DAY_MS);
    await expect(credentials.of('acc_1')).rejects.toThrow(/only; the operator has to renew it\.$/);
    await expect(credentials.of('acc_own')).rejects.toThrow(
      /^The account's .*"pass.com.example.own".*; hand in a renewed one\.$/,
    );
  });

  it('ResolvedCredentials treats a credential as expired once its intermediate has expired', async () => {
    const late = new Date(NOW.getTime() + 3649 * DAY_MS);
    const { keys, intermediatePem } = operators;
    const leaf = aChain(late, OWNER, keys);
    const credentials = new ResolvedCredentials({ ...leaf, intermediatePem }, new FixedClock(late));
    expect((await credentials.of('acc_1')).expiresAt).toEqual(new Date(materialOf(operators).intermediate.validTo));
  });

  it('503 wallet_unavailable when the stored certificate of an account is unusable', async () => {
    const stored = new SomeAccounts().set('acc_1', { ...own, privateKeyPem: operators.privateKeyPem });
    await expect(credentialsOf(stored).of('acc_1')).rejects.toMatchObject({
      code: 'wallet_unavailable',
      message: expect.stringMatching(/hand it in again.*The private key does not belong to the certificate/s),
    });
  });
});
