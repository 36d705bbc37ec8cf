import { Job } from '@passwright/jobs';

/** A job that re-encrypts secrets. Only nodes of an earlier version queue it. */
export class ReEncryptionDue extends Job<Record<string, never>> {
  static readonly task = 'master-keys.seal-anew';
  static readonly lane = 'timed';
}
