import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { rejectMalformedHttp } from './malformed-http.js';

let server: Server;

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

interface Exchange {
  readonly socket: Socket;
  /** The responses to the requests so far, which the test must end. */
  readonly responses: readonly ServerResponse[];
  /** The response to the first request. */
  readonly response: ServerResponse;
  /** Resolves at the parser's first error. */
  readonly failed: Promise<unknown>;
  /** All that the server sends. */
  readonly received: Promise<string>;
}

/** Sends data on one connection, and waits for its first request. */
async function send(data: string): Promise<Exchange> {
  server = createServer().listen(0, '127.0.0.1');
  rejectMalformedHttp(server);
  await once(server, 'listening');
  const responses: ServerResponse[] = [];
  server.on('request', (_request, response) => responses.push(response));
  const requested = once(server, 'request') as Promise<[unknown, ServerResponse]>;
  const failed = new Promise((resolve) => server.once('clientError', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(data);
  const received = text(socket).catch(() => 'reset');
  const [, response] = await requested;
  return { socket, responses, response, failed, received };
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

it.each(['in order', 'the last first'])(
  'every complete request in progress gets its own response if garbage follows on its connection (%s)',
  async (order) => {
    const { responses, failed, received } = await send(`${first}${first}GARBAGE\r\n\r\n`);
    await failed;
    const ends = responses.map((response, index) => () => response.writeHead(201).end(`made ${index}`));
    for (const end of order === 'in order' ? ends : ends.reverse()) end();
    expect(await received).toMatch(/^HTTP\/1\.1 201 .*made 0.*HTTP\/1\.1 201 .*Connection: close\r\n.*made 1/s);
  },
);

it('a complete request gets its own response if the next request on its connection is malformed', async () => {
  const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n';
  const { response, failed, received } = await send(first + chunked);
  await failed;
  response.writeHead(201).end('made');
  expect(await received).toMatch(/^HTTP\/1\.1 201 Created\r\n.*made/s);
});

it('a response that has begun is sent completely if garbage follows on its connection', async () => {
  const { socket, responses, response, failed, received } = await send(first + first);
  while (responses.length < 2) await once(server, 'request');
  responses[1]?.writeHead(202).end('second');
  response.writeHead(201).write('begun, ');
  socket.write('GARBAGE\r\n\r\n');
  await failed;
  response.end('ended');
  expect(await received).toMatch(/^HTTP\/1\.1 201 .*begun, .*ended.*HTTP\/1\.1 202 .*second/s);
});

it('a request in progress gets no response instead of a wrong one if CONNECT follows on its connection', async () => {
  const { received } = await send(`${first}CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(await received).not.toContain('405');
});

it('400 for a request whose own body is malformed', async () => {
  const { received } = await send('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n');
  expect(await received).toMatch(/^HTTP\/1\.1 400 /);
});
