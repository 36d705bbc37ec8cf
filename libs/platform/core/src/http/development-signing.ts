import type { Signer, SigningIdentity } from '../providers/signer.js';

/** The header of every answer that hands out a pass signed by the development chain, which phones refuse. */
export const developmentSigning = { 'Passwright-Signing': 'development' } as const;

/** Null when there is none in date: a pass can be had without its Apple package then. */
export function findSigningIdentity(signer: Signer, accountId: string): Promise<SigningIdentity | null> {
  return signer.identity(accountId).catch(() => null);
}
