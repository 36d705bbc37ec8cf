import { Job } from '@passwright/jobs';

/** Sends a member the e-mail for a reminder in this term. */
export class MemberReminded extends Job<{
  readonly accountId: string;
  readonly memberId: number;
  /** The key of the reminder. */
  readonly key: string;
  /** The member's expiry as an ISO date; a different one means another term. */
  readonly expiresAt: string;
}> {
  static readonly task = 'members.remind';
  static readonly lane = 'mails';
  /**
   * Retries go on for about 16 hours. A later mail would coincide with the next reminder or come after the expiry.
   */
  static readonly maxAttempts = 12;
}

/** Updates the rest of the members after a change of settings: those with ids greater than `afterId`. */
export class MembersLeftToFollow extends Job<{
  readonly accountId: string;
  readonly afterId: number;
  /** The same flag as in `MembershipSettingsChanged`. */
  readonly passes: boolean;
}> {
  static readonly task = 'members.follow-settings';
}
