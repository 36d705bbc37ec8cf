import type { X509Certificate } from 'node:crypto';
import { type DerElement, objectIdentifier, readDer, tags } from './der.js';

/** Copies issuer and serial number of a certificate unchanged, because encoding a name again could change its bytes. */
export function issuerAndSerialNumber(certificate: X509Certificate): Buffer[] {
  const [serialNumber, , issuer] = certificateFields(certificate);
  if (serialNumber?.tag !== tags.integer || issuer?.tag !== tags.sequence) {
    throw new TypeError('Not an X.509 v3 certificate.');
  }
  return [issuer.bytes, serialNumber.bytes];
}

/** Returns the DER value of the extension with this OID, or null when the certificate has none. */
export function extensionValue(certificate: X509Certificate, oid: string): Buffer | null {
  const wrapped = certificateFields(certificate).find(({ tag }) => tag === tags.context3);
  const extensions = wrapped ? readDer(readDer(wrapped.content)[0]?.content ?? Buffer.alloc(0)) : [];
  const id = objectIdentifier(oid);
  for (const extension of extensions) {
    const parts = readDer(extension.content);
    // Take the last part, because the BOOLEAN `critical` may come before the value.
    if (parts[0]?.bytes.equals(id)) return parts.at(-1)?.content ?? null;
  }
  return null;
}

/**
 * Returns true if the issuer signed the certificate: names and key identifiers match, and the issuer's key verifies the
 * signature.
 */
export function issued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // Node cannot read this kind of key, so the certificate cannot be verified.
    return false;
  }
}

/** Returns the certificate's own key identifier in upper-case hex, or null when it has none. */
export function subjectKeyIdentifier(certificate: X509Certificate): string | null {
  const value = extensionValue(certificate, '2.5.29.14');
  return (value && readDer(value)[0]?.content.toString('hex').toUpperCase()) ?? null;
}

/**
 * Returns the identifier of the key that signed the certificate, in upper-case hex, or null when the certificate does
 * not contain that identifier.
 */
export function authorityKeyIdentifier(certificate: X509Certificate): string | null {
  const value = extensionValue(certificate, '2.5.29.35');
  const fields = value ? readDer(readDer(value)[0]?.content ?? Buffer.alloc(0)) : [];
  return (
    fields
      .find(({ tag }) => tag === tags.keyIdentifier)
      ?.content.toString('hex')
      .toUpperCase() ?? null
  );
}

/**
 * Returns the fields of the TBSCertificate after its version: serialNumber, signature, issuer, validity, subject, key,
 * …, extensions [3].
 */
function certificateFields(certificate: X509Certificate): DerElement[] {
  const [tbsCertificate] = readDer(readDer(certificate.raw)[0]?.content ?? Buffer.alloc(0));
  const fields = readDer(tbsCertificate?.content ?? Buffer.alloc(0));
  return fields[0]?.tag === tags.context0 ? fields.slice(1) : fields;
}
