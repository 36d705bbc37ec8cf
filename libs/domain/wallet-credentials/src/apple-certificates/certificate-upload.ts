import { ValidationFailed, type CertificateUpload } from '@passwright/core';
import type { AppleCertificateUpload } from './apple-certificate.dto.js';
import { base64Bytes, fileForms, pemOf, sentFile } from './certificate-files.js';

/**
 * Decodes the files of a request. The certificate reader later checks their content.
 * @throws ValidationFailed that names each field that cannot be decoded
 */
export function certificateUpload(sent: AppleCertificateUpload): CertificateUpload {
  const { pkcs12, certificate, privateKey, passphrase, intermediate } = sent;
  const problems: string[] = [];
  if (!pkcs12 && !certificate && !privateKey?.includes('CERTIFICATE-----')) {
    problems.push(
      privateKey
        ? 'certificate must come with the privateKey'
        : 'pkcs12 or certificate must be given: a PKCS#12 file in base64, or a certificate with its privateKey',
    );
  }
  const upload: CertificateUpload = {
    ...(pkcs12 && { pkcs12: decodedPkcs12(pkcs12, problems) }),
    ...(certificate && { certificate: decoded('certificate', certificate, problems) }),
    ...(privateKey && { privateKey: decodedKey(privateKey, problems) }),
    ...(passphrase && { passphrase }),
    ...(intermediate && { intermediate: pemText(decoded('intermediate', intermediate, problems)) }),
  };
  if (problems.length > 0) throw new ValidationFailed(problems);
  return upload;
}

/**
 * Returns true if the upload includes a key. The key may also be in the certificate file, for example after `openssl
 * pkcs12 -nodes`.
 */
export function bringsKey({ pkcs12, privateKey, certificate }: CertificateUpload): boolean {
  return (
    pkcs12 !== undefined ||
    privateKey !== undefined ||
    (typeof certificate === 'string' && certificate.includes('PRIVATE KEY-----'))
  );
}

function decodedPkcs12(text: string, problems: string[]): Uint8Array | undefined {
  const bytes = text.includes('-----BEGIN ') ? Buffer.from(text) : base64Bytes(text);
  if (!bytes) problems.push('pkcs12 must be base64, as `base64 -w0 pass.p12` writes it');
  return bytes ?? undefined;
}

function decoded(field: string, text: string, problems: string[]): string | Buffer | undefined {
  const file = sentFile(text);
  if (file === null) problems.push(`${field} must be ${fileForms}`);
  return file ?? undefined;
}

function decodedKey(text: string, problems: string[]): string | undefined {
  const file = sentFile(text);
  if (typeof file === 'string') return file;
  problems.push('privateKey must be a private key as PEM text, or such a file in base64');
  return undefined;
}

function pemText(file: string | Buffer | undefined): string | undefined {
  return typeof file === 'object' ? pemOf(file) : file;
}
