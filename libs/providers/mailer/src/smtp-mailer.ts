import type { OnApplicationShutdown } from '@nestjs/common';
import { Mailer, MailRejected, type Clock, type Mail } from '@passwright/core';
import { createTransport } from 'nodemailer';
import { checkedMail } from './checked-mail.js';
import { MailNotTaken, withoutAddresses } from './mail-not-taken.js';
import type { Sender } from './sender.js';
import type { SmtpServer } from './smtp-server.js';
import { SmtpSocket } from './smtp-socket.js';

/** The time limits for a mail server, in milliseconds. */
export interface SmtpTimeouts {
  /** The limit for connecting. It also applies to the greeting that follows. */
  readonly connectMs: number;
  /** The limit for each response. */
  readonly responseMs: number;
  /** The limit for a whole mail. */
  readonly mailMs: number;
}

const TIMEOUTS: SmtpTimeouts = { connectMs: 10_000, responseMs: 30_000, mailMs: 60_000 };

/** Sends mails to a mail server over a few reused connections. */
export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  private readonly transport: ReturnType<typeof newTransport>;

  constructor(
    server: SmtpServer,
    private readonly from: Sender,
    private readonly clock: Clock,
    private readonly timeouts: SmtpTimeouts = TIMEOUTS,
  ) {
    super();
    this.transport = newTransport(server, timeouts);
    // Ignore errors of idle connections. A mail in progress reports its own error.
    this.transport.on('error', () => undefined);
  }

  /**
   * Sends a mail.
   * @throws MailRejected if the mail is invalid or the server rejects it permanently.
   * @throws MailNotTaken if the server does not accept the mail this time, or not in time
   */
  async send(mail: Mail): Promise<void> {
    const checked = checkedMail(mail, this.from, this.clock.now());
    const { mailMs } = this.timeouts;
    // Also end the transfer, because otherwise the server could send this mail and the one of the next attempt.
    const signal = AbortSignal.timeout(mailMs);
    await this.transport.sendMail({ ...checked, signal }).catch((error: unknown) => {
      throw signal.aborted ? new MailNotTaken(`no end in ${mailMs} ms`) : failureOf(error as SendFailure);
    });
  }

  /** Closes the connections. All jobs have ended by now, and only jobs send mails. */
  onApplicationShutdown(): void {
    this.transport.close();
  }
}

type UseSocket = (error: Error | null, socket: { readonly connection: SmtpSocket } | false) => void;

function newTransport({ host, port, secure, requireTls, auth }: SmtpServer, { connectMs, responseMs }: SmtpTimeouts) {
  return createTransport({
    pool: true,
    maxConnections: 2,
    maxMessages: 100,
    host,
    port,
    secure,
    requireTLS: requireTls,
    ...(auth && { auth }),
    tls: { minVersion: 'TLSv1.2' },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: responseMs,
    getSocket: (_: unknown, use: UseSocket) =>
      void SmtpSocket.open(host, port, connectMs).then(
        (connection) => use(null, { connection }),
        (error: Error) => use(error, false),
      ),
  });
}

interface SendFailure {
  readonly message: string;
  readonly code?: string;
  readonly command?: string;
  /** The status code of the server's response. */
  readonly responseCode?: number;
  readonly response?: string;
}

/**
 * Matches policy responses such as `554 5.7.1 Relay access denied`. @see
 * https://www.rfc-editor.org/rfc/rfc3463#section-3.8
 */
const ofPolicy = /^\d{3}[ -]5\.7\.\d/;

/**
 * Returns the error for a failed mail. A code from 550 to 559 for the recipient or the content is permanent. All other
 * failures are temporary, because the operator may fix them, including policy responses and rejections of earlier
 * commands.
 * @see https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1
 */
function failureOf({ message, code, command, responseCode = 0, response }: SendFailure): Error {
  const isOfRecipient = command === 'RCPT TO' && !ofPolicy.test(response ?? '');
  if ((isOfRecipient || command === 'DATA') && responseCode >= 550 && responseCode <= 559) {
    return new MailRejected(`the mail server responds “${withoutAddresses(response ?? message)}”`);
  }
  return new MailNotTaken([code, command && `at ${command}`, message].filter(Boolean).join(' '));
}
