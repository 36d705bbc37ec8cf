import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountCertificates, rootModule } from '@passwright/core';
import { AppleCertificateRequest } from './apple-certificate-request.entity.js';
import { AppleCertificate } from './apple-certificate.entity.js';
import { AppleCertificatesController } from './apple-certificates.controller.js';
import { AppleCertificatesOptions } from './apple-certificates.options.js';
import { AppleCertificatesRepository } from './apple-certificates.repository.js';
import { AppleCertificatesService } from './apple-certificates.service.js';
import { CachedAccountCertificates } from './cached-account-certificates.js';
import { CertificateChanges } from './certificate-changes.js';
import { CertificateIntake } from './certificate-intake.js';
import { CertificateOverviewService } from './certificate-overview.service.js';
import { ExpiryNoticesHandlers } from './expiry-notices.handlers.js';
import { ExpiryNoticesService } from './expiry-notices.service.js';
import { Notice } from './notice.entity.js';
import { NoticesRepository } from './notices.repository.js';
import { OperatorIdentity } from './operator-identity.js';

/**
 * The Apple Wallet certificates that accounts bring themselves, their keys sealed, and who is told when one ends. Binds
 * `AccountCertificates`, which the signer asks. Needs `AccountsModule`, `SealedKeysModule`, `JobsModule`, `Signer`, `CertificateReader`, `Mailer`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([AppleCertificate, AppleCertificateRequest, Notice])],
  providers: [
    ...[AppleCertificatesService, AppleCertificatesRepository, CertificateIntake, OperatorIdentity, CertificateChanges],
    ...[ExpiryNoticesService, ExpiryNoticesHandlers, NoticesRepository],
    ...[CertificateOverviewService, CachedAccountCertificates],
    { provide: AccountCertificates, useExisting: CachedAccountCertificates },
  ],
  exports: [AccountCertificates, AppleCertificatesService, CertificateOverviewService, OperatorIdentity],
})
export class AppleCertificatesModule extends rootModule(AppleCertificatesOptions, [AppleCertificatesController]) {}
