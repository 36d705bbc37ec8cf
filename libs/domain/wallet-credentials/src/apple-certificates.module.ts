import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountCertificates, rootModule } from '@passwright/core';
import { AppleCertificateRequest } from './apple-certificates/apple-certificate-request.entity.js';
import { AppleCertificate } from './apple-certificates/apple-certificate.entity.js';
import { AppleCertificateSecretsListener } from './apple-certificates/apple-certificate-secrets.listener.js';
import { AppleCertificatesController } from './apple-certificates/apple-certificates.controller.js';
import { AppleCertificatesOptions } from './apple-certificates.options.js';
import { AppleCertificatesRepository } from './apple-certificates/apple-certificates.repository.js';
import { AppleCertificatesService } from './apple-certificates/apple-certificates.service.js';
import { AccountCertificatesCache } from './apple-certificates/account-certificates-cache.js';
import { CertificateChangesService } from './apple-certificates/certificate-changes.service.js';
import { CertificateUploadService } from './apple-certificates/certificate-upload.service.js';
import { AppleCertificatesDataService } from './apple-certificates/apple-certificates-data.service.js';
import { CertificateOverviewService } from './apple-certificates/certificate-overview.service.js';
import { CertificateUseService } from './apple-certificates/certificate-use.service.js';
import { ExpiryNoticesCron } from './expiry-notices/expiry-notices.cron.js';
import { ExpiryNoticesHandlers } from './expiry-notices/expiry-notices.handlers.js';
import { ExpiryNoticesService } from './expiry-notices/expiry-notices.service.js';
import { ExpiryNotice } from './expiry-notices/expiry-notice.entity.js';
import { ExpiryNoticesRepository } from './expiry-notices/expiry-notices.repository.js';
import { OperatorIdentityService } from './apple-certificates/operator-identity.service.js';

/**
 * Stores the accounts' own Apple Wallet certificates with encrypted keys, and sends notices before a certificate
 * expires. Binds `AccountCertificates` for the signer. Needs `AccountsModule`, `EncryptedSecretsModule`, `JobsModule`,
 * `Signer`, `CertificateReader`, `Mailer`.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([AppleCertificate, AppleCertificateRequest, ExpiryNotice])],
  providers: [
    ...[
      AppleCertificatesService,
      AppleCertificatesRepository,
      CertificateUploadService,
      OperatorIdentityService,
      CertificateChangesService,
    ],
    ...[ExpiryNoticesService, ExpiryNoticesCron, ExpiryNoticesHandlers, ExpiryNoticesRepository],
    ...[CertificateOverviewService, CertificateUseService, AccountCertificatesCache],
    ...[AppleCertificatesDataService, AppleCertificateSecretsListener],
    { provide: AccountCertificates, useExisting: AccountCertificatesCache },
  ],
  exports: [AccountCertificates, AppleCertificatesService, CertificateOverviewService, OperatorIdentityService],
})
export class AppleCertificatesModule extends rootModule(AppleCertificatesOptions, [AppleCertificatesController]) {}
