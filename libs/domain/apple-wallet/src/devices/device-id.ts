import { createHmac } from 'node:crypto';
import type { DeviceName } from './device-request.js';

/**
 * Returns the service's id for a device of an account: 22 characters of `[A-Za-z0-9_-]`. It stays the same if the
 * device registers again, and differs between accounts. Without the secret, it does not reveal the device's identifier.
 */
export function deviceId(secret: string, accountId: string, device: DeviceName): string {
  const { passTypeIdentifier, deviceLibraryIdentifier } = device;
  // No id can equal the token of a pass, which uses the same secret: serial numbers contain no spaces, but this text
  // does.
  const text = JSON.stringify(['apple device', accountId, passTypeIdentifier, deviceLibraryIdentifier]);
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22);
}
