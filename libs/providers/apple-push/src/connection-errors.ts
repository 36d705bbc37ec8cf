import type { Problem } from './push-result.js';

/**
 * OpenSSL's names for the alerts that reject a client certificate, for example `ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE`.
 */
const CERTIFICATE_REFUSED =
  /ALERT_(NO_CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_[A-Z]+|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;
/** Node's error codes for an untrusted server certificate. A code that ends in `_` is a prefix. */
const SERVER_NOT_TRUSTED =
  /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|CRL_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$|ERR_TLS_CERT_ALTNAME)/;

/**
 * Describes why a connection ended, and whether a new one may succeed.
 * @param error null if the connection ended without an error
 */
export function connectionError(error: Error | null): Problem {
  if (!error) return { outcome: 'retry', reason: 'The push service closed the connection before it answered.' };
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (CERTIFICATE_REFUSED.test(code)) {
    return {
      outcome: 'credential_rejected',
      reason: `The push service rejected the certificate in the TLS handshake (${code}).`,
    };
  }
  if (SERVER_NOT_TRUSTED.test(code)) {
    return {
      outcome: 'retry',
      reason: `The certificate of the push service is not trusted (${code}); name its authority in the options.`,
    };
  }
  return {
    outcome: 'retry',
    reason: error instanceof Unresponsive ? error.message : `No response: ${oneLine(error)}.`,
  };
}

/** The peer does not respond at all. */
export class Unresponsive extends Error {}

function oneLine({ message }: Error): string {
  return message.replaceAll(/\s+/g, ' ').slice(0, 200).replace(/\.$/, '');
}
