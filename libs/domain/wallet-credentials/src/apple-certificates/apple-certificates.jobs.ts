import { Job } from '@passwright/jobs';

/**
 * An account's passes are signed with another pass type, team or organisation than before, which they show. A renewal,
 * which changes none of them, adds no such job.
 */
export class AppleCertificateChanged extends Job<{ readonly accountId: string }> {
  static readonly task = 'apple-certificate.changed';
  override readonly key = `apple-certificate:${this.payload.accountId}`;
}

/** A certificate nears its end, or has reached it: one person is to be told. */
export class AppleCertificateExpiring extends Job<{
  /** Empty: the operator's certificate. */
  readonly accountId: string;
  /** The admin who is to be told; null: the operator. */
  readonly uid: string | null;
  readonly fingerprint: string;
  /** The notice's key: repeated, the mail is the same one. */
  readonly notice: string;
}> {
  static readonly task = 'apple-certificate.expiring';
  static readonly lane = 'mails';
}
