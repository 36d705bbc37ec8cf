import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock, Signer } from '@passwright/core';
import { join } from 'node:path';
import { DetachedCms } from './cms.js';
import { CmsSigner } from './cms-signer.js';
import { aChain, aFolder, type Chain, FixedClock, materialOf, NOW, OWNER } from './signer.fixtures.js';
import { SignerModule } from './signer.module.js';
import { SignerOptions } from './signer.options.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const manifest = Buffer.from('{"pass.json":"…"}');

describe('CmsSigner', () => {
  let chain: Chain;

  beforeAll(() => {
    chain = aChain();
  });

  const withCertificate = (now = NOW) => new CmsSigner(materialOf(chain), false, new FixedClock(now));

  it('reads who signs from the certificate', async () => {
    expect(await withCertificate().identity('acc_1')).toEqual({
      ...OWNER,
      fingerprint: materialOf(chain).certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      expiresAt: new Date('2027-10-28T11:34:56.000Z'),
      development: false,
    });
  });

  it("signs at the clock's time", async () => {
    expect(await withCertificate().sign('acc_1', manifest)).toEqual(
      new DetachedCms(materialOf(chain)).signSync(manifest, NOW),
    );
  });

  it.each([
    ['after its end', 396],
    ['before its beginning', -1],
  ])('503 wallet_unavailable %s, for the signature and the identity', async (_, days) => {
    const signer = withCertificate(new Date(NOW.getTime() + days * DAY_MS));
    const refusal = { statusCode: 503, code: 'wallet_unavailable', message: /2027-10-28.*renew/ };
    for (const asked of [signer.sign('acc_1', manifest), signer.identity('acc_1')]) {
      await expect(asked).rejects.toMatchObject({ ...refusal, message: expect.stringMatching(refusal.message) });
    }
  });
});

describe('SignerModule', () => {
  @Global()
  @Module({ providers: [{ provide: Clock, useValue: new FixedClock() }], exports: [Clock] })
  class FixedClockModule {}

  const boot = (identity: SignerOptions['identity']) =>
    Test.createTestingModule({ imports: [FixedClockModule, SignerModule.forRoot({ identity })] }).compile();

  it('gives the app a Signer over the configured certificate', async () => {
    const { certificatePem, privateKeyPem, intermediatePem } = aChain();
    const app = await boot({ kind: 'certificate', certificatePem, privateKeyPem, intermediatePem });
    expect(await app.get(Signer).identity('acc_1')).toMatchObject({ development: false });
  });

  it('gives the app a Signer over a development chain, marked as such', async () => {
    const app = await boot({ kind: 'development', dir: join(aFolder(), 'development-chain') });
    expect(await app.get(Signer).identity('acc_1')).toMatchObject({ development: true });
  });

  it('stops the start when the certificate cannot be used', async () => {
    const { certificatePem, intermediatePem } = aChain();
    const { privateKeyPem } = aChain();
    const app = boot({ kind: 'certificate', certificatePem, privateKeyPem, intermediatePem });
    await expect(app).rejects.toThrow(/The private key does not belong to the certificate/);
  });
});
