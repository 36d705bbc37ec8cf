import { once } from 'node:events';
import { Socket } from 'node:net';

/** The most bytes that a mail server may send until the next command. Usual responses have less than 2 KiB. */
const mostBytes = 16_384;

/**
 * A connection to a mail server that ends if the server sends too much without a command. nodemailer limits the length
 * of lines, but a flood of blank lines would keep the event loop busy. Within TLS nothing is counted, because the
 * certificate shows that this is the operator's own server.
 */
export class SmtpSocket extends Socket {
  private received = 0;
  private sent = 0;

  /** Connects within the limit. @throws Error with the code `ESOCKET`, as nodemailer has it */
  static async open(host: string, port: number, limitMs: number): Promise<SmtpSocket> {
    const socket = new SmtpSocket();
    const late = setTimeout(() => socket.destroy(new Error('Connection timeout')), limitMs);
    // The default of 250 ms for each address is too short for distant servers.
    const autoSelectFamilyAttemptTimeout = Math.ceil(limitMs / 4);
    try {
      await once(socket.connect({ host, port, autoSelectFamily: true, autoSelectFamilyAttemptTimeout }), 'connect');
      return socket;
    } catch (error) {
      const { message, code = '' } = error as NodeJS.ErrnoException;
      throw Object.assign(new Error(message || code), { code: 'ESOCKET', command: 'CONN' });
    } finally {
      clearTimeout(late);
    }
  }

  /** Takes what has arrived, unless it is too much. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.sent !== this.bytesWritten) [this.sent, this.received] = [this.bytesWritten, 0];
    this.received += chunk?.length ?? 0;
    if (this.received <= mostBytes) return super.push(chunk, encoding);
    this.destroy(new Error(`the server sent more than ${mostBytes} bytes without a command`));
    return false;
  }
}
