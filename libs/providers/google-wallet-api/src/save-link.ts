import type { SaveLinkPayload } from '@passwright/core';
import type { GoogleCredential } from './accounts/google-credential.js';
import { signedJwt } from './signed-jwt.js';

/**
 * Signs a save link. Up to 1,800 characters of JWT are safe; browsers may cut longer links.
 * @see https://developers.google.com/wallet/generic/use-cases/jwt
 */
export async function signSaveLink(
  { identity, key }: GoogleCredential,
  payload: SaveLinkPayload,
  { saveUrl, now }: { readonly saveUrl: string; readonly now: Date },
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { iss: identity.clientEmail, aud: 'google', typ: 'savetowallet', iat, origins: [], payload };
  return `${saveUrl}/${await signedJwt(claims, key)}`;
}
