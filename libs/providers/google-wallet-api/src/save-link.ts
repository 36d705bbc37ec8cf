import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SaveLinkPayload } from '@passwright/core';
import type { GoogleCredential } from './accounts/google-credential.js';

const signAsync = promisify(sign);
const HEADER = encode({ alg: 'RS256', typ: 'JWT' });

/**
 * Signs a save link in Node's thread pool, which leaves the event loop free. Up to 1,800 characters of JWT are safe;
 * browsers may cut longer links.
 * @see https://developers.google.com/wallet/generic/use-cases/jwt
 */
export async function signSaveLink(
  { identity, key }: GoogleCredential,
  payload: SaveLinkPayload,
  { saveUrl, now }: { readonly saveUrl: string; readonly now: Date },
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { iss: identity.clientEmail, aud: 'google', typ: 'savetowallet', iat, origins: [], payload };
  const signed = `${HEADER}.${encode(claims)}`;
  const signature = await signAsync('sha256', Buffer.from(signed), key);
  return `${saveUrl}/${signed}.${signature.toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
