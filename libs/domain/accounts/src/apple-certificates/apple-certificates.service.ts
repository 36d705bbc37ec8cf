import { Injectable } from '@nestjs/common';
import { Clock, type ReadCertificate } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { AppleCertificateRequestResponse, AppleCertificateUpload } from './apple-certificate.dto.js';
import type { AppleCertificate } from './apple-certificate.entity.js';
import { AppleCertificateInUse, NoAppleCertificate, PassTypeDiffers } from './apple-certificates.errors.js';
import { AppleCertificatesRepository } from './apple-certificates.repository.js';
import { CachedAccountCertificates } from './cached-account-certificates.js';
import { toRequestResponse, type ShownCertificate } from './certificate-description.js';
import { CertificateChanges } from './certificate-changes.js';
import { CertificateIntake } from './certificate-intake.js';
import { OperatorIdentity } from './operator-identity.js';
import { SealedKeys } from '../sealed-keys/sealed-keys.js';

/** The certificates that accounts sign their passes with. */
@Injectable()
export class AppleCertificatesService {
  constructor(
    private readonly repository: AppleCertificatesRepository,
    private readonly intake: CertificateIntake,
    private readonly operator: OperatorIdentity,
    private readonly certificates: CachedAccountCertificates,
    private readonly keys: SealedKeys,
    private readonly database: Database,
    private readonly changes: CertificateChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Signs the account's passes with this certificate from now on, on every node within a second. The same one again, and
   * a renewal under the same pass type, disturb nothing.
   * @throws ValidationFailed with everything that is wrong with it. @throws PassTypeDiffers
   */
  async save(accountId: string, upload: AppleCertificateUpload): Promise<void> {
    const { certificate, request } = await this.intake.read(accountId, upload);
    const operator = (await this.operator.current()).identity;
    const row = this.toRow(accountId, certificate);
    await this.database.transaction(async (tx) => {
      await this.repository.lockAccount(tx, accountId);
      const before = await this.repository.findForChange(tx, accountId);
      if (before) requireSamePassType(before, certificate);
      else await this.requireNoOtherPasses(tx, accountId, certificate, operator);
      await this.repository.upsert(tx, row);
      if (request) await this.repository.deleteRequest(tx, request);
      await this.changes.saved(tx, accountId, before, operator, certificate);
    });
    this.certificates.expire(accountId);
  }

  /** Makes a key and the request for its certificate; an earlier one that still waits is given up. */
  async request(accountId: string): Promise<AppleCertificateRequestResponse> {
    const { privateKeyPem, requestPem } = await this.intake.createRequest(accountId);
    const privateKey = this.keys.seal(accountId, 'apple-certificate-request', privateKeyPem);
    const request = { accountId, requestPem, privateKey, createdAt: this.clock.now() };
    await this.database.transaction(async (tx) => {
      await this.repository.upsertRequest(tx, request);
      await this.changes.requested(tx, accountId);
    });
    return toRequestResponse(request);
  }

  /** Goes back to the operator's certificate. @throws NoAppleCertificate. @throws AppleCertificateInUse */
  async remove(accountId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.repository.lockAccount(tx, accountId);
      const present = await this.repository.findForChange(tx, accountId);
      if (!present) throw new NoAppleCertificate();
      const devices = await this.repository.countDevices(tx, accountId, present.passTypeIdentifier);
      if (devices > 0) throw new AppleCertificateInUse(present.passTypeIdentifier, devices);
      await this.repository.delete(tx, accountId);
      await this.changes.removed(tx, present);
    });
    this.certificates.expire(accountId);
  }

  /** Phones refuse what a development chain signs, so nothing that it signed can be cut off. */
  private async requireNoOtherPasses(
    tx: EntityManager,
    accountId: string,
    certificate: ReadCertificate,
    operator: ShownCertificate | null,
  ): Promise<void> {
    if (operator?.development) return;
    const present = await this.repository.findOtherPassType(tx, accountId, certificate.passTypeIdentifier);
    if (present === null) return;
    throw new PassTypeDiffers(
      present,
      certificate.passTypeIdentifier,
      'for a pass type of your own, issue the passes in a new account that has its certificate from the start.',
    );
  }

  private toRow(accountId: string, certificate: ReadCertificate): AppleCertificate {
    const { certificatePem, intermediatePem, privateKeyPem, development } = certificate;
    const { passTypeIdentifier, teamIdentifier, organizationName, fingerprint, expiresAt } = certificate;
    return {
      accountId,
      certificatePem,
      intermediatePem,
      privateKey: this.keys.seal(accountId, 'apple-certificate', privateKeyPem),
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
