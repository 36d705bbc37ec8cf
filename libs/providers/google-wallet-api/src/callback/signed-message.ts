import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** The sender name that is part of the signed text. */
const SENDER = 'GooglePayPasses';
export const PROTOCOL = 'ECv2SigningOnly';

/** Parses an ECDSA P-256 key from base64 of its SPKI DER. Returns null for other text. */
export function parsePublicKey(keyValue: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(keyValue, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

/** Returns true if `key` signed the intermediate key. @param signedKey the original text */
export function signsKey(key: KeyObject, signedKey: string, signature: string): boolean {
  return verifies(key, [SENDER, PROTOCOL, signedKey], signature);
}

/** Returns true if `key` signed a message to `issuerId`. @param signedMessage the original text */
export function signsMessage(key: KeyObject, issuerId: string, signedMessage: string, signature: string): boolean {
  return verifies(key, [SENDER, issuerId, PROTOCOL, signedMessage], signature);
}

/**
 * Returns true if `key` signed these parts. @see
 * https://developers.google.com/pay/api/web/guides/resources/payment-data-cryptography#verify-signature
 */
function verifies(key: KeyObject, parts: readonly string[], signature: string): boolean {
  return verify('sha256', signedBytes(parts), key, Buffer.from(signature, 'base64'));
}

/** Joins the parts, each after its length in bytes as a 32-bit little-endian number. */
export function signedBytes(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );
}
