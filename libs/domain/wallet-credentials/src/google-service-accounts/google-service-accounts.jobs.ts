import { Job } from '@passwright/jobs';

/**
 * An account's passes are written at Google with another credential than before: its own, a new key of it, or the
 * operator's. What was refused for the credential's sake can go on.
 */
export class GoogleServiceAccountChanged extends Job<{ readonly accountId: string }> {
  static readonly task = 'google-service-account.changed';
  override readonly key = `google-service-account:${this.payload.accountId}`;

  /** @param runAt when every node has seen the change */
  constructor(
    payload: { readonly accountId: string },
    override readonly runAt: Date,
  ) {
    super(payload);
  }
}
