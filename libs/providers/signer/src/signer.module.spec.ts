import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AccountCertificates, AppleCredentials, CertificateReader, Clock, Signer } from '@passwright/core';
import { join } from 'node:path';
import { aChain, aFolder, FixedClock, NOW, OWNER, SomeAccounts } from './signer.fixtures.js';
import { SignerModule } from './signer.module.js';
import { SignerOptions } from './signer.options.js';

describe('SignerModule', () => {
  const own = aChain(NOW, { ...OWNER, passTypeIdentifier: 'pass.com.example.own' });

  @Global()
  @Module({ providers: [{ provide: Clock, useValue: new FixedClock() }], exports: [Clock] })
  class FixedClockModule {}

  @Global()
  @Module({
    providers: [{ provide: AccountCertificates, useValue: new SomeAccounts().set('acc_own', own) }],
    exports: [AccountCertificates],
  })
  class AccountsModule {}

  const boot = (identity: SignerOptions['identity'], ...more: (typeof AccountsModule)[]) =>
    Test.createTestingModule({ imports: [FixedClockModule, SignerModule.forRoot({ identity }), ...more] }).compile();

  const certificate = () => {
    const { certificatePem, privateKeyPem, intermediatePem } = aChain();
    return { kind: 'certificate', certificatePem, privateKeyPem, intermediatePem } as const;
  };

  it('SignerModule provides a Signer with the configured certificate, and a reader of certificates', async () => {
    const app = await boot(certificate());
    expect(await app.get(Signer).identity('acc_own')).toMatchObject({ passTypeIdentifier: OWNER.passTypeIdentifier });
    expect(app.get(CertificateReader)).toHaveProperty('read');
  });

  it('SignerModule provides a Signer with a development chain, and its identity is marked as development', async () => {
    const app = await boot({ kind: 'development', dir: join(aFolder(), 'development-chain') });
    expect(await app.get(Signer).identity('acc_1')).toMatchObject({ development: true });
  });

  it("SignerModule uses accounts' own certificates if the app provides them, for any order of the modules", async () => {
    const app = await boot(certificate(), AccountsModule);
    expect(await app.get(AppleCredentials).of('acc_own')).toMatchObject({ passTypeIdentifier: 'pass.com.example.own' });
    expect(await app.get(Signer).identity('acc_own')).toMatchObject({ passTypeIdentifier: 'pass.com.example.own' });
  });

  it('SignerModule starts with an expired certificate', async () => {
    const { certificatePem, privateKeyPem, intermediatePem } = aChain(new Date('2020-01-01T00:00:00Z'));
    const app = await boot({ kind: 'certificate', certificatePem, privateKeyPem, intermediatePem });
    await expect(app.get(Signer).identity('acc_1')).rejects.toMatchObject({ code: 'wallet_unavailable' });
  });

  it('SignerModule does not start with an unusable certificate', async () => {
    const app = boot({ ...certificate(), privateKeyPem: aChain().privateKeyPem });
    await expect(app).rejects.toThrow(/The private key does not belong to the certificate/);
  });
});
