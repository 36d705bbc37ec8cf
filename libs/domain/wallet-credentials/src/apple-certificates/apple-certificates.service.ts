import { Injectable } from '@nestjs/common';
import { Clock, type IfMatch, type ReadCertificate, EncryptedSecrets } from '@passwright/core';
import { Database } from '@passwright/database';
import type { AppleCertificateRequestResponse, AppleCertificateUpload } from './apple-certificate.dto.js';
import type { AppleCertificate } from './apple-certificate.entity.js';
import { NoAppleCertificate, PassTypeDiffers } from './apple-certificates.errors.js';
import { AppleCertificatesRepository } from './apple-certificates.repository.js';
import { AccountCertificatesCache } from './account-certificates-cache.js';
import { requireCertificate, toRequestResponse } from './certificate-description.js';
import { CertificateChangesService } from './certificate-changes.service.js';
import { CertificateUploadService } from './certificate-upload.service.js';
import { CertificateUseService } from './certificate-use.service.js';

/** Manages the certificates that sign the passes of accounts. */
@Injectable()
export class AppleCertificatesService {
  constructor(
    private readonly repository: AppleCertificatesRepository,
    private readonly uploads: CertificateUploadService,
    private readonly certificates: AccountCertificatesCache,
    private readonly keys: EncryptedSecrets,
    private readonly database: Database,
    private readonly changes: CertificateChangesService,
    private readonly use: CertificateUseService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the certificate. Every node signs the account's passes with it within a second. The same certificate, or a
   * renewal with the same pass type, does not affect devices.
   * @throws ValidationFailed with all problems of the certificate. @throws PassTypeDiffers. @throws
   * TestAccountCredentials. @throws PreconditionFailed
   */
  async save(accountId: string, upload: AppleCertificateUpload, ifMatch: IfMatch = null): Promise<void> {
    await this.use.requireLive(accountId);
    const { certificate, request } = await this.uploads.read(accountId, upload);
    const operator = await this.use.operatorCertificate();
    const row = this.toRow(accountId, certificate);
    await this.database.transaction(async (tx) => {
      await this.use.lock(tx, accountId);
      const before = await this.repository.findForChange(tx, accountId);
      requireCertificate(ifMatch, before);
      if (before) requireSamePassType(before, certificate);
      // Phones reject passes that a development chain signed, so no installed pass can lose its updates.
      else if (!operator?.development) await this.use.requireNoOtherPasses(tx, accountId, certificate);
      await this.repository.upsert(tx, row);
      if (request) await this.repository.deleteRequest(tx, request);
      await this.changes.saved(tx, accountId, before, operator, certificate);
    });
    this.certificates.expire(accountId);
  }

  /**
   * Creates a private key and its certificate signing request. Replaces a pending request. @throws
   * TestAccountCredentials
   */
  async request(accountId: string): Promise<AppleCertificateRequestResponse> {
    await this.use.requireLive(accountId);
    const { privateKeyPem, requestPem } = await this.uploads.createRequest(accountId);
    const privateKey = this.keys.encrypt(accountId, 'apple-certificate-request', privateKeyPem);
    const request = { accountId, requestPem, privateKey, createdAt: this.clock.now() };
    await this.database.transaction(async (tx) => {
      await this.repository.upsertRequest(tx, request);
      await this.changes.requested(tx, accountId);
    });
    return toRequestResponse(request);
  }

  /**
   * Removes the account's certificate, so that the operator's certificate signs again. @throws NoAppleCertificate.
   * @throws AppleCertificateInUse. @throws PreconditionFailed
   */
  async remove(accountId: string, ifMatch: IfMatch = null): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.use.lock(tx, accountId);
      const present = await this.repository.findForChange(tx, accountId);
      if (!present) throw new NoAppleCertificate();
      requireCertificate(ifMatch, present);
      await this.use.requireUnused(tx, present);
      await this.repository.delete(tx, accountId);
      await this.changes.removed(tx, present);
    });
    this.certificates.expire(accountId);
  }

  private toRow(accountId: string, certificate: ReadCertificate): AppleCertificate {
    const { certificatePem, intermediatePem, privateKeyPem, development } = certificate;
    const { passTypeIdentifier, teamIdentifier, organizationName, fingerprint, expiresAt } = certificate;
    return {
      accountId,
      certificatePem,
      intermediatePem,
      privateKey: this.keys.encrypt(accountId, 'apple-certificate', privateKeyPem),
      ...{ passTypeIdentifier, teamIdentifier, organizationName, fingerprint, expiresAt, development },
      uploadedAt: this.clock.now(),
    };
  }
}

function requireSamePassType(present: AppleCertificate, uploaded: ReadCertificate): void {
  if (present.passTypeIdentifier === uploaded.passTypeIdentifier) return;
  throw new PassTypeDiffers(
    present.passTypeIdentifier,
    uploaded.passTypeIdentifier,
    'or, while no device is registered, remove the present certificate first: DELETE /v1/account/walletA.',
  );
}
