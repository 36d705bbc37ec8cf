import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

const signAsync = promisify(sign);
const HEADER = encode({ alg: 'RS256', typ: 'JWT' });

/** Returns a JWT signed with RS256. Signs in Node's thread pool, which leaves the event loop free. */
export async function signedJwt(claims: object, key: KeyObject): Promise<string> {
  const signed = `${HEADER}.${encode(claims)}`;
  const signature = await signAsync('sha256', Buffer.from(signed), key);
  return `${signed}.${signature.toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
