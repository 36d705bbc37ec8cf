import type { Signer, SigningIdentity } from '../providers/signer.js';

/** The header of every response with a pass signed by the development chain, which phones reject. */
export const developmentSigning = { 'Passwright-Signing': 'development' } as const;

/** Returns the signing identity, or null without a valid certificate. A pass then has no Apple package. */
export function findSigningIdentity(signer: Signer, accountId: string): Promise<SigningIdentity | null> {
  return signer.identity(accountId).catch(() => null);
}
