import { createCipheriv, createHash, generateKeyPairSync, type KeyObject, pbkdf2Sync } from 'node:crypto';
import { CertificateRejected, type CertificateUpload } from '@passwright/core';
import forge from 'node-forge';
import { appleOids } from '../certificate-problems.js';
import { der, objectIdentifier, tags } from '../der.js';
import { type Chain, keyPem, NOW, reissued } from '../signer.fixtures.js';
import { X509CertificateReader } from './x509-certificate-reader.js';

const ID_DATA = objectIdentifier('1.2.840.113549.1.7.1');
const ID_ENCRYPTED_DATA = objectIdentifier('1.2.840.113549.1.7.6');
const SALT = Buffer.alloc(8, 7);
const IV = Buffer.alloc(16, 7);

const reader = new X509CertificateReader();

export const read = (upload: CertificateUpload, now = NOW) => reader.read(upload, now);

/** Returns the problems that the reader reports for an upload. */
export async function problemsOf(upload: CertificateUpload, now = NOW): Promise<readonly string[]> {
  const error = await read(upload, now).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CertificateRejected)) throw new Error(`Not rejected: ${String(error)}`);
  return error.problems;
}

/** Returns a chain in the form of an upload. */
export function pairOf({ certificatePem, privateKeyPem, intermediatePem }: Chain) {
  return {
    certificate: certificatePem,
    privateKey: privateKeyPem,
    intermediate: intermediatePem,
  } satisfies CertificateUpload;
}

/** Creates a PKCS#12 file with node-forge, encrypted by AES-256 or 3DES. */
export function aPkcs12(
  key: KeyObject | null,
  certificates: readonly string[],
  passphrase: string | null,
  options: { algorithm?: '3des' | 'aes256'; count?: number } = {},
): Buffer {
  const forgeKey = key && forge.pki.privateKeyFromPem(keyPem(key));
  const pfx = forge.pkcs12.toPkcs12Asn1(forgeKey, certificates as never, passphrase, {
    algorithm: 'aes256',
    count: 1,
    ...options,
  });
  return Buffer.from(forge.asn1.toDer(pfx).getBytes(), 'binary');
}

/** Creates a certificate for app notifications from the same issuer. */
export function anAppPushCertificate(chain: Chain): string {
  return reissued(chain, (certificate) => {
    certificate.subject.getField('CN').value = 'Apple Push Services: com.example.app';
    withUsages(certificate, { clientAuth: true });
    certificate.setExtensions(
      certificate.extensions.filter((extension) => (extension as { id: string }).id !== appleOids.passTypeIdentifier),
    );
  }).certificatePem;
}

function withUsages(certificate: forge.pki.Certificate, usages: object): void {
  const others = certificate.extensions.filter((extension) => (extension as { name: string }).name !== 'extKeyUsage');
  certificate.setExtensions([...others, { name: 'extKeyUsage', ...usages }]);
}

/** Reissues the leaf for an RSA key of this size and returns both. */
export function withKeyOf(bits: number, chain: Chain): { certificate: string; privateKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const { certificatePem } = reissued(chain, (certificate) => {
    certificate.publicKey = forge.pki.publicKeyFromPem(publicKey.export({ type: 'spki', format: 'pem' }).toString());
  });
  return { certificate: certificatePem, privateKey: keyPem(privateKey) };
}

/**
 * Returns the key `other` with the modulus of the key `one`, whose signatures are invalid. Both keys must have the same
 * size.
 */
export function aDamagedKey(one: KeyObject, other: KeyObject): string {
  const [modulus, replaced] = [one, other].map((key) =>
    Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url'),
  );
  const bytes = other.export({ type: 'pkcs8', format: 'der' });
  bytes.set(modulus ?? [], bytes.indexOf(replaced ?? ''));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

/** Creates a PKCS#12 file whose passphrase check takes this number of iterations. */
export function aPkcs12WithMac(iterations: number): Buffer {
  const sha256 = der(tags.sequence, objectIdentifier('2.16.840.1.101.3.4.2.1'), der(tags.null));
  const data = der(tags.octetString, der(tags.sequence));
  return der(
    tags.sequence,
    integer(3),
    der(tags.sequence, ID_DATA, der(tags.context0, data)),
    der(tags.sequence, der(tags.sequence, sha256, aString(32)), aString(8), integer(iterations)),
  );
}

/** Creates an encrypted PEM key that needs this number of PBKDF2 iterations. */
export function aKeyWithIterations(iterations: number): CertificateUpload {
  return { privateKey: encryptedKey(der(tags.sequence, pbes2(iterations), aString(1200))) };
}

/**
 * Creates a key, a key in OpenSSL's old format, and a PKCS#12 file without a MAC. The wrong `passphrase` decrypts all
 * three to garbage without an error, because the padding happens to be right (1 case in 256).
 */
export function opensToRubbish(passphrase: string): Record<'key' | 'oldKey' | 'pkcs12', CertificateUpload> {
  const rubbish = Buffer.alloc(1000, 'no DER');
  const encrypted = encrypt('aes-256-cbc', pbkdf2Sync(passphrase, SALT, 1, 32, 'sha1'), rubbish);
  const content = der(tags.keyIdentifier, encrypted);
  const inner = der(tags.sequence, integer(0), der(tags.sequence, ID_DATA, pbes2(1), content));
  const safe = der(tags.sequence, der(tags.sequence, ID_ENCRYPTED_DATA, der(tags.context0, inner)));
  const data = der(tags.sequence, ID_DATA, der(tags.context0, der(tags.octetString, safe)));
  const oldKey = createHash('md5').update(passphrase).update(IV.subarray(0, 8)).digest();
  const headers = `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${IV.toString('hex').toUpperCase()}\n`;
  return {
    key: { privateKey: encryptedKey(der(tags.sequence, pbes2(1), der(tags.octetString, encrypted))), passphrase },
    oldKey: { privateKey: block('RSA PRIVATE KEY', encrypt('aes-128-cbc', oldKey, rubbish), headers), passphrase },
    pkcs12: { pkcs12: der(tags.sequence, integer(3), data), passphrase },
  };
}

/** Encodes PBES2 with PBKDF2 and AES-256 (RFC 8018 §6.2). */
function pbes2(iterations: number): Buffer {
  const derivation = der(tags.sequence, der(tags.octetString, SALT), integer(iterations));
  const parameters = der(
    tags.sequence,
    der(tags.sequence, objectIdentifier('1.2.840.113549.1.5.12'), derivation),
    der(tags.sequence, objectIdentifier('2.16.840.1.101.3.4.1.42'), der(tags.octetString, IV)),
  );
  return der(tags.sequence, objectIdentifier('1.2.840.113549.1.5.13'), parameters);
}

function encrypt(algorithm: string, key: Buffer, bytes: Buffer): Buffer {
  const cipher = createCipheriv(algorithm, key, IV);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

function encryptedKey(bytes: Buffer): string {
  return block('ENCRYPTED PRIVATE KEY', bytes);
}

function block(label: string, bytes: Buffer, headers = ''): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...(headers ? [headers] : []), ...lines, `-----END ${label}-----`, ''].join('\n');
}

function aString(length: number): Buffer {
  return der(tags.octetString, Buffer.alloc(length, 7));
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value, 1);
  const start = bytes.findIndex((byte, at) => byte !== 0 || at === 4);
  return der(tags.integer, bytes.subarray(bytes.readUInt8(start) < 0x80 ? start : start - 1));
}
