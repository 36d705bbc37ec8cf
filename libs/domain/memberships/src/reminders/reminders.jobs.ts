import { Job } from '@passwright/jobs';

/** A member is to be reminded by e-mail of the end of this term. */
export class MemberReminded extends Job<{
  readonly accountId: string;
  readonly memberId: number;
  /** Of the reminder. */
  readonly key: string;
  /** ISO date: another one since means another term. */
  readonly expiresAt: string;
}> {
  static readonly task = 'members.remind';
  static readonly lane = 'mails';
  /** With the pauses of the queue about 16 hours: later it would come with the next one, or after the end. */
  static readonly maxAttempts = 12;
}

/** The rest of the members that are to follow their account's settings: those whose id comes after `afterId`. */
export class MembersLeftToFollow extends Job<{
  readonly accountId: string;
  readonly afterId: number;
  /** As in `MembershipSettingsChanged`. */
  readonly passes: boolean;
}> {
  static readonly task = 'members.follow-settings';
}
