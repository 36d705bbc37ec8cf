import { Job } from '@passwright/jobs';

/**
 * Messages of the accounts of one founder may be due; the named message was the first of them. The job processes their
 * pages in turn. Founders take turns in the lane, so a founder with many accounts and messages delays no other founder
 * for more than a time slice.
 */
export class MessageDue extends Job<{
  readonly accountId: string;
  readonly messageId: string;
  /** The share of the account, see `AccountsService.shareOf`. Jobs of older versions have none. */
  readonly share?: string;
}> {
  static readonly task = 'messages.due';
  static readonly lane = 'messages';
  override readonly key = this.payload.share ?? this.payload.accountId;
}
