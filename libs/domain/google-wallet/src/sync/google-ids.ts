import { createHash } from 'node:crypto';
import type { RenderType } from '@passwright/wallet-renderers';

/**
 * What names a template's class at Google, after the issuer: of the form Google takes whatever a caller chose as id, and
 * another one for another type, since a class never changes its kind.
 */
export function classIdOf(accountId: string, templateId: string, type: RenderType): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([accountId, templateId, type]))
    .digest('hex');
  return `${type}_${hash.slice(0, 32)}`;
}

/** A pass is named by its serial number: opaque, never used again, and nothing that anybody chose. */
export function objectIdOf({ serialNumber }: { readonly serialNumber: string }): string {
  return serialNumber;
}

/** The whole name at Google. */
export function googleId(issuerId: string, id: string): string {
  return `${issuerId}.${id}`;
}

/** The two halves of a name at Google. */
export function parseGoogleId(name: string): { issuerId: string; id: string } {
  const [issuerId = '', ...rest] = name.split('.');
  return { issuerId, id: rest.join('.') };
}
