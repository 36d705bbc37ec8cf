import { Job } from '@passwright/jobs';

/** A job that re-encrypts secrets. Nodes of an earlier version queued it under the former name of the schedule. */
export class ReEncryptionDue extends Job<Record<string, never>> {
  static readonly task = 'master-keys.seal-anew';
  static readonly lane = 'timed';
}
