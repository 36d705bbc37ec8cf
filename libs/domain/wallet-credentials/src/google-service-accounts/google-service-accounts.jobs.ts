import { Job } from '@passwright/jobs';

/**
 * A job that resumes rejected writes after an account has got another Google credential: a service account of its own,
 * a new key, or the operator's service account.
 */
export class GoogleServiceAccountChanged extends Job<{ readonly accountId: string }> {
  static readonly task = 'google-service-account.changed';
  override readonly key = `google-service-account:${this.payload.accountId}`;

  /** @param runAt the time by which every node uses the new credential */
  constructor(
    payload: { readonly accountId: string },
    override readonly runAt: Date,
  ) {
    super(payload);
  }
}
