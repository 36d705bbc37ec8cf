import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountCertificates, rootModule } from '@passwright/core';
import { AppleCertificateRequest } from './apple-certificate-request.entity.js';
import { AppleCertificate } from './apple-certificate.entity.js';
import { AppleCertificateSecretsListener } from './apple-certificate-secrets.listener.js';
import { AppleCertificatesController } from './apple-certificates.controller.js';
import { AppleCertificatesOptions } from './apple-certificates.options.js';
import { AppleCertificatesRepository } from './apple-certificates.repository.js';
import { AppleCertificatesService } from './apple-certificates.service.js';
import { AccountCertificatesCache } from './account-certificates-cache.js';
import { CertificateChangesService } from './certificate-changes.service.js';
import { CertificateIntakeService } from './certificate-intake.service.js';
import { AppleCertificatesDataService } from './apple-certificates-data.service.js';
import { CertificateOverviewService } from './certificate-overview.service.js';
import { CertificateUseService } from './certificate-use.service.js';
import { ExpiryNoticesHandlers } from './expiry-notices.handlers.js';
import { ExpiryNoticesService } from './expiry-notices.service.js';
import { Notice } from './notice.entity.js';
import { NoticesRepository } from './notices.repository.js';
import { OperatorIdentityService } from './operator-identity.service.js';

/**
 * Stores the accounts' own Apple Wallet certificates with encrypted keys, and notifies people before one expires. Binds
 * `AccountCertificates` for the signer. Needs `AccountsModule`, `EncryptedSecretsModule`, `JobsModule`, `Signer`,
 * `CertificateReader`, `Mailer`.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([AppleCertificate, AppleCertificateRequest, Notice])],
  providers: [
    ...[
      AppleCertificatesService,
      AppleCertificatesRepository,
      CertificateIntakeService,
      OperatorIdentityService,
      CertificateChangesService,
    ],
    ...[ExpiryNoticesService, ExpiryNoticesHandlers, NoticesRepository],
    ...[CertificateOverviewService, CertificateUseService, AccountCertificatesCache],
    ...[AppleCertificatesDataService, AppleCertificateSecretsListener],
    { provide: AccountCertificates, useExisting: AccountCertificatesCache },
  ],
  exports: [AccountCertificates, AppleCertificatesService, CertificateOverviewService, OperatorIdentityService],
})
export class AppleCertificatesModule extends rootModule(AppleCertificatesOptions, [AppleCertificatesController]) {}
