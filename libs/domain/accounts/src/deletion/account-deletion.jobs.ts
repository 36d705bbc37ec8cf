import { Job } from '@passwright/jobs';

/** The deletion of an account is to begin, or to go on. */
export class AccountDeletionDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'accounts.delete';
  override readonly key = this.payload.accountId;
}

/** An admin is to be told that the account will be deleted. */
export class AccountDeletionRequested extends Job<{
  readonly accountId: string;
  /** The admin who is to be told. */
  readonly uid: string;
  /** ISO 8601. */
  readonly deletesAt: string;
}> {
  static readonly task = 'accounts.deletion-requested';
}
