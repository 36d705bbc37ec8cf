import { Job, SuspectWork } from '@passwright/jobs';
import type { GoogleResourceRow } from './google-resource.entity.js';

/** The last marked resource of a template, in the order of ids. */
export type MarkPosition = Pick<GoogleResourceRow, 'id' | 'issuerId'>;

/**
 * A job that sends the due resources of all accounts, now or at `runAt`. Its key contains an account, so that
 * transactions of different accounts do not wait for each other.
 */
export class GoogleResourcesDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'google-wallet.due';
  static readonly lane = 'google';
  static readonly runsAtEarliest = true;
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor({ accountId }: { readonly accountId: string }, runAt?: Date) {
    super({ accountId });
    // Jobs for a later time have another key, so that a job for now does not replace them.
    this.key = runAt ? `later:${accountId}` : accountId;
    this.runAt = runAt;
  }
}

/**
 * A job that marks the remaining resources of a changed template, or of all templates of an account, as changed. They
 * follow `after`.
 */
export class GoogleObjectsToMark extends Job<{
  readonly accountId: string;
  /** The changed template; null marks the resources of all templates. */
  readonly templateId: string | null;
  readonly after: MarkPosition;
}> {
  static readonly task = 'google-wallet.mark';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.templateId ?? ''}/${this.payload.after.id}`;
}

/**
 * A job that marks the objects that link to a pass as changed, in batches, after Google has stored the pass for the
 * first time.
 */
export class LinkingObjectsToMark extends Job<{
  readonly accountId: string;
  readonly serialNumber: string;
  /** The last serial number that the previous job marked. */
  readonly after: string;
}> {
  static readonly task = 'google-wallet.mark-linking';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.serialNumber}/${this.payload.after}`;
}

/** A job that writes these resources separately, because one of them has probably crashed two processes. */
export class SuspectGoogleResources extends SuspectWork<{ readonly accountId: string; readonly issuerId: string }> {
  static readonly task = 'google-wallet.alone';
}
