import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail that the server has accepted. */
export interface Received {
  readonly recipients: readonly string[];
  /** The headers with unfolded lines. */
  readonly headers: string;
  readonly body: string;
  readonly secure: boolean;
}

/** A mail server on a local port, without TLS unless the options enable it. */
export class MailServer {
  readonly received: Received[] = [];
  /** The number of connections so far. */
  connections = 0;
  private readonly server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.server = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      disableReverseLookup: true,
      closeTimeout: 50,
      onConnect: (_session, done) => {
        this.connections++;
        done();
      },
      onData: (stream, session, done) => {
        const receive = (source: string) => {
          const [headers = '', ...body] = source.split('\r\n\r\n');
          this.received.push({
            recipients: session.envelope.rcptTo.map(({ address }) => address),
            headers: headers.replace(/\r\n\s+/g, ' '),
            body: body.join('\r\n\r\n'),
            secure: session.secure,
          });
          done();
        };
        // A mail that the client cuts off does not count as received.
        void text(stream).then(receive, () => undefined);
      },
      ...options,
    });
    this.server.on('error', () => undefined);
  }

  static async start(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
    const server = new MailServer(options);
    server.server.listen(port, '127.0.0.1');
    await once(server.server.server, 'listening');
    return server;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}

/** Starts a server that accepts connections, sends `greeting` and then stays silent. */
export async function silentServer(greeting = ''): Promise<{ port: number; stop(): void }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.write(greeting);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/**
 * Starts a server that greets and then sends blank lines as fast as the client takes them. `sent` is the number of bytes
 * of the first connection when it has ended.
 */
export async function floodingServer(): Promise<{ port: number; sent: Promise<number>; stop(): void }> {
  const server: Server = createServer();
  const sent = once(server, 'connection').then(async ([connection]) => {
    const socket = connection as Socket;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const lines = Buffer.alloc(65_536, '\n');
    const send = () => {
      while (!socket.destroyed && socket.write(lines));
    };
    socket.on('drain', send).on('error', () => undefined);
    socket.resume().write('220 mail.example.org ESMTP\r\n');
    send();
    await closed;
    return socket.bytesWritten;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, sent, stop: () => void server.close() };
}
