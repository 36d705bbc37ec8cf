import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';

/** A message that the proxy holds back. */
export interface HeldMessage {
  forward(): void;
  /** Drops the message and closes its connection. */
  lose(): void;
}

/**
 * A proxy in front of the database. It can close its connections, silently stop forwarding, or hold a single message.
 */
export class DatabaseWay {
  private readonly sockets = new Set<Socket>();
  private isOpen = true;
  private awaited: { readonly text: string; readonly hold: (message: HeldMessage) => void } | null = null;

  private constructor(
    private readonly databaseUrl: string,
    private readonly server: Server,
  ) {}

  static async open(url: string): Promise<DatabaseWay> {
    const { hostname, port } = new URL(url);
    const way = new DatabaseWay(
      url,
      createServer((near) => {
        const far = connect(Number(port), hostname);
        for (const socket of [near, far]) {
          way.sockets.add(socket);
          socket.on('error', () => undefined).on('close', () => way.sockets.delete(socket));
        }
        if (!way.isOpen) return void near.destroy();
        near.pipe(way.passage(near)).pipe(far);
        far.pipe(way.passage(near)).pipe(near);
      }),
    );
    way.server.listen(0, '127.0.0.1');
    await once(way.server, 'listening');
    return way;
  }

  get url(): string {
    const address = new URL(this.databaseUrl);
    address.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return address.href;
  }

  /**
   * Holds back the next message, in either direction, that contains this text.
   * @returns that message
   */
  hold(text: string): Promise<HeldMessage> {
    return new Promise((hold) => (this.awaited = { text, hold }));
  }

  private passage(near: Socket): Transform {
    const transform = (data: Buffer, _: BufferEncoding, done: TransformCallback) => {
      const { awaited } = this;
      if (!awaited || !data.includes(awaited.text)) return done(null, data);
      this.awaited = null;
      awaited.hold({ forward: () => done(null, data), lose: () => near.destroy() });
    };
    return new Transform({ transform });
  }

  cut(): void {
    this.isOpen = false;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Stops forwarding without closing any connection, as if a cable were unplugged. */
  silence(): void {
    this.isOpen = false;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  mend(): void {
    this.cut();
    this.isOpen = true;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}
