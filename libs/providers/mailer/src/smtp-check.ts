import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { withoutAddresses } from './mail-not-taken.js';
import type { SmtpServer } from './smtp-server.js';
import { SmtpSocket } from './smtp-socket.js';

/** The reason why a mail server cannot be used. */
export interface SmtpProblem {
  readonly kind: 'unreachable' | 'tls' | 'login' | 'other';
  /** A sentence without addresses. */
  readonly reason: string;
}

/** The result of the check; `secure` means that the connection uses TLS. */
export type SmtpOutcome = SmtpProblem | { readonly secure: boolean };

interface SmtpError extends Error {
  readonly code?: string;
}

/**
 * Connects, starts TLS and signs in as if to send a mail, but sends no mail.
 * @param limitMs the limit for the whole check
 * @param ca PEM text of an authority to trust instead of the well-known ones
 */
export async function checkSmtpServer(
  server: SmtpServer,
  limitMs: number,
  ca: string | null = null,
): Promise<SmtpOutcome> {
  const endsAt = performance.now() + limitMs;
  try {
    const socket = await SmtpSocket.open(server.host, server.port, limitMs);
    return await signIn(socket, server, Math.ceil(endsAt - performance.now()), ca);
  } catch (error) {
    return errorOf(error as SmtpError);
  }
}

async function signIn(
  socket: SmtpSocket,
  { host, port, secure, requireTls: requireTLS, auth }: SmtpServer,
  limitMs: number,
  ca: string | null,
): Promise<SmtpOutcome> {
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    requireTLS,
    tls: { minVersion: 'TLSv1.2', ...(ca && { ca }) },
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    connection: socket,
  });
  let late: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      late = setTimeout(() => reject(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' })), limitMs);
      connection.on('error', reject);
      connection.connect((error) => {
        if (error) reject(error);
        else if (!auth) resolve();
        else
          connection.login({ user: auth.user, pass: auth.pass, credentials: auth }, (rejected) =>
            rejected ? reject(rejected) : resolve(),
          );
      });
    });
    return { secure: connection.secure };
  } finally {
    clearTimeout(late);
    connection.on('error', () => undefined);
    connection.close();
  }
}

function errorOf({ code = '', message }: SmtpError): SmtpProblem {
  const reason = withoutAddresses(message);
  if (code === 'EAUTH' || code === 'ENOAUTH') return { kind: 'login', reason };
  if (code === 'ETLS' || /certificate|ssl|tls|self.signed/i.test(`${code} ${message}`)) return { kind: 'tls', reason };
  const unreachable = ['ECONNECTION', 'ECONNREFUSED', 'ETIMEDOUT', 'EDNS', 'ESOCKET', 'ENOTFOUND'];
  return { kind: unreachable.includes(code) ? 'unreachable' : 'other', reason };
}
