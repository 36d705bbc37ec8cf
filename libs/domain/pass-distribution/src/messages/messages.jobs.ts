import { Job } from '@passwright/jobs';

/** Pages of a message may be due. The job processes them as long as they are. */
export class MessageDue extends Job<{ readonly accountId: string; readonly messageId: string }> {
  static readonly task = 'messages.due';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.messageId}`;
}
