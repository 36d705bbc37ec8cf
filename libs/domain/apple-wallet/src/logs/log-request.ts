import { ValidationFailed } from '@passwright/core';
import { readObject } from '../json-object.js';

/** Maximum size in bytes of the body of a log. */
export const maxLogBytes = 64 * 1024;

/** Returns the lines of a log body. Ignores entries that are not text. @throws MalformedJson, ValidationFailed */
export function readLogs(body: Buffer): string[] {
  const { logs } = readObject(body);
  if (!Array.isArray(logs)) throw new ValidationFailed('logs must be a list of texts');
  return logs.filter((line) => typeof line === 'string');
}
