import { Job } from '@passwright/database';

/** Reminders, time zone or the label of the notice have changed: members' due times and passes follow. */
export class MembershipSettingsChanged extends Job<{ readonly accountId: string }> {
  static readonly task = 'membership-settings.changed';
  override readonly key = this.payload.accountId;
}
