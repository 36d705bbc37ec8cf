import { once } from 'node:events';
import { get } from 'node:http';
import { connect, createServer, type AddressInfo, type LookupFunction } from 'node:net';
import { connect as connectTls } from 'node:tls';

const rejected = (host: string) => `opens a connection to ${host}, outside this machine`;

it.each(['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1', 'wallet.example'])('a test cannot connect to %s', (host) => {
  expect(() => connect(443, host)).toThrow(rejected(host));
  expect(() => connect({ port: 443, host })).toThrow(rejected(host));
  expect(() => connectTls({ port: 443, host })).toThrow(rejected(host));
});

it('a test cannot send an HTTP request to another machine', () => {
  expect(() => get('http://wallet.example/')).toThrow(rejected('wallet.example'));
});

it.each(['127.0.0.1', 'localhost'])('a test can connect to %s', async (host) => {
  const server = createServer((socket) => socket.end('hello')).listen(0);
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, host);
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  expect(greeting.toString()).toBe('hello');
  server.close();
});

it('a test can connect to a host name only if its own resolver returns a local address', async () => {
  const resolver =
    (address: string): LookupFunction =>
    (_host, options, callback) =>
      options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(connect({ port, host: 'wallet.example', lookup: resolver('127.0.0.1') }), 'data');
  const [error] = (await once(connect({ port, host: 'wallet.example', lookup: resolver('192.0.2.1') }), 'error')) as [
    Error,
  ];
  expect(error.message).toContain(rejected('wallet.example'));
  server.close();
});
