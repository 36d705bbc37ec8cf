import { Job } from '@passwright/jobs';

/** Reminders, time zone or the label of the notice have changed: members follow. */
export class MembershipSettingsChanged extends Job<{
  readonly accountId: string;
  /** Whether passes say another thing of the end now; else only the times at which members are due are others. */
  readonly passes: boolean;
}> {
  static readonly task = 'membership-settings.changed';
  override readonly key = `${this.payload.accountId}/${this.payload.passes ? 'passes' : 'times'}`;
}
