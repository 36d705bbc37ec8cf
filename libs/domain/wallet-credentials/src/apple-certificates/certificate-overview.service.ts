import { Injectable } from '@nestjs/common';
import { Clock, EncryptedSecrets } from '@passwright/core';
import type { AppleCertificateResponse } from './apple-certificate.dto.js';
import type { AppleCertificate } from './apple-certificate.entity.js';
import { AppleCertificatesOptions } from '../apple-certificates.options.js';
import { AppleCertificatesRepository } from './apple-certificates.repository.js';
import { toAppleCertificateResponse } from './certificate-description.js';
import { CertificateUseService } from './certificate-use.service.js';
import { OperatorIdentityService } from './operator-identity.service.js';

/** Describes the certificate that signs an account's passes. */
@Injectable()
export class CertificateOverviewService {
  constructor(
    private readonly repository: AppleCertificatesRepository,
    private readonly operator: OperatorIdentityService,
    private readonly use: CertificateUseService,
    private readonly keys: EncryptedSecrets,
    private readonly clock: Clock,
    private readonly options: AppleCertificatesOptions,
  ) {}

  /**
   * Describes the account's own certificate, or else the operator's. If the certificate is unusable, includes the
   * reason.
   */
  async describe(accountId: string): Promise<AppleCertificateResponse> {
    const [own, request] = await Promise.all([this.repository.find(accountId), this.repository.findRequest(accountId)]);
    const { source, certificate, problem } = own ? this.accounts(own) : await this.shared(accountId);
    const circuit = certificate && (await this.use.findCircuit(accountId, certificate.fingerprint));
    const pushesDevelopment = this.options.pushesDevelopmentPasses ?? false;
    const situation = { source, certificate, problem, request, circuit, pushesDevelopment };
    return toAppleCertificateResponse(situation, this.clock.now());
  }

  private accounts(certificate: AppleCertificate) {
    const key = this.keys.open(certificate.accountId, 'apple-certificate', certificate.privateKey);
    const problem = 'problem' in key ? `Its private key ${key.problem}.` : null;
    return { source: 'account', certificate, problem } as const;
  }

  private async shared(accountId: string) {
    const { identity, problem } = await this.operator.of(accountId);
    return { source: identity?.development ? 'development' : 'operator', certificate: identity, problem } as const;
  }
}
