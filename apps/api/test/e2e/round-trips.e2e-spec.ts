import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { testDatabase } from '@passwright/testing';
import { type Account, passBody, RunningService } from '../support/running-service.js';

const READY = 'Z'.charCodeAt(0);

/** A proxy to Postgres that counts the server's ready messages. The server sends one per round trip. */
class CountingProxy {
  roundTrips = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) this.sockets.add(socket.setNoDelay().on('error', () => undefined));
      client.on('data', (bytes) => upstream.write(bytes)).on('close', () => upstream.destroy());
      upstream.on('data', (bytes) => client.write(bytes)).on('close', () => client.destroy());
      this.count(upstream);
    });
  }

  static async start(url: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(new URL(url));
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  /** Parses the messages of the protocol. Each has a letter, the length of the rest, and the rest. */
  private count(upstream: Socket): void {
    let rest = Buffer.alloc(0);
    upstream.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        if (rest[0] === READY) this.roundTrips++;
        rest = rest.subarray(1 + rest.readUInt32BE(1));
      }
    });
  }
}

let proxy: CountingProxy;
let service: RunningService;
let account: Account;
let key: string;

beforeAll(async () => {
  proxy = await CountingProxy.start((await testDatabase()).url);
  service = await RunningService.start({ DATABASE_URL: proxy.url, RATE_LIMIT_PER_MINUTE: '1000000' });
  account = await service.register();
  await account.saveTemplate('membership');
  key = await account.apiKey();
});
afterAll(async () => {
  await service.stop();
  proxy.stop();
});

/**
 * Counts the round trips of a request.
 * @returns the minimum of several runs, because background checks may add to a run
 */
async function fewestRoundTrips(request: (n: number) => Promise<number>): Promise<number> {
  const counts: number[] = [];
  for (let n = 0; n < 20; n++) {
    const before = proxy.roundTrips;
    expect(await request(n)).toBeLessThan(300);
    counts.push(proxy.roundTrips - before);
  }
  return Math.min(...counts);
}

const send = async (method: string, path: string, body: unknown, idempotencyKey?: string) => {
  const headers = { ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) };
  return (await service.request(method, path, { token: key, body, headers })).status;
};

it('creating a pass takes at most 6 round trips with an idempotency key, and at most 2 without one', async () => {
  const create = (n: number, key?: string) =>
    send('POST', '/v1/pass/membership', passBody('membership'), key && `${key}-${n}`);
  expect(await fewestRoundTrips((n) => create(n, 'create'))).toBeLessThanOrEqual(6);
  expect(await fewestRoundTrips((n) => create(n))).toBeLessThanOrEqual(2);
});

it('changing a pass takes at most 6 round trips with an idempotency key, and at most 4 without one', async () => {
  await send('POST', '/v1/pass/membership', { ...passBody('membership'), id: 'ada' });
  const change = (n: number, key?: string) =>
    send('PATCH', '/v1/pass/membership/ada', { primaryValue: `Ada ${key} ${n}` }, key && `${key}-${n}`);
  expect(await fewestRoundTrips((n) => change(n, 'change'))).toBeLessThanOrEqual(6);
  expect(await fewestRoundTrips((n) => change(n))).toBeLessThanOrEqual(4);
});
