import { Job } from '@passwright/jobs';

/**
 * Updates passes after their account's certificate has changed its pass type, team or organisation, which passes show.
 * A renewal changes none of these and adds no such job.
 */
export class AppleCertificateChanged extends Job<{ readonly accountId: string }> {
  static readonly task = 'apple-certificate.changed';
  override readonly key = `apple-certificate:${this.payload.accountId}`;
}

/** Notifies one person that a certificate expires soon or has expired. */
export class AppleCertificateExpiring extends Job<{
  /** Empty for the operator's certificate. */
  readonly accountId: string;
  /** The admin to notify; null for the operator. */
  readonly uid: string | null;
  readonly fingerprint: string;
  /** The key of the notice. A repeated job sends the same mail. */
  readonly notice: string;
}> {
  static readonly task = 'apple-certificate.expiring';
  static readonly lane = 'mails';
}

/** A check for expiring certificates, queued by a node of an earlier version under the former name of the schedule. */
export class ExpiryCheckDue extends Job<Record<string, never>> {
  static readonly task = 'apple-certificates.tell-of-expiry';
  static readonly lane = 'timed';
}
