import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import {
  CertificateReader,
  CertificateRejected,
  Clock,
  ConcurrencyLimiter,
  costlyWork,
  requestOrigin,
  withoutSlot,
  ValidationFailed,
  type CertificateUpload,
  type ReadCertificate,
  EncryptedSecrets,
} from '@passwright/core';
import type { AppleCertificateRequest } from './apple-certificate-request.entity.js';
import type { AppleCertificateUpload } from './apple-certificate.dto.js';
import { AppleCertificatesRepository } from './apple-certificates.repository.js';
import { bringsKey, certificateUpload } from './certificate-upload.js';

/** A usable certificate, and the certificate signing request that it answers, if there was one. */
export interface TakenIn {
  readonly certificate: ReadCertificate;
  readonly request: AppleCertificateRequest | null;
}

/** A private key that a certificate may belong to. */
interface KnownKey {
  readonly privateKey: string;
  /** The description of the key in error messages. */
  readonly of: string;
  readonly request: AppleCertificateRequest | null;
}

/** Reads uploaded certificates, with the stored keys if an upload has no key. */
@Injectable()
export class CertificateUploadService {
  /**
   * Limits a node to two uploads at a time, and to one for all accounts of one founder. The decryption of a file may
   * occupy a thread for 15 seconds.
   */
  private readonly limiter = new ConcurrencyLimiter({
    width: 2,
    maxWaitingPerKey: 8,
    maxWaiting: 64,
    rejection: 'Many certificates of this account are being read at the moment; try again shortly.',
  });

  constructor(
    private readonly reader: CertificateReader,
    private readonly repository: AppleCertificatesRepository,
    private readonly keys: EncryptedSecrets,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed with all problems of the upload, each naming its field. @throws RateLimited, NotReady */
  async read(accountId: string, sent: AppleCertificateUpload): Promise<TakenIn> {
    const share = await this.accounts.shareOf(accountId);
    return withoutSlot(() => this.limiter.run(share, () => this.takeIn(accountId, sent), requestOrigin()?.gone));
  }

  private async takeIn(accountId: string, sent: AppleCertificateUpload): Promise<TakenIn> {
    const upload = certificateUpload(sent);
    if (bringsKey(upload)) {
      const certificate = await this.reading(upload);
      if (certificate instanceof CertificateRejected) throw rejection(upload, certificate.problems);
      return { certificate, request: null };
    }
    return this.readWithKnownKey(accountId, upload);
  }

  /** @returns a new private key and its certificate signing request, both as PEM text. @throws RateLimited, NotReady */
  async createRequest(accountId: string): Promise<{ privateKeyPem: string; requestPem: string }> {
    const name = await this.accounts.nameOf(accountId);
    const share = await this.accounts.shareOf(accountId);
    return withoutSlot(() => costlyWork.run(share, () => this.reader.createRequest(name), requestOrigin()?.gone));
  }

  /**
   * Reads a certificate that was uploaded without a key. Tries the key of the pending request, and then the key of the
   * current certificate.
   */
  private async readWithKnownKey(accountId: string, upload: CertificateUpload): Promise<TakenIn> {
    const { known, problems } = await this.knownKeys(accountId);
    const rejected: string[][] = [];
    // If no key is known, read the certificate without a key, so that all other problems are reported.
    for (const { privateKey, request } of known.length > 0 ? known : [{ privateKey: undefined, request: null }]) {
      const certificate = await this.reading({ ...upload, privateKey, passphrase: undefined });
      if (!(certificate instanceof CertificateRejected)) return { certificate, request };
      rejected.push([...certificate.problems]);
    }
    // Report the problems for the key with the fewest problems, which fits best.
    const [fewest = []] = rejected.sort((one, other) => one.length - other.length);
    const tried = known.map(({ of }) => of).join(' and ');
    const hint = `it came alone, so it was checked with ${tried}: send its privateKey along when it has another`;
    throw rejection(upload, [...fewest, ...(tried ? [hint] : []), ...problems]);
  }

  private async knownKeys(accountId: string): Promise<{ known: KnownKey[]; problems: string[] }> {
    const [request, present] = await Promise.all([
      this.repository.findRequest(accountId),
      this.repository.find(accountId),
    ]);
    const stored = [
      request && {
        of: `the key of the request of ${request.createdAt.toISOString()}`,
        key: this.keys.open(accountId, 'apple-certificate-request', request.privateKey),
        request,
      },
      present && {
        of: 'the key of the present certificate',
        key: this.keys.open(accountId, 'apple-certificate', present.privateKey),
        request: null,
      },
    ].filter((each) => each !== null);
    const known = stored.flatMap(({ of, key, request }) =>
      'problem' in key ? [] : [{ of, privateKey: key.privateKeyPem, request }],
    );
    const lost = stored.flatMap(({ of, key }) => ('problem' in key ? [`${of} ${key.problem}`] : []));
    return { known, problems: known.length > 0 ? lost : [noKnownKey, ...lost] };
  }

  private async reading(upload: CertificateUpload): Promise<ReadCertificate | CertificateRejected> {
    try {
      return await this.reader.read(upload, this.clock.now());
    } catch (error) {
      if (error instanceof CertificateRejected) return error;
      throw error;
    }
  }
}

const noKnownKey =
  'privateKey must come with the certificate: no key is kept here that it could belong to ' +
  '(POST /v1/account/walletA/request makes one, and the request for its certificate)';

/** Returns the error for the problems that the reader has found, with the field names of the request. */
function rejection(upload: CertificateUpload, problems: readonly string[]): ValidationFailed {
  const sentences = problems.map((problem) => {
    const sentence = problem.replace(/\.$/, '');
    return namesField.test(problem) ? sentence : `${fieldOf(upload, problem)}: ${sentence}`;
  });
  return new ValidationFailed(sentences);
}

const namesField = /^(?:pkcs12|certificate|privateKey|passphrase|intermediate)\b/;

function fieldOf({ pkcs12, privateKey }: CertificateUpload, problem: string): string {
  if (problem.includes('passphrase')) return 'passphrase';
  if (/^The intermediate/.test(problem)) return 'intermediate';
  if (pkcs12) return 'pkcs12';
  return privateKey && /^The private key/.test(problem) ? 'privateKey' : 'certificate';
}
