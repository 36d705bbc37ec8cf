import { Job, SuspectWork } from '@passwright/jobs';

/** What the holder of a pass sees has changed; it was deleted, or it expired. */
export class PassChanged extends Job<{ readonly accountId: string; readonly serialNumber: string }> {
  static readonly task = 'passes.changed';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.serialNumber}`;
}

/** The rest of the devices that a change concerns: those whose id comes after `afterDeviceId`. */
export class DevicesLeftToMark extends Job<{
  readonly accountId: string;
  readonly changed: ChangedScope;
  readonly afterDeviceId: string;
}> {
  static readonly task = 'apple-push.mark';
  static readonly lane = 'changes';
}

/** What has changed: one pass, or all passes of a template. */
export type ChangedScope = { readonly serialNumber: string } | { readonly templateId: string };

/** Devices of an account may need a push now, or at `runAt`. */
export class ApplePushDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'apple-push.due';
  static readonly lane = 'pushes';
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor(payload: { readonly accountId: string }, runAt?: Date) {
    super(payload);
    // Jobs for later have a key of their own: they would put off one that is due.
    this.key = runAt ? `later:${payload.accountId}` : payload.accountId;
    this.runAt = runAt;
  }
}

/** Pushes these pages of devices, as their process has probably died of one of them twice. */
export class SuspectPushPages extends SuspectWork<{ readonly accountId: string }> {
  static readonly task = 'apple-push.alone';
}
