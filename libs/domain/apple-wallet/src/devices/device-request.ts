import { ValidationFailed } from '@passwright/core';
import { readObject } from '../json-object.js';
import { noPushToken } from '../push/no-push-token.js';

/** Maximum size in bytes of the body of a registration. */
export const maxRegistrationBytes = 4 * 1024;
/** Maximum length of a device's identifier. */
export const maxIdentifierLength = 255;
const pushTokenForm = /^[0-9A-Za-z]{1,200}$/;

/** The pass type and the identifier that a device sends in its requests. */
export interface DeviceName {
  readonly passTypeIdentifier: string;
  /** The identifier that the device has chosen. It is a secret. */
  readonly deviceLibraryIdentifier: string;
}

/** @throws ValidationFailed if the device's identifier is too long */
export function requireDeviceName({ deviceLibraryIdentifier }: DeviceName): void {
  if (deviceLibraryIdentifier.length > maxIdentifierLength) {
    throw new ValidationFailed(
      `the deviceLibraryIdentifier in the path must have at most ${maxIdentifierLength} characters`,
    );
  }
}

/**
 * Returns the push token of a registration body, or `noPushToken` for another wallet. Ignores unknown properties.
 * @throws MalformedJson, ValidationFailed
 */
export function readPushToken(body: Buffer, wallet: 'apple' | 'other'): string {
  const { pushToken } = readObject(body);
  if (wallet === 'other') return noPushToken;
  if (typeof pushToken === 'string' && pushTokenForm.test(pushToken)) return pushToken;
  throw new ValidationFailed('pushToken must be a text of 1 to 200 letters and digits');
}
