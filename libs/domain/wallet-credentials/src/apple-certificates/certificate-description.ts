import { type IfMatch, requireSettingsMatch, settingsTag, Tagged } from '@passwright/core';
import type { Circuit } from '@passwright/jobs';
import type { AppleCertificateRequest } from './apple-certificate-request.entity.js';
import type {
  AppleCertificateRequestResponse,
  AppleCertificateResponse,
  ApplePushState,
} from './apple-certificate.dto.js';
import type { AppleCertificate } from './apple-certificate.entity.js';
import { certificateStatus, daysLeft, type CertificateStatus } from './expiry-stage.js';

/** The public properties of an account's or the operator's certificate. */
export type ShownCertificate = Pick<
  AppleCertificate,
  'passTypeIdentifier' | 'teamIdentifier' | 'organizationName' | 'fingerprint' | 'expiresAt' | 'development'
>;

/** The certificate that signs an account's passes, and its state. */
export interface CertificateSituation {
  readonly source: AppleCertificateResponse['source'];
  /** Null if the certificate is unusable and its properties are unknown. */
  readonly certificate: ShownCertificate | null;
  readonly problem: string | null;
  readonly request: AppleCertificateRequest | null;
  /** The open circuit of pushes with this certificate; null if the circuit is closed. */
  readonly circuit: Circuit | null;
  /** True if pushes are sent with development certificates too. */
  readonly pushesDevelopment: boolean;
}

/** Builds the response for callers, without the key and other secrets. */
export function toAppleCertificateResponse(situation: CertificateSituation, now: Date): AppleCertificateResponse {
  const { source, certificate, request } = situation;
  const status = certificate ? certificateStatus(certificate.expiresAt, now) : 'expired';
  return {
    source,
    passTypeIdentifier: certificate?.passTypeIdentifier ?? null,
    teamIdentifier: certificate?.teamIdentifier ?? null,
    organizationName: certificate?.organizationName ?? null,
    fingerprint: certificate?.fingerprint ?? null,
    expiresAt: certificate?.expiresAt.toISOString() ?? null,
    daysLeft: certificate && daysLeft(certificate.expiresAt, now),
    status,
    development: certificate?.development ?? false,
    problem: situation.problem ?? expiryProblem(certificate, status),
    request: request && toRequestResponse(request),
    push: pushState(situation, status),
  };
}

/**
 * Adds an entity tag: the account's own certificate and a hash of the whole response. A conditional change compares only
 * the first, because the response changes every day with the number of days left.
 */
export function taggedCertificate(response: AppleCertificateResponse): Tagged<AppleCertificateResponse> {
  const own = response.source === 'account' ? response.fingerprint : null;
  return new Tagged(response, settingsTag(own, response));
}

/**
 * Requires that the account's own certificate has not changed since the caller read it. @param current null without an
 * own certificate. @throws PreconditionFailed
 */
export function requireCertificate(ifMatch: IfMatch, current: Pick<AppleCertificate, 'fingerprint'> | null): void {
  requireSettingsMatch(ifMatch, 'certificate', current?.fingerprint ?? null);
}

export function toRequestResponse({ requestPem, createdAt }: AppleCertificateRequest): AppleCertificateRequestResponse {
  return { request: requestPem, createdAt: createdAt.toISOString() };
}

function expiryProblem(certificate: ShownCertificate | null, status: CertificateStatus): string | null {
  if (!certificate || status !== 'expired') return null;
  return `It expired on ${certificate.expiresAt.toISOString()}; renew it under the same pass type.`;
}

function pushState(situation: CertificateSituation, status: CertificateStatus): ApplePushState {
  const { certificate, problem, circuit, pushesDevelopment } = situation;
  const off = (reason: string): ApplePushState => ({ state: 'off', reason, since: null, retryAt: null });
  if (problem !== null || !certificate) return off(problem ?? 'There is no certificate that could be used.');
  if (status === 'expired') return off('The certificate has expired.');
  if (circuit) return halted(circuit);
  if (certificate.development && !pushesDevelopment)
    return off('The push service does not know development certificates.');
  return { state: 'on', reason: null, since: null, retryAt: null };
}

function halted({ reason, since, retryAt }: Circuit): ApplePushState {
  return { state: 'halted', reason, since: since.toISOString(), retryAt: retryAt.toISOString() };
}
