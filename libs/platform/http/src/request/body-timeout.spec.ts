import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { rejectMalformedHttp } from '../errors/malformed-http.js';
import { allowSlowBody, limitBodyTime, withinIdleTime } from './body-timeout.js';

let server: Server;

afterEach(() => {
  jest.useRealTimers();
  server.close();
  server.closeAllConnections();
});

/**
 * Sends the beginning of a body.
 * @returns everything that the server sends until the connection ends
 */
async function begin(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  server = createServer((request, response) =>
    limitBodyTime(request as Request, response as Response, () => handle(request, response)),
  ).listen(0, '127.0.0.1');
  rejectMalformedHttp(server);
  await once(server, 'listening');
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const requested = once(server, 'request');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  const ended = once(socket, 'end').then(() => text);
  await requested;
  return { socket, ended };
}

describe('time limits of bodies', () => {
  it('408 for a body that has not arrived after two minutes', async () => {
    const { ended } = await begin(() => undefined);
    jest.advanceTimersByTime(119_000);
    jest.advanceTimersByTime(2_000);
    expect(await ended).toMatch(/^HTTP\/1.1 408 /);
  });

  it('408 for a body of which less than 20 KiB arrive in 20 seconds while it is read', async () => {
    const { ended } = await begin((request) => void request.resume());
    jest.advanceTimersByTime(41_000);
    expect(await ended).toMatch(/^HTTP\/1.1 408 /);
  });

  it('the server ends the connection of an unread body five seconds after the response', async () => {
    const { ended, socket } = await begin((_request, response) => void response.end('no'));
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    await once(socket, 'data');
    jest.advanceTimersByTime(6_000);
    await Promise.race([closed, ended]);
    expect(socket.destroyed || socket.readableEnded).toBe(true);
  });

  it('a body has no time limit if the route allows slow bodies', async () => {
    const { ended, socket } = await begin((request, response) => {
      allowSlowBody(request);
      request.resume().on('end', () => response.end('done'));
    });
    jest.advanceTimersByTime(300_000);
    jest.useRealTimers();
    socket.write('234567');
    socket.end();
    expect(await ended).toMatch(/done$/);
  });

  it('408 for a slow body that pauses for longer than its reader waits', async () => {
    const { ended } = await begin((request) => {
      allowSlowBody(request);
      void withinIdleTime(request, 60_000, new Promise(() => undefined));
    });
    jest.advanceTimersByTime(59_000);
    jest.advanceTimersByTime(2_000);
    expect(await ended).toMatch(/^HTTP\/1.1 408 /);
  });
});
