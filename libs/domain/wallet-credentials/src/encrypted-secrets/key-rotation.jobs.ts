import { Job } from '@passwright/jobs';

/** A re-encryption that a node of an earlier version queued, when the schedule had this name. */
export class ReEncryptionDue extends Job<Record<string, never>> {
  static readonly task = 'master-keys.seal-anew';
  static readonly lane = 'timed';
}
