import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { rejectMalformedHttp } from './malformed-http.js';

let server: Server;

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/**
 * Sends data on one connection.
 * @returns the response of its first request, which the test must end, a promise of the parser's error, and all that
 *   the server sends
 */
async function send(
  data: string,
): Promise<{ response: ServerResponse; failed: Promise<unknown>; received: Promise<string> }> {
  server = createServer().listen(0, '127.0.0.1');
  rejectMalformedHttp(server);
  await once(server, 'listening');
  const requested = once(server, 'request') as Promise<[unknown, ServerResponse]>;
  const failed = new Promise((resolve) => server.once('clientError', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(data);
  const received = text(socket).catch(() => 'reset');
  const [, response] = await requested;
  return { response, failed, received };
}

const first = 'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';

it.each([
  ['garbage', 'GARBAGE\r\n\r\n'],
  ['headers that are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
])('a request in progress gets its own response if %s follow on its connection', async (_, garbage) => {
  const { response, failed, received } = await send(first + garbage);
  await failed;
  response.writeHead(201).end('made');
  expect(await received).toMatch(/^HTTP\/1\.1 201 Created\r\n.*Connection: close\r\n.*made/s);
});

it('a request in progress gets no response instead of a wrong one if CONNECT follows on its connection', async () => {
  const { received } = await send(`${first}CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(await received).not.toContain('405');
});

it('400 for a request whose own body is malformed', async () => {
  const { received } = await send('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n');
  expect(await received).toMatch(/^HTTP\/1\.1 400 /);
});
