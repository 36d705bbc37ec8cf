import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy in front of the database. It can cut its connections, or silently stop forwarding their data. */
export class DatabaseWay {
  private readonly sockets = new Set<Socket>();
  private isOpen = true;

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
        near.pipe(far);
        far.pipe(near);
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
