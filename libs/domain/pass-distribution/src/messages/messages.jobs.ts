import { Job } from '@passwright/jobs';

/**
 * Messages of an account may be due; this one was the first. The job processes their pages in turn. Accounts take turns
 * in the lane, so an account with many messages delays no other one for more than a time slice.
 */
export class MessageDue extends Job<{ readonly accountId: string; readonly messageId: string }> {
  static readonly task = 'messages.due';
  static readonly lane = 'messages';
  override readonly key = this.payload.accountId;
}
