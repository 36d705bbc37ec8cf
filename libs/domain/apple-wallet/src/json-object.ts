import { MalformedJson, ValidationFailed } from '@passwright/core';

/**
 * Parses a JSON object. Ignores the media type, because some devices and wallets send a wrong one.
 * @throws MalformedJson, ValidationFailed
 */
export function readObject(body: Buffer): Record<string, unknown> {
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
