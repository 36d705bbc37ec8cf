import type { Signer, SigningIdentity } from '../providers/signer.js';

/**
 * The header of every response with a pass that the development certificate chain signed. Phones reject such a pass.
 */
export const developmentSigning = { 'Passwright-Signing': 'development' } as const;

/** Returns the identity that signs the account's passes, or null without a valid certificate. */
export function findSigningIdentity(signer: Signer, accountId: string): Promise<SigningIdentity | null> {
  return signer.identity(accountId).catch(() => null);
}
