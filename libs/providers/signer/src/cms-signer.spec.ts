import { AppleCredentials } from '@passwright/core';
import { DetachedCms } from './detached-cms.js';
import { CmsSigner } from './cms-signer.js';
import { ResolvedCredentials } from './resolved-credentials.js';
import { aChain, type Chain, FixedClock, materialOf, NOW, OWNER, SomeAccounts } from './signer.fixtures.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const manifest = Buffer.from('{"pass.json":"…"}');

describe('CmsSigner', () => {
  let chain: Chain;
  let own: Chain;

  beforeAll(() => {
    chain = aChain();
    own = aChain(NOW, { ...OWNER, passTypeIdentifier: 'pass.com.example.own' });
  });

  const signerOf = (now = NOW, accounts = new SomeAccounts()) => {
    const clock = new FixedClock(now);
    return new CmsSigner(new ResolvedCredentials(chain, clock, accounts), clock);
  };

  it('CmsSigner reads the identity from the certificate, and the identity contains no key', async () => {
    expect(await signerOf().identity('acc_1')).toEqual({
      ...OWNER,
      fingerprint: materialOf(chain).certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      expiresAt: new Date('2027-10-28T11:34:56.000Z'),
      development: true,
    });
  });

  it("CmsSigner uses the clock's time as the signing time", async () => {
    const expected = new DetachedCms(materialOf(chain)).signSync(manifest, NOW);
    expect(await signerOf().sign('acc_1', manifest)).toEqual(expected);
  });

  it("CmsSigner signs with the account's own certificate as soon as the account has one", async () => {
    const accounts = new SomeAccounts();
    const signer = signerOf(NOW, accounts);
    const operators = new DetachedCms(materialOf(chain)).signSync(manifest, NOW);
    expect(await signer.sign('acc_1', manifest)).toEqual(operators);
    accounts.set('acc_1', own);
    expect(await signer.sign('acc_1', manifest)).toEqual(new DetachedCms(materialOf(own)).signSync(manifest, NOW));
    expect(await signer.identity('acc_1')).toMatchObject({ passTypeIdentifier: 'pass.com.example.own' });
    expect(await signer.sign('acc_2', manifest)).toEqual(operators);
  });

  it.each([
    ['after the end of the certificate’s validity', 396],
    ['before the certificate is valid', -1],
  ])('503 wallet_unavailable %s, for both the signature and the identity', async (_, days) => {
    const signer = signerOf(new Date(NOW.getTime() + days * DAY_MS));
    for (const asked of [signer.sign('acc_1', manifest), signer.identity('acc_1')]) {
      await expect(asked).rejects.toMatchObject({ statusCode: 503, code: 'wallet_unavailable' });
    }
  });

  it('CmsSigner prepares each credential object only once', async () => {
    let reads = 0;
    const credential = await new ResolvedCredentials(chain, new FixedClock()).of('acc_1');
    const counted = Object.defineProperty({ ...credential }, 'privateKeyPem', {
      get: () => (reads++, credential.privateKeyPem),
    });
    class Counted extends AppleCredentials {
      of = () => Promise.resolve(counted);
    }
    const signer = new CmsSigner(new Counted(), new FixedClock());
    await signer.sign('acc_1', manifest);
    const afterTheFirst = reads;
    await signer.sign('acc_2', manifest);
    expect(afterTheFirst).toBeGreaterThan(0);
    expect(reads).toBe(afterTheFirst);
  });
});
