import { createHash } from 'node:crypto';
import type { RenderType } from '@passwright/wallet-renderers';

/**
 * Returns the part of a class id after the issuer id, in characters that Google accepts. It contains the type of the
 * pass, because the type of a class cannot change.
 */
export function classIdOf(accountId: string, templateId: string, type: RenderType): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([accountId, templateId, type]))
    .digest('hex');
  return `${type}_${hash.slice(0, 32)}`;
}

/** Returns the id of a pass's object: its serial number, which is opaque and never reused. */
export function objectIdOf({ serialNumber }: { readonly serialNumber: string }): string {
  return serialNumber;
}

/** Returns the full id at Google. */
export function googleId(issuerId: string, id: string): string {
  return `${issuerId}.${id}`;
}

/** Splits a full id at Google into its two parts. */
export function parseGoogleId(name: string): { issuerId: string; id: string } {
  const [issuerId = '', ...rest] = name.split('.');
  return { issuerId, id: rest.join('.') };
}
