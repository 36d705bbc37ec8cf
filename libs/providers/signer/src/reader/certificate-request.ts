import { generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { der, objectIdentifier, tags } from '../der.js';

const SHA256_WITH_RSA = der(tags.sequence, objectIdentifier('1.2.840.113549.1.1.11'), der(tags.null));
const COMMON_NAME = objectIdentifier('2.5.4.3');
const VERSION_1 = der(tags.integer, Buffer.from([0]));
const NO_ATTRIBUTES = der(tags.context0);
const NO_UNUSED_BITS = Buffer.from([0]);
/** The maximum length of a common name (RFC 5280, appendix A). */
const MAX_NAME_LENGTH = 64;

/**
 * Creates an RSA 2048 key and its signing request (RFC 2986) as PEM. Truncates the name to 64 characters; Apple
 * replaces it.
 */
export async function certificateRequest(commonName: string): Promise<{ privateKeyPem: string; requestPem: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const info = der(
    tags.sequence,
    VERSION_1,
    name(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    NO_ATTRIBUTES,
  );
  const signature = await promisify(sign)('sha256', info, privateKey);
  const request = der(tags.sequence, info, SHA256_WITH_RSA, der(tags.bitString, NO_UNUSED_BITS, signature));
  return {
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    requestPem: pem('CERTIFICATE REQUEST', request),
  };
}

function name(commonName: string): Buffer {
  const text = [...commonName].slice(0, MAX_NAME_LENGTH).join('');
  const attribute = der(tags.sequence, COMMON_NAME, der(tags.utf8String, Buffer.from(text, 'utf8')));
  return der(tags.sequence, der(tags.set, attribute));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
