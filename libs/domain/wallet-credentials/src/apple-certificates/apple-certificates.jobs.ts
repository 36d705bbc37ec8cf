import { Job } from '@passwright/jobs';

/**
 * A job that updates an account's passes after its certificate has changed its pass type, team or organisation. A
 * renewal does not change these and adds no job.
 */
export class AppleCertificateChanged extends Job<{ readonly accountId: string }> {
  static readonly task = 'apple-certificate.changed';
  override readonly key = `apple-certificate:${this.payload.accountId}`;
}

/** A job that notifies one person that a certificate expires soon or has expired. */
export class AppleCertificateExpiring extends Job<{
  /** Empty for the operator's certificate. */
  readonly accountId: string;
  /** The admin to notify; null for the operator. */
  readonly uid: string | null;
  readonly fingerprint: string;
  /** The key of the notice. It becomes part of the id of the mail. */
  readonly notice: string;
}> {
  static readonly task = 'apple-certificate.expiring';
  static readonly lane = 'mails';
}

/** A job that checks for expiring certificates. Only nodes of an earlier version queue it. */
export class ExpiryCheckDue extends Job<Record<string, never>> {
  static readonly task = 'apple-certificates.tell-of-expiry';
  static readonly lane = 'timed';
}
