import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountServiceAccounts, type GoogleServiceAccount, TestAccounts, WalletUnavailable } from '@passwright/core';
import { pemOf, serviceAccount } from '../google.fixtures.js';
import { loadDevelopmentServiceAccount } from './development-service-account.js';
import { ResolvedServiceAccounts } from './resolved-service-accounts.js';

class OwnAccounts extends AccountServiceAccounts {
  readonly all = new Map<string, GoogleServiceAccount>();
  override find(accountId: string): Promise<GoogleServiceAccount | null> {
    return Promise.resolve(this.all.get(accountId) ?? null);
  }
}

class OneTestAccount extends TestAccounts {
  override has(accountId: string): Promise<boolean> {
    return Promise.resolve(accountId === 'test');
  }
}

const operator = { kind: 'operator', ...serviceAccount } as const;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'passwright-google-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('ResolvedServiceAccounts', () => {
  it("ResolvedServiceAccounts prefers the account's own service account to the operator's", async () => {
    const accounts = new OwnAccounts();
    const own = { ...serviceAccount, issuerId: '3388000000000000042', clientEmail: 'own@example.com' };
    accounts.all.set('a', own);
    const resolved = new ResolvedServiceAccounts({ serviceAccount: operator, tokenUrl: null }, accounts);
    const [first, second] = [(await resolved.of('a')).identity, (await resolved.of('b')).identity];
    expect(first).toMatchObject({ issuerId: own.issuerId, clientEmail: own.clientEmail, development: false });
    expect(second).toMatchObject({ issuerId: serviceAccount.issuerId, development: false });
    expect(first.fingerprint).not.toBe(second.fingerprint);
    expect(await resolved.of('a')).toBe(await resolved.of('a'));

    accounts.all.set('a', { ...own, issuerId: '3388000000000000043' });
    expect((await resolved.of('a')).identity.issuerId).toBe('3388000000000000043');
  });

  it('ResolvedServiceAccounts never uses the token address in an account’s key file', async () => {
    const accounts = new OwnAccounts();
    accounts.all.set('a', { ...serviceAccount, tokenUri: 'https://evil.example.com' } as GoogleServiceAccount);
    const withUri = { ...operator, tokenUri: 'https://oauth2.example.com/token' };
    const ofFile = new ResolvedServiceAccounts({ serviceAccount: withUri, tokenUrl: null }, accounts);
    expect((await ofFile.of('b')).tokenUrl).toBe('https://oauth2.example.com/token');
    expect((await ofFile.of('a')).tokenUrl).toBe('https://oauth2.googleapis.com/token');
    const configured = new ResolvedServiceAccounts({ serviceAccount: withUri, tokenUrl: 'https://x/token' }, accounts);
    expect((await configured.of('b')).tokenUrl).toBe('https://x/token');
    expect((await configured.of('a')).tokenUrl).toBe('https://x/token');
  });

  it('ResolvedServiceAccounts reads a key that has a backslash and the letter n in place of each line break', () => {
    const privateKeyPem = serviceAccount.privateKeyPem.replaceAll('\n', '\\n');
    const resolved = new ResolvedServiceAccounts({ serviceAccount: { ...operator, privateKeyPem }, tokenUrl: null });
    expect(pemOf(resolved.parse(serviceAccount).key)).toBe(serviceAccount.privateKeyPem);
  });

  it('ResolvedServiceAccounts fails at the start with an error that lists everything wrong with the operator’s service account', () => {
    const ec = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    const wrong = { ...operator, issuerId: 'BCR2', clientEmail: 'x', privateKeyPem: ec };
    expect(() => new ResolvedServiceAccounts({ serviceAccount: wrong, tokenUrl: null })).toThrow(
      /issuer id must be 10 to 20 digits.*e-mail must be.*must be an RSA key of at least 2048 bits/,
    );
  });

  it('503 wallet_unavailable when the account’s own service account is unusable', async () => {
    const accounts = new OwnAccounts();
    accounts.all.set('a', { ...serviceAccount, privateKeyPem: 'nonsense' });
    const resolved = new ResolvedServiceAccounts({ serviceAccount: operator, tokenUrl: null }, accounts);
    await expect(resolved.of('a')).rejects.toThrow(WalletUnavailable);
    await expect(resolved.of('a')).rejects.toThrow(/hand it in again. The private key cannot be read/);
  });

  it('ResolvedServiceAccounts creates one private development service account for all processes that start together', async () => {
    const folder = join(dir, 'deep', 'development-google');
    const start = () =>
      new ResolvedServiceAccounts({ serviceAccount: { kind: 'development', dir: folder }, tokenUrl: null });
    const fingerprints = await Promise.all([0, 1, 2, 3].map(async () => (await start().of('a')).identity.fingerprint));
    expect(new Set(fingerprints).size).toBe(1);
    const { identity } = await start().of('b');
    expect(identity).toMatchObject({ development: true, clientEmail: expect.stringMatching(/@development\.invalid$/) });
    expect(identity.issuerId).toMatch(/^\d{19}$/);
    expect(readdirSync(folder)).toEqual(['service-account.json']);
    expect(statSync(join(folder, 'service-account.json')).mode & 0o777).toBe(0o600);
  });

  it('a test account uses the development service account, even if it has stored its own', async () => {
    const accounts = new OwnAccounts();
    accounts.all.set('test', serviceAccount);
    const development = { kind: 'development', dir } as const;
    const options = { serviceAccount: operator, testServiceAccount: development, tokenUrl: null };
    const resolved = new ResolvedServiceAccounts(options, accounts, new OneTestAccount());
    expect((await resolved.of('test')).identity).toMatchObject({ development: true });
    expect((await resolved.of('live')).identity).toMatchObject({ development: false });
  });

  it('503 wallet_unavailable for a test account if there is no development service account', async () => {
    const options = { serviceAccount: operator, tokenUrl: null };
    const resolved = new ResolvedServiceAccounts(options, null, new OneTestAccount());
    await expect(resolved.of('test')).rejects.toThrow(WalletUnavailable);
  });

  it('the error about a damaged file of the development service account names the problem', async () => {
    writeFileSync(join(dir, 'service-account.json'), '{');
    await expect(loadDevelopmentServiceAccount(dir)).rejects.toThrow(/cannot be read .* Delete it/);
  });
});
