import { Job } from '@passwright/jobs';

/** A re-encryption, queued by a node of an earlier version under the former name of the schedule. */
export class ReEncryptionDue extends Job<Record<string, never>> {
  static readonly task = 'master-keys.seal-anew';
  static readonly lane = 'timed';
}
