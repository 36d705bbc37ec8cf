import { Job, SuspectWork } from '@passwright/jobs';
import type { MarkPosition } from './google-resources.repository.js';

/**
 * Something of an account is to be compared with what Google holds, now or at `runAt`; the work looks for all there is. The
 * account keeps changes of different accounts from waiting for each other's transactions.
 */
export class GoogleResourcesDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'google-wallet.due';
  static readonly lane = 'google';
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor({ accountId }: { readonly accountId: string }, runAt?: Date) {
    super({ accountId });
    // Jobs for later have a key of their own: they would put off one that is due.
    this.key = runAt ? `later:${accountId}` : accountId;
    this.runAt = runAt;
  }
}

/** A template has changed, or all of an account's have: what Google holds of it and comes after `after` is to be marked. */
export class GoogleObjectsToMark extends Job<{
  readonly accountId: string;
  /** Null: all. */
  readonly templateId: string | null;
  readonly after: MarkPosition;
}> {
  static readonly task = 'google-wallet.mark';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.templateId ?? ''}/${this.payload.after.id}`;
}

/** Writes these resources, as their process has probably died of one of them twice. */
export class SuspectGoogleResources extends SuspectWork<{ readonly accountId: string; readonly issuerId: string }> {
  static readonly task = 'google-wallet.alone';
}
