// A mail server that accepts every mail and records its recipients.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export class SmtpSink {
  mails = [];
  /** @type {SMTPServer} */
  server;
  url = '';

  static async start() {
    const sink = new SmtpSink();
    sink.server = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      disableReverseLookup: true,
      closeTimeout: 50,
      onData: (stream, session, done) => {
        text(stream).then((source) => {
          // Record the mail before confirming it, because the sender may be killed in between.
          const id = /^Message-ID:\s+<([^>]+)>/im.exec(source)?.[1];
          for (const { address } of session.envelope.rcptTo) sink.mails.push({ to: address, id });
          done();
        }, done);
      },
    });
    sink.server.on('error', () => undefined);
    sink.server.listen(0, '127.0.0.1');
    await once(sink.server.server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (sink.server.server.address());
    sink.url = `smtp://127.0.0.1:${port}`;
    return sink;
  }

  stop() {
    return new Promise((resolve) => this.server.close(() => resolve(undefined)));
  }
}
