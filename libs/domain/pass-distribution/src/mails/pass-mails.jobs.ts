import { Job } from '@passwright/jobs';

/** A job that sends a pass to its holder by e-mail. */
export class PassMailQueued extends Job<{
  readonly accountId: string;
  readonly mailId: string;
}> {
  static readonly task = 'passes.mail';
  static readonly lane = 'mails';
}
