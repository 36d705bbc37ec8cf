import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket, Server as SocketServer } from 'node:net';
import { testDatabase } from '@passwright/testing';
import { TestApp } from '../test-app.fixtures.js';

let url: string;
beforeAll(async () => {
  ({ url } = await testDatabase());
});

interface Outcome {
  readonly status?: number;
  readonly connection?: string;
  readonly failure?: string;
}

function get(target: string, agent: Agent): Promise<Outcome> {
  return new Promise((resolve) => {
    const sent = request(target, { agent, headers: { Authorization: 'Bearer a' } }, (response) => {
      response.resume();
      response.once('end', () => resolve({ status: response.statusCode, connection: response.headers.connection }));
      response.once('error', ({ message }) => resolve({ failure: message }));
    });
    sent.once('error', (error: NodeJS.ErrnoException) => resolve({ failure: error.code }));
    sent.end();
  });
}

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n\r\n`;

/** Sends one request after another on a kept-alive connection until the server accepts no more. */
async function busyClient(target: string): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const outcomes: Outcome[] = [];
  do outcomes.push(await get(target, agent));
  while (outcomes.at(-1)?.failure === undefined);
  agent.destroy();
  return outcomes;
}

/** Stops an app during a request that lasts until the test calls `open`. */
async function stopDuring(path: string) {
  const app = await TestApp.start(url);
  const { url: address, things } = app;
  let open: () => void = () => undefined;
  things.barrier = new Promise((resolve) => (open = resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const first = get(`${address}${path}`, agent);
  while (things.runs === 0) await new Promise(setImmediate);
  const stopped = app.stop();
  while (app.app.getHttpServer().listening) await new Promise(setImmediate);
  return { address, agent, first, open, stopped };
}

it('the app stops while clients keep sending, without cutting off any of their requests', async () => {
  const app = await TestApp.start(url);
  const clients = Array.from({ length: 8 }, () => busyClient(`${app.url}/v1/things/7`));
  await get(`${app.url}/v1/things/7`, new Agent());
  await app.stop();
  for (const outcomes of await Promise.all(clients)) {
    // A client gets a reset if its new connection was not accepted yet.
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(outcomes.pop()?.failure);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200]));
    expect(outcomes.at(-1)?.connection).toBe('close');
  }
});

it('a stopping app accepts one more request on a connection whose response had begun before the stop', async () => {
  const intervals = jest.spyOn(globalThis, 'setInterval');
  const { address, agent, first, open, stopped } = await stopDuring('/v1/halves');
  // After half a second, the stop closes idle connections ten times a second.
  let closeIdle: (() => void) | undefined;
  do await new Promise(setImmediate);
  while (!(closeIdle = intervals.mock.calls.find(([, ms]) => ms === 100)?.[0]));
  intervals.mockRestore();
  // Stop the clock, because on a busy machine the half second could pass before the client sends the request.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  open();
  expect(await first).toEqual({ status: 200, connection: 'keep-alive' });
  for (let checks = 0; checks < 2; checks++) closeIdle();
  expect(await get(`${address}/v1/things/7`, agent)).toEqual({ status: 200, connection: 'close' });
  clock.mockRestore();
  await stopped;
  agent.destroy();
});

it('a stopping app closes idle connections although the response of another connection is stuck', async () => {
  const app = await TestApp.start(url);
  app.things.barrier = new Promise(() => undefined);
  const accepted = once(app.app.getHttpServer() as never, 'connection');
  const idle = new Agent({ keepAlive: true });
  expect(await get(`${app.url}/v1/things/7`, idle)).toMatchObject({ status: 200, connection: 'keep-alive' });
  const [connection] = (await accepted) as [Socket];
  const closed = once(connection, 'close');
  const stuck = connect(app.port, '127.0.0.1', () => stuck.write(requestOf('/v1/halves'))).on('error', () => undefined);
  await once(stuck, 'data');
  const stopped = app.stop();
  await closed;
  expect(stuck.closed).toBe(false);
  stuck.destroy();
  await stopped;
  idle.destroy();
});

it('a stopping app does not cut off a complete response whose client reads it slowly', async () => {
  const app = await TestApp.start(url);
  let open: () => void = () => undefined;
  app.things.barrier = new Promise((resolve) => (open = resolve));
  const reader = connect(app.port, '127.0.0.1', () => reader.write(requestOf('/v1/huge'))).pause();
  while (app.things.runs === 0) await new Promise(setImmediate);
  const checks = jest.spyOn(globalThis, 'setInterval');
  const stopped = app.stop();
  let closeIdle: (() => void) | undefined;
  do await new Promise(setImmediate);
  while (!(closeIdle = checks.mock.calls.find(([, ms]) => ms === 100)?.[0]));
  checks.mockRestore();
  open();
  while (app.things.runs === 1) await new Promise(setImmediate);
  closeIdle();
  let read = 0;
  for await (const chunk of reader) read += (chunk as Buffer).length;
  expect(read).toBeGreaterThan(64 * 2 ** 20);
  await stopped;
});

it('the response to a request in progress announces at the stop that its connection will close', async () => {
  const { first, open, stopped } = await stopDuring('/v1/waits');
  open();
  expect(await first).toEqual({ status: 200, connection: 'close' });
  await stopped;
});

it('a stopping app closes idle connections, and others as soon as they become idle', async () => {
  const app = await TestApp.start(url);
  const agent = new Agent({ keepAlive: true });
  expect(await get(`${app.url}/v1/things/7`, agent)).toMatchObject({ status: 200, connection: 'keep-alive' });
  let open: () => void = () => undefined;
  app.things.barrier = new Promise((resolve) => (open = resolve));
  const runs = app.things.runs;
  const slow = fetch(`${app.url}/v1/things`, {
    method: 'POST',
    headers: { Authorization: 'Bearer a', 'Content-Type': 'application/json' },
    body: '{"name":"slow"}',
  });
  while (app.things.runs === runs) await new Promise(setImmediate);
  const stopped = app.stop();
  open();
  expect((await slow).status).toBe(201);
  await stopped;
  agent.destroy();
});

it('a stopping app closes connections that have sent no data, without waiting for their headers', async () => {
  const app = await TestApp.start(url);
  const accepted = once(app.app.getHttpServer() as never, 'connection');
  const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
  await accepted;
  const closed = once(socket, 'close');
  await app.stop();
  await closed;
});

it.each([
  ['a line break', '\r\n'],
  ['the beginning of a request', 'GET /v1/things'],
])(
  'a stopping app closes a connection on which %s follows a request, before it cuts off requests',
  async (_, bytes) => {
    const app = await TestApp.start(url, 0, undefined, { stopWithinMs: 60_000 });
    const socket = connect(app.port, '127.0.0.1');
    socket.write(requestOf('/v1/things/7'));
    await once(socket, 'data');
    socket.resume().write(bytes);
    const closed = once(socket, 'close');
    await app.stop();
    await closed;
  },
);

it.each<[string, (server: SocketServer) => unknown]>([
  ['that listens', () => undefined],
  // The server is in this state while a worker is being replaced.
  ['that has stopped listening before', (server: SocketServer) => SocketServer.prototype.close.call(server)],
])('the stop of an app %s cuts off a request that takes too long, and logs it', async (_, before) => {
  const app = await TestApp.start(url, 0, undefined, { stopWithinMs: 1000 });
  const server = app.app.getHttpServer() as SocketServer;
  const accepted = once(server, 'request');
  const head = 'POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nContent-Type: application/json\r\n';
  const unfinished = app.raw(`${head}Content-Length: 100\r\n\r\n{`);
  await accepted;
  before(server);
  await app.stop();
  expect(await unfinished.catch(() => '')).toBe('');
  expect(app.logged).toContain('The stop cuts off requests in progress; connections: 1');
});
