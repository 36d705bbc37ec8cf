import { MalformedJson, ValidationFailed } from '@passwright/core';

/** The most that a registration and a log may hold. */
export const maxBytes = { registration: 4 * 1024, log: 64 * 1024 } as const;
const maxIdentifierLength = 255;
const pushTokenForm = /^[0-9A-Za-z]{1,200}$/;

/** A device as it names itself to a web service and for a pass type. */
export interface DeviceName {
  readonly passTypeIdentifier: string;
  /** A secret that the device shares with us. */
  readonly deviceLibraryIdentifier: string;
}

/** @throws ValidationFailed when it is longer than any device's name for itself */
export function requireDeviceName({ deviceLibraryIdentifier }: DeviceName): void {
  if (deviceLibraryIdentifier.length > maxIdentifierLength) {
    throw new ValidationFailed(
      `the deviceLibraryIdentifier in the path must have at most ${maxIdentifierLength} characters`,
    );
  }
}

/** The push token of a registration. Properties that are not known here are of no concern. @throws MalformedJson, ValidationFailed */
export function readPushToken(body: Buffer): string {
  const { pushToken } = readObject(body);
  if (typeof pushToken === 'string' && pushTokenForm.test(pushToken)) return pushToken;
  throw new ValidationFailed('pushToken must be a text of 1 to 200 letters and digits');
}

/** The lines of a log; what is no text among them is left out. @throws MalformedJson, ValidationFailed */
export function readLogs(body: Buffer): string[] {
  const { logs } = readObject(body);
  if (!Array.isArray(logs)) throw new ValidationFailed('logs must be a list of texts');
  return logs.filter((line) => typeof line === 'string');
}

/** As JSON whatever its media type says, since devices and other wallets do not all say it. */
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
