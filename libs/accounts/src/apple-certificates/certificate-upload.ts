import { ValidationFailed, type CertificateUpload } from '@passwright/core';
import type { AppleCertificateUpload } from './apple-certificate.dto.js';
import { base64Bytes, fileForms, pemBlock, pemOf, sentFile } from './certificate-files.js';

/**
 * What was sent as the certificate reader takes it: files decoded, and a key that stands in the certificate's file (as
 * `openssl pkcs12 -nodes` writes them) found. Whether they are any good is for the reader to say.
 * @throws ValidationFailed naming each field that cannot be made sense of
 */
export function certificateUpload(sent: AppleCertificateUpload): CertificateUpload {
  const problems = combinationProblems(sent);
  const upload = {
    passphrase: sent.passphrase ?? undefined,
    ...(sent.pkcs12 && { pkcs12: pkcs12(sent.pkcs12, problems) }),
    ...(sent.certificate && certificate(sent.certificate, problems)),
    ...(sent.privateKey && { privateKey: privateKey(sent.privateKey, problems) }),
    ...(sent.intermediate && { intermediate: intermediate(sent.intermediate, problems) }),
  };
  if (problems.length > 0) throw new ValidationFailed(problems);
  return upload;
}

function combinationProblems(sent: AppleCertificateUpload): string[] {
  const { pkcs12, certificate, privateKey } = sent;
  if (!pkcs12 && !certificate) {
    return [
      privateKey
        ? 'certificate must come with the privateKey'
        : 'pkcs12 or certificate must be given: a PKCS#12 file in base64, or a certificate with its privateKey',
    ];
  }
  if (pkcs12 && (certificate || privateKey)) {
    return ['pkcs12 must come alone: it holds the certificate and its key; leave out certificate and privateKey'];
  }
  return [];
}

function pkcs12(text: string, problems: string[]): Uint8Array | undefined {
  if (text.includes('-----BEGIN ')) {
    problems.push(
      'pkcs12 must be a PKCS#12 file (.p12, .pfx) in base64; PEM text is sent as certificate and privateKey',
    );
    return undefined;
  }
  const bytes = base64Bytes(text);
  if (!bytes) problems.push('pkcs12 must be base64, as `base64 -w0 pass.p12` writes it');
  return bytes ?? undefined;
}

function certificate(text: string, problems: string[]): Pick<CertificateUpload, 'certificate' | 'privateKey'> {
  const file = sentFile(text);
  if (file === null) {
    problems.push(`certificate must be ${fileForms}`);
    return {};
  }
  if (typeof file !== 'string') return { certificate: file };
  const key = pemBlock(file, 'PRIVATE KEY');
  return { certificate: file, ...(key && { privateKey: key }) };
}

function privateKey(text: string, problems: string[]): string | undefined {
  const file = sentFile(text);
  const key = typeof file === 'string' ? pemBlock(file, 'PRIVATE KEY') : null;
  if (!key) problems.push('privateKey must be a private key as PEM text, or such a file in base64');
  return key ?? undefined;
}

function intermediate(text: string, problems: string[]): string | undefined {
  const file = sentFile(text);
  if (file === null) problems.push(`intermediate must be ${fileForms}`);
  if (file === null) return undefined;
  return typeof file === 'string' ? file : pemOf(file);
}
