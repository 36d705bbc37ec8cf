import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { limitConnections } from './connections-per-address.js';
import { endSlowReaders } from './slow-readers.js';

let server: Server;
const sockets: Socket[] = [];

afterEach(() => {
  jest.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
});

async function listen(handle: (response: ServerResponse) => void): Promise<Server> {
  server = createServer((_request, response) => handle(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function open(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

function ask(socket: Duplex): void {
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
}

describe('limitConnections', () => {
  it('limitConnections rejects a connection from an address at its limit until another one ends', async () => {
    limitConnections(await listen((response) => response.end('ok')), 2);
    const [first] = [await open(), await open()];
    const third = await open();
    await once(third, 'close');
    const ended = once(server, 'connection').then(() => undefined);
    first.destroy();
    // The server must notice that a connection has ended before it accepts the next one.
    while ((await connections()) > 1) await new Promise((resolve) => setImmediate(resolve));
    const next = await open();
    await ended;
    ask(next);
    const [reply] = (await once(next, 'data')) as [Buffer];
    expect(reply.toString()).toContain('ok');
  });

  it('limitConnections never rejects connections inside the process, even for an address at its limit', async () => {
    limitConnections(await listen((response) => response.end('ok')), 1);
    const connected = once(server, 'connection') as Promise<[Socket]>;
    await open();
    const [{ remoteAddress }] = await connected;
    const [here, there] = duplexPair();
    server.emit('connection', Object.assign(there, { remoteAddress }));
    const responded = Promise.race([once(here, 'data'), once(here, 'end')]);
    ask(here);
    expect(String(await responded)).toContain('ok');
    here.destroy();
  });

  function connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }
});

describe('endSlowReaders', () => {
  const LARGE = Buffer.alloc(64 * 2 ** 20);

  /**
   * Requests a large response from a server that checks for slow readers when the test says so.
   * @returns the server's side of the connection
   */
  async function reading(): Promise<{ client: Socket; served: Socket }> {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    endSlowReaders(await listen((response) => response.end(LARGE)));
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const responded = once(server, 'request');
    const client = await open();
    client.pause();
    ask(client);
    const [[served]] = await Promise.all([connected, responded]);
    return { client, served };
  }

  it('endSlowReaders ends a connection whose client reads nothing for two minutes', async () => {
    const { served } = await reading();
    jest.advanceTimersByTime(130_000);
    expect(served.destroyed).toBe(false);
    jest.advanceTimersByTime(20_000);
    expect(served.destroyed).toBe(true);
  });

  it('endSlowReaders keeps idle connections, and connections whose client has read its response', async () => {
    const { client, served } = await reading();
    client.resume();
    while (served.writableLength > 0) await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(600_000);
    expect(served.destroyed).toBe(false);
  });
});
