import { setTimeout as pause } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Mailer, MailRefused, type Clock, type Mail } from '@passwright/core';
import { createTransport } from 'nodemailer';
import { checkedMail } from './checked-mail.js';
import { MailNotTaken, withoutAddresses } from './mail-not-taken.js';
import type { Sender } from './sender.js';
import type { SmtpServer } from './smtp-server.js';

/** How long a mail server may take, in milliseconds. */
export interface SmtpPatience {
  /** To connect, and then to greet. */
  readonly connectMs: number;
  /** For each answer. */
  readonly answerMs: number;
  /** For a mail in all. */
  readonly mailMs: number;
}

const PATIENCE: SmtpPatience = { connectMs: 10_000, answerMs: 30_000, mailMs: 60_000 };

/** Hands mails to a mail server, over few connections that are kept. */
export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  private readonly transport: ReturnType<typeof newTransport>;

  constructor(
    server: SmtpServer,
    private readonly from: Sender,
    private readonly clock: Clock,
    private readonly patience: SmtpPatience = PATIENCE,
  ) {
    super();
    this.transport = newTransport(server, patience);
    // Of a connection at rest; one that is in use tells its mail.
    this.transport.on('error', () => undefined);
  }

  /**
   * @throws MailRefused when it is not one to send or the server does not take it for good, MailNotTaken when it did not
   * take it this time, or not in time
   */
  async send(mail: Mail): Promise<void> {
    const checked = checkedMail(mail, this.from, this.clock.now());
    const done = new AbortController();
    const late = pause(this.patience.mailMs, undefined, { signal: done.signal }).then(() => {
      throw new MailNotTaken(`no end in ${this.patience.mailMs} ms`);
    });
    late.catch(() => undefined);
    const sent = this.transport.sendMail(checked).catch((error: unknown) => {
      throw failureOf(error as SendFailure);
    });
    await Promise.race([sent, late]).finally(() => done.abort());
  }

  /** Mails are sent by jobs, which have ended before. */
  onApplicationShutdown(): void {
    this.transport.close();
  }
}

function newTransport({ host, port, secure, requireTls, auth }: SmtpServer, { connectMs, answerMs }: SmtpPatience) {
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
    socketTimeout: answerMs,
  });
}

interface SendFailure {
  readonly message: string;
  readonly code?: string;
  readonly command?: string;
  /** What the server answered. */
  readonly responseCode?: number;
  readonly response?: string;
}

/** Of who may send where, such as `554 5.7.1 Relay access denied`. @see https://www.rfc-editor.org/rfc/rfc3463#section-3.8 */
const ofPolicy = /^\d{3}[ -]5\.7\.\d/;

/**
 * A server that answers 550 to 559 to the recipient or to the mail itself will answer so again; before that, with any
 * other number, and where it says at the recipient that it is a matter of its policy, the fault may lie in how it or this
 * service is set up, which passes.
 * @see https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1
 */
function failureOf({ message, code, command, responseCode = 0, response }: SendFailure): Error {
  const isOfRecipient = command === 'RCPT TO' && !ofPolicy.test(response ?? '');
  if ((isOfRecipient || command === 'DATA') && responseCode >= 550 && responseCode <= 559) {
    return new MailRefused(`the mail server answers “${withoutAddresses(response ?? message)}”`);
  }
  return new MailNotTaken([code, command && `at ${command}`, message].filter(Boolean).join(' '));
}
