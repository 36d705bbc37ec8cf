import { Job } from '@passwright/jobs';

/** A pass is to be sent to somebody. */
export class PassMailQueued extends Job<{
  readonly accountId: string;
  readonly mailId: string;
}> {
  static readonly task = 'passes.mail';
  static readonly lane = 'mails';
}
