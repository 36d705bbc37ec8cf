import { Job } from '@passwright/jobs';

/** The deletion of an account should begin or continue. */
export class AccountDeletionDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'accounts.delete';
  override readonly key = this.payload.accountId;
}

/** A deletion was requested: the handler notifies one admin. */
export class AccountDeletionRequested extends Job<{
  readonly accountId: string;
  /** The admin to notify. */
  readonly uid: string;
  /** The planned time of the deletion in ISO 8601 format. */
  readonly deletesAt: string;
}> {
  static readonly task = 'accounts.deletion-requested';
}
