import { Job } from '@passwright/jobs';

/** Updates members after a change of reminders, time zone or label. */
export class MembershipSettingsChanged extends Job<{
  readonly accountId: string;
  /** True if the notice on passes changes; otherwise only the members' due times change. */
  readonly passes: boolean;
}> {
  static readonly task = 'membership-settings.changed';
  override readonly key = `${this.payload.accountId}/${this.payload.passes ? 'passes' : 'times'}`;
}
