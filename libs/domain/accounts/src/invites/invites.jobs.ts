import { Job } from '@passwright/jobs';

/** Somebody was invited: the e-mail with the code is to go out. */
export class InviteSent extends Job<{ readonly accountId: string; readonly inviteId: string }> {
  static readonly task = 'invite.sent';
  static readonly lane = 'mails';
}
