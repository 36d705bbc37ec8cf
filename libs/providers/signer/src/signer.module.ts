import { Module } from '@nestjs/common';
import {
  AccountCertificates,
  AppleCredentials,
  CertificateReader,
  Clock,
  rootModule,
  Signer,
  TestAccounts,
} from '@passwright/core';
import { CmsSigner } from './cms-signer.js';
import { ResolvedCredentials } from './resolved-credentials.js';
import { SignerOptions } from './signer.options.js';
import { X509CertificateReader } from './reader/x509-certificate-reader.js';

/**
 * Binds `Signer`, `AppleCredentials` and `CertificateReader`. Accounts sign with their own certificates if a module
 * provides `AccountCertificates`, and test accounts with the development chain if a module provides `TestAccounts`. If
 * the operator's certificate is unusable, the app does not start, and one message lists everything that is wrong. An
 * expired certificate does not stop the start.
 */
@Module({
  providers: [
    {
      provide: AppleCredentials,
      inject: [
        SignerOptions,
        Clock,
        { token: AccountCertificates, optional: true },
        { token: TestAccounts, optional: true },
      ],
      useFactory: (...parts: Parameters<typeof ResolvedCredentials.load>) => ResolvedCredentials.load(...parts),
    },
    {
      provide: Signer,
      inject: [AppleCredentials, Clock],
      useFactory: (credentials: AppleCredentials, clock: Clock) => new CmsSigner(credentials, clock),
    },
    { provide: CertificateReader, useFactory: () => new X509CertificateReader() },
  ],
  exports: [AppleCredentials, CertificateReader, Signer],
})
export class SignerModule extends rootModule(SignerOptions) {}
