import { MalformedJson, ValidationFailed } from '@passwright/core';
import { noPushToken } from '../push/no-push-token.js';

/** Maximum size in bytes of the body of a registration and of a log. */
export const maxBytes = { registration: 4 * 1024, log: 64 * 1024 } as const;
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

/** Returns the lines of a log body. Ignores entries that are not text. @throws MalformedJson, ValidationFailed */
export function readLogs(body: Buffer): string[] {
  const { logs } = readObject(body);
  if (!Array.isArray(logs)) throw new ValidationFailed('logs must be a list of texts');
  return logs.filter((line) => typeof line === 'string');
}

/** Parses a JSON object. Ignores the media type, because devices and other wallets do not always send the right one. */
function readObject(body: Buffer): Record<string, unknown> {
  const value = parse(body.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ValidationFailed('the body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedJson('The body is not JSON.');
  }
}
