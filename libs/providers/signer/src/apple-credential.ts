import type { AppleCredential, SigningIdentity } from '@passwright/core/plain';
import { isApples } from './apple-certificates.js';
import { certificateOwner, validity } from './certificate-problems.js';
import type { SigningMaterial } from './detached-cms.js';

/**
 * Builds a credential from checked material. Its PEM is normalised: single certificates, and the key as plain PKCS#8.
 */
export function toCredential({ certificate, intermediate, privateKey }: SigningMaterial): AppleCredential {
  return {
    ...toIdentity({ certificate, intermediate }),
    certificatePem: certificate.toString(),
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    intermediatePem: intermediate.toString(),
  };
}

/** Reads the signer's identity from the certificates. */
export function toIdentity({
  certificate,
  intermediate,
}: Pick<SigningMaterial, 'certificate' | 'intermediate'>): SigningIdentity {
  return {
    ...certificateOwner(certificate),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    expiresAt: validity(certificate, intermediate).to,
    development: !isApples(intermediate),
  };
}
