import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { addressesByDns } from './host-addresses.js';

const A = 1;
const AAAA = 28;
const NO_SUCH_NAME = 3;
const SERVER_FAILURE = 2;

/** The name server's response to a question: records as bytes, an error code, or null for silence. */
type Zone = (name: string, type: number) => readonly Buffer[] | number | null;

/** A DNS server on this machine, over UDP (RFC 1035). */
class NameServer {
  readonly asked: string[] = [];
  private constructor(private readonly socket: Socket) {}

  static async start(zone: Zone): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket);
    socket.on('message', (query, { port, address }) => {
      const { name, type, question } = questionOf(query);
      server.asked.push(`${name} ${type}`);
      const response = zone(name, type);
      if (response !== null) socket.send(responseTo(query, question, response, type), port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }
}

function questionOf(query: Buffer): { name: string; type: number; question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += 1 + query[at]!) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), question: query.subarray(12, at + 5) };
}

function responseTo(query: Buffer, question: Buffer, response: readonly Buffer[] | number, type: number): Buffer {
  const records = typeof response === 'number' ? [] : response;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (typeof response === 'number' ? response : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  const written = records.map((data) => {
    const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, question, ...written]);
}

const ipv4 = (...octets: number[]) => Buffer.from(octets);
const ipv6 = Buffer.from('20010db8000000000000000000000001', 'hex');

let server: NameServer;
afterEach(() => server.stop());
const lookUp = async (zone: Zone, timeoutMs?: number) => {
  server = await NameServer.start(zone);
  return addressesByDns('crm.example.com', { servers: [server.address], timeoutMs });
};

it('addressesByDns returns the IPv4 and IPv6 addresses of a host, with one DNS query for each kind', async () => {
  const found = await lookUp((_, type) => (type === A ? [ipv4(192, 0, 2, 1), ipv4(10, 0, 0, 1)] : [ipv6]));
  expect(found).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  expect(server.asked.sort()).toEqual([`crm.example.com ${A}`, `crm.example.com ${AAAA}`]);
});

it('addressesByDns finds the addresses of one kind even if the query for the other kind fails', async () => {
  expect(await lookUp((_, type) => (type === A ? [ipv4(192, 0, 2, 1)] : null), 600)).toHaveLength(1);
  server.stop();
  expect(await lookUp((_, type) => (type === AAAA ? [ipv6] : SERVER_FAILURE))).toHaveLength(1);
});

it.each<[string, Zone, string]>([
  ['does not exist', () => NO_SUCH_NAME, 'ENOTFOUND'],
  ['has no addresses', () => [], 'ENODATA'],
  ['has only name servers that fail', (_, type) => (type === A ? [] : SERVER_FAILURE), 'ESERVFAIL'],
])('addressesByDns rejects a host that %s', async (_, zone, code) => {
  await expect(lookUp(zone)).rejects.toMatchObject({ code });
});

it('a look-up asks a silent name server a second time', async () => {
  const lost = new Set<number>();
  const found = await lookUp((_, type) => {
    if (lost.has(type)) return type === A ? [ipv4(192, 0, 2, 1)] : [ipv6];
    lost.add(type);
    return null;
  });
  expect(found).toHaveLength(2);
  expect(server.asked).toHaveLength(4);
});

it('a look-up fails in time if the name servers never respond', async () => {
  await expect(lookUp(() => null, 300)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(server.asked.length).toBeGreaterThan(0);
});
