import { createHmac } from 'node:crypto';
import type { DeviceName } from './device-request.js';

/**
 * Our own name for a device of an account: 22 characters of `[A-Za-z0-9_-]`. It is the same whenever the device comes
 * back, another one in each account, and tells nobody without the secret what the device calls itself.
 */
export function deviceId(secret: string, accountId: string, device: DeviceName): string {
  const { passTypeIdentifier, deviceLibraryIdentifier } = device;
  // No serial number has spaces: no name comes out as a pass's token, which is made with the same secret.
  const text = JSON.stringify(['apple device', accountId, passTypeIdentifier, deviceLibraryIdentifier]);
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22);
}
