import { Job } from '@passwright/jobs';

/** Sends a member the e-mail for a reminder in this term. */
export class MemberReminded extends Job<{
  readonly accountId: string;
  readonly memberId: number;
  /** The key of the reminder. */
  readonly key: string;
  /** The member's expiry as an ISO date, which identifies the term. */
  readonly expiresAt: string;
}> {
  static readonly task = 'members.remind';
  static readonly lane = 'mails';
  /** Limits retries to about 16 hours, because the next reminder or the expiry may come a day later. */
  static readonly maxAttempts = 12;
}

/**
 * Continues the update of members after a change of settings, with the members whose ids are greater than `afterId`.
 */
export class MembersLeftToFollow extends Job<{
  readonly accountId: string;
  readonly afterId: number;
  /** The same flag as in `MembershipSettingsChanged`. */
  readonly passes: boolean;
}> {
  static readonly task = 'members.follow-settings';
}
