import { Job } from '@passwright/jobs';

/**
 * A job that sends the due messages of one founder's accounts in batches, beginning with the named message. A founder
 * with many messages delays other founders by at most one time slice.
 */
export class MessageDue extends Job<{
  readonly accountId: string;
  readonly messageId: string;
  /** The founder's concurrency key, see `AccountsService.shareOf`. Jobs of older versions have none. */
  readonly share?: string;
}> {
  static readonly task = 'messages.due';
  static readonly lane = 'messages';
  override readonly key = this.payload.share ?? this.payload.accountId;
}
