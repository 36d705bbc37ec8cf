import { Job } from '@passwright/jobs';

/** Sends the e-mail of an invitation, with the code. */
export class InviteSent extends Job<{ readonly accountId: string; readonly inviteId: string }> {
  static readonly task = 'invite.sent';
  static readonly lane = 'mails';
}
