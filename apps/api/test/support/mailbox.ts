import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

/** A mail as its reader sees it. */
export interface ReadMail {
  readonly to: readonly string[];
  readonly subject: string;
  /** The plain text of the mail. */
  readonly text: string;
  /** The URLs that stand alone on a line of the text. */
  readonly links: readonly string[];
}

const TIMEOUT_MS = 15_000;
const POLL_MS = 20;

/** A mail server on a local port, with the mails that it has received. */
export class Mailbox {
  readonly mails: ReadMail[] = [];
  private readonly server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    closeTimeout: 50,
    onData: (stream, { envelope }, done) => {
      void text(stream).then((source) => {
        this.mails.push(
          read(
            source,
            envelope.rcptTo.map(({ address }) => address),
          ),
        );
        done();
      });
    },
  });

  static async open(): Promise<Mailbox> {
    const mailbox = new Mailbox();
    mailbox.server.on('error', () => undefined);
    mailbox.server.listen(0, '127.0.0.1');
    await once(mailbox.server.server, 'listening');
    return mailbox;
  }

  /** The value of `SMTP_URL`. */
  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  /** Waits for the first mail to an address whose subject matches `like`. */
  async mailTo(address: string, like: RegExp): Promise<ReadMail> {
    for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline; await pause(POLL_MS)) {
      const found = this.mails.find(({ to, subject }) => to.join() === address && like.test(subject));
      if (found) return found;
    }
    throw new Error(
      `No mail ${String(like)} came to ${address}; there are: ${this.mails.map((mail) => mail.subject).join(', ')}`,
    );
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}

function read(source: string, to: readonly string[]): ReadMail {
  const [, subject = ''] = /^Subject: (.*(?:\r\n[ \t].*)*)$/m.exec(source) ?? [];
  const [, encoding = '', body = ''] =
    /Content-Type: text\/plain[^]*?Content-Transfer-Encoding: (\S+)[^]*?\r\n\r\n([^]*?)\r\n--/.exec(source) ?? [];
  const plain = (encoding === 'quoted-printable' ? fromQuotedPrintable(body) : body).replace(/\r\n/g, '\n');
  return { to, subject: subject.replace(/\r\n\s+/g, ' '), text: plain, links: plain.match(/^https?:\S+$/gm) ?? [] };
}

function fromQuotedPrintable(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
