import { Job } from '@passwright/jobs';

/**
 * Messages of one founder's accounts may be due, first the named message. The job sends a page of each due message in
 * turn. Founders take turns too, so a founder with many accounts and messages delays another founder by at most a time
 * slice.
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
