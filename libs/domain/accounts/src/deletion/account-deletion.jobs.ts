import { Job } from '@passwright/jobs';

/** Begins or continues the deletion of an account. */
export class AccountDeletionDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'accounts.delete';
  override readonly key = this.payload.accountId;
}

/** Notifies one admin of a requested deletion. */
export class AccountDeletionRequested extends Job<{
  readonly accountId: string;
  /** The admin to notify. */
  readonly uid: string;
  /** The planned time of the deletion in ISO 8601 format. */
  readonly deletesAt: string;
}> {
  static readonly task = 'accounts.deletion-requested';
}
