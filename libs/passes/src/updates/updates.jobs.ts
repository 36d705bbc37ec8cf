import { Job } from '@passwright/database';

/** What the holder of a pass sees has changed; it was deleted, or it expired. */
export class PassChanged extends Job<{ readonly accountId: string; readonly serialNumber: string }> {
  static readonly task = 'passes.changed';
}

/** Devices of an account may need a push now. */
export class ApplePushDue extends Job<{ readonly accountId: string }> {
  static readonly task = 'apple-push.due';
}
