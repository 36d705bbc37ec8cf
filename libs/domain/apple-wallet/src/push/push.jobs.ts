import { Job, SuspectWork } from '@passwright/jobs';

/** A job for a pass that was deleted, has expired, or has changed in a way that its holder can see. */
export class PassChanged extends Job<{ readonly accountId: string; readonly serialNumber: string }> {
  static readonly task = 'passes.changed';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.serialNumber}`;
}

/** A job that marks the remaining devices of a change as due for a push. Their ids come after `afterDeviceId`. */
export class DevicesLeftToMark extends Job<{
  readonly accountId: string;
  readonly changed: ChangedScope;
  readonly afterDeviceId: string;
  /** The due time of the previous pages. If it is absent, the pages are due immediately. */
  readonly dueAt?: string;
}> {
  static readonly task = 'apple-push.mark';
  static readonly lane = 'changes';
}

/** The scope of a change: one pass, or all passes of a template. */
export type ChangedScope = { readonly serialNumber: string } | { readonly templateId: string };

/** A job for an account whose devices may need a push, now or at `runAt`. */
export class ApplePushDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'apple-push.due';
  static readonly lane = 'pushes';
  static readonly runsAtEarliest = true;
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor(payload: { readonly accountId: string }, runAt?: Date) {
    super(payload);
    // Jobs for a later time have another key, so that a job for now does not replace them.
    this.key = runAt ? `later:${payload.accountId}` : payload.accountId;
    this.runAt = runAt;
  }
}

/** A job that pushes these pages separately, because one of them has probably crashed two processes. */
export class SuspectPushPages extends SuspectWork<{ readonly accountId: string }> {
  static readonly task = 'apple-push.alone';
}
