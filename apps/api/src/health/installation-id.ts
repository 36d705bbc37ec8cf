import { createHmac } from 'node:crypto';

/** The header of `/health/ready` that identifies an installation. */
export const INSTALLATION_HEADER = 'Passwright-Installation';

/** Returns an id of the installation. It is the same on all nodes and reveals nothing about the secret. */
export function installationId(passTokenSecret: string): string {
  return createHmac('sha256', passTokenSecret).update('installation').digest('base64url').slice(0, 16);
}
