import { Job } from '@passwright/database';
import type { MarkPosition } from './google-resources.repository.js';

/** Something at Google Wallet is to be compared with what it should be, now or at `runAt`; whose it is, the work finds out. */
export class GoogleResourcesDue extends Job {
  static readonly task = 'google-wallet.due';
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor(runAt?: Date) {
    super({});
    // Jobs for later have a key of their own: they would put off one that is due.
    this.key = runAt ? 'later' : 'now';
    this.runAt = runAt;
  }
}

/** A template has changed: of its class and its objects at Google those that come after `after` are still to be marked. */
export class GoogleObjectsToMark extends Job<{
  readonly accountId: string;
  readonly templateId: string;
  readonly after: MarkPosition;
}> {
  static readonly task = 'google-wallet.mark';
  override readonly key = `${this.payload.accountId}/${this.payload.templateId}/${this.payload.after.id}`;
}
