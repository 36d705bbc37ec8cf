import { Job } from '@passwright/jobs';

/**
 * Resumes rejected writes after an account's credential at Google has changed: to the account's own, to a new key, or
 * to the operator's.
 */
export class GoogleServiceAccountChanged extends Job<{ readonly accountId: string }> {
  static readonly task = 'google-service-account.changed';
  override readonly key = `google-service-account:${this.payload.accountId}`;

  /** @param runAt the time by which every node has seen the change */
  constructor(
    payload: { readonly accountId: string },
    override readonly runAt: Date,
  ) {
    super(payload);
  }
}
