import { createHmac } from 'node:crypto';

/** The header of `/health/ready` by which an installation is known again. */
export const INSTALLATION_HEADER = 'Passwright-Installation';

/** Which installation a node belongs to: the same on all its nodes, and telling nothing of the secret. */
export function installationId(passTokenSecret: string): string {
  return createHmac('sha256', passTokenSecret).update('installation').digest('base64url').slice(0, 16);
}
