import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Who signs, and how, as both stand in what is signed. */
const SENDER = 'GooglePayPasses';
export const PROTOCOL = 'ECv2SigningOnly';

/** An ECDSA key on P-256 from base64 of its SPKI DER; null when it is anything else. */
export function parsePublicKey(keyValue: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(keyValue, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

/** Whether `key` signed an intermediate key, given as the text it came in. */
export function signsKey(key: KeyObject, signedKey: string, signature: string): boolean {
  return verifies(key, [SENDER, PROTOCOL, signedKey], signature);
}

/** Whether `key` signed a message to `issuerId`, given as the text it came in. */
export function signsMessage(key: KeyObject, issuerId: string, signedMessage: string, signature: string): boolean {
  return verifies(key, [SENDER, issuerId, PROTOCOL, signedMessage], signature);
}

/** @see https://developers.google.com/pay/api/web/guides/resources/payment-data-cryptography#verify-signature */
function verifies(key: KeyObject, parts: readonly string[], signature: string): boolean {
  return verify('sha256', signedBytes(parts), key, Buffer.from(signature, 'base64'));
}

/** Each part after its length in bytes, four of them, the lowest first. */
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
