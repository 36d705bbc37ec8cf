import { Job, SuspectWork } from '@passwright/jobs';
import type { GoogleResourceRow } from './google-resource.entity.js';

/** The last marked resource of a template, in the order of ids. */
export type MarkPosition = Pick<GoogleResourceRow, 'id' | 'issuerId'>;

/**
 * Resources of an account are due now or at `runAt`. The job sends the due resources of all accounts. The account is
 * part of the key, so that changes of different accounts do not wait for each other's transactions.
 */
export class GoogleResourcesDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'google-wallet.due';
  static readonly lane = 'google';
  static readonly runsAtEarliest = true;
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor({ accountId }: { readonly accountId: string }, runAt?: Date) {
    super({ accountId });
    // Planned jobs have their own key, because a job that is due now does not replace them.
    this.key = runAt ? `later:${accountId}` : accountId;
    this.runAt = runAt;
  }
}

/** A template, or all templates of an account, changed: the job marks the resources after `after`. */
export class GoogleObjectsToMark extends Job<{
  readonly accountId: string;
  /** Null: all templates. */
  readonly templateId: string | null;
  readonly after: MarkPosition;
}> {
  static readonly task = 'google-wallet.mark';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.templateId ?? ''}/${this.payload.after.id}`;
}

/** Google has stored the object of a pass for the first time. The job marks the objects that link to it, page by page. */
export class LinkingObjectsToMark extends Job<{
  readonly accountId: string;
  readonly serialNumber: string;
  /** The last serial number that the job before this one marked. */
  readonly after: string;
}> {
  static readonly task = 'google-wallet.mark-linking';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.serialNumber}/${this.payload.after}`;
}

/** Writes these resources separately, because one of them has probably crashed two processes. */
export class SuspectGoogleResources extends SuspectWork<{ readonly accountId: string; readonly issuerId: string }> {
  static readonly task = 'google-wallet.alone';
}
