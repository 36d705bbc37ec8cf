import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountCertificates, rootModule, SecretBox } from '@passwright/core';
import { AppleCertificateRequest } from './apple-certificate-request.entity.js';
import { AppleCertificate } from './apple-certificate.entity.js';
import { AppleCertificatesController } from './apple-certificates.controller.js';
import { AppleCertificatesOptions } from './apple-certificates.options.js';
import { AppleCertificatesRepository } from './apple-certificates.repository.js';
import { AppleCertificatesService } from './apple-certificates.service.js';
import { CachedAccountCertificates } from './cached-account-certificates.js';
import { CertificateIntake } from './certificate-intake.js';
import { CertificateOverviewService } from './certificate-overview.service.js';
import { ExpiryNoticesHandlers } from './expiry-notices.handlers.js';
import { ExpiryNoticesService } from './expiry-notices.service.js';
import { KeyRotationService } from './key-rotation.service.js';
import { Notice } from './notice.entity.js';
import { NoticesRepository } from './notices.repository.js';
import { OperatorIdentity } from './operator-identity.js';
import { SealedKeys } from './sealed-keys.js';
import { SealedSecretsRepository } from './sealed-secrets.repository.js';

/**
 * The Apple Wallet certificates that accounts bring themselves, their keys sealed, and who is told when one ends. Binds
 * `AccountCertificates`, which the signer asks. Needs `AccountsModule`, `JobsModule`, `Signer`, `CertificateReader`, `Mailer`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([AppleCertificate, AppleCertificateRequest, Notice])],
  providers: [
    {
      provide: SecretBox,
      inject: [AppleCertificatesOptions],
      useFactory: ({ masterKeys }: AppleCertificatesOptions) => new SecretBox(masterKeys),
    },
    ...[AppleCertificatesService, AppleCertificatesRepository, CertificateIntake, OperatorIdentity, SealedKeys],
    ...[ExpiryNoticesService, ExpiryNoticesHandlers, NoticesRepository, KeyRotationService, SealedSecretsRepository],
    ...[CertificateOverviewService, CachedAccountCertificates],
    { provide: AccountCertificates, useExisting: CachedAccountCertificates },
  ],
  exports: [AccountCertificates, AppleCertificatesService, CertificateOverviewService, OperatorIdentity],
})
export class AppleCertificatesModule extends rootModule(AppleCertificatesOptions, [AppleCertificatesController]) {}
