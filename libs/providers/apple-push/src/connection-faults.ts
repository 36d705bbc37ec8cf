import type { Fault } from './push-answer.js';

/** OpenSSL's names of the alerts by which a server refuses a client certificate: `ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE`. */
const CERTIFICATE_REFUSED =
  /ALERT_(NO_CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_[A-Z]+|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;
/** What Node says of a server certificate, the first being a prefix. */
const SERVER_NOT_TRUSTED =
  /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|CRL_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$|ERR_TLS_CERT_ALTNAME)/;

/** In words what ended a connection, and whether the next one would fare any better. @param error null when there was none */
export function connectionFault(error: Error | null): Fault {
  if (!error) return { outcome: 'retry', reason: 'The push service closed the connection before it answered.' };
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (CERTIFICATE_REFUSED.test(code)) {
    return { outcome: 'halted', reason: `The push service refused the certificate in the TLS handshake (${code}).` };
  }
  if (SERVER_NOT_TRUSTED.test(code)) {
    return {
      outcome: 'retry',
      reason: `The certificate of the push service is not trusted (${code}); name its authority in the options.`,
    };
  }
  return { outcome: 'retry', reason: error instanceof Unresponsive ? error.message : `No answer: ${oneLine(error)}.` };
}

/** The peer says nothing at all. */
export class Unresponsive extends Error {}

function oneLine({ message }: Error): string {
  return message.replaceAll(/\s+/g, ' ').slice(0, 200).replace(/\.$/, '');
}
