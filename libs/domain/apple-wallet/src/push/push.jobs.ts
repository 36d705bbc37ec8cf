import { Job, SuspectWork } from '@passwright/jobs';

/** A pass was changed in a way that its holder can see, was deleted, or has expired. */
export class PassChanged extends Job<{ readonly accountId: string; readonly serialNumber: string }> {
  static readonly task = 'passes.changed';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.serialNumber}`;
}

/** Marks the remaining devices of a change as due for a push: those whose id comes after `afterDeviceId`. */
export class DevicesLeftToMark extends Job<{
  readonly accountId: string;
  readonly changed: ChangedScope;
  readonly afterDeviceId: string;
  /** The due time of the pages before; without it, the pages are due immediately. */
  readonly dueAt?: string;
}> {
  static readonly task = 'apple-push.mark';
  static readonly lane = 'changes';
}

/** The scope of a change: one pass, or all passes of a template. */
export type ChangedScope = { readonly serialNumber: string } | { readonly templateId: string };

/** Devices of an account may need a push now or at `runAt`. */
export class ApplePushDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'apple-push.due';
  static readonly lane = 'pushes';
  static readonly runsAtEarliest = true;
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor(payload: { readonly accountId: string }, runAt?: Date) {
    super(payload);
    // Planned jobs have their own key, because a job that is due now does not replace them.
    this.key = runAt ? `later:${payload.accountId}` : payload.accountId;
    this.runAt = runAt;
  }
}

/** Pushes these pages separately, because one of them has probably crashed two processes. */
export class SuspectPushPages extends SuspectWork<{ readonly accountId: string }> {
  static readonly task = 'apple-push.alone';
}
