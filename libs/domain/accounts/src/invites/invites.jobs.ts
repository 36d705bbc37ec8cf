import { Job } from '@passwright/jobs';

/** A user was invited: the handler sends the e-mail with the code. */
export class InviteSent extends Job<{ readonly accountId: string; readonly inviteId: string }> {
  static readonly task = 'invite.sent';
  static readonly lane = 'mails';
}
