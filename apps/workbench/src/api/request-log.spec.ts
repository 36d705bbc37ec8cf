import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { RequestLog } from './request-log.js';

/** Responds to /kept, cuts the connection of /cut, and leaves other requests open. */
let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer(({ url }, response) => {
    if (url === '/kept') response.end();
    if (url === '/cut') response.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const statuses = (log: RequestLog) => log.entries.get().map(({ path, status }) => [path, status]);

it('RequestLog shows a request that the page cancels as cancelled, and not as one without a response', async () => {
  const log = new RequestLog();
  await log.fetch(`${origin}/kept`, {});
  await expect(log.fetch(`${origin}/cut`, {})).rejects.toThrow('fetch failed');
  const leaving = new AbortController();
  const left = log.fetch(`${origin}/left`, { signal: leaving.signal });
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  expect(statuses(log)).toEqual([
    ['/left', 'cancelled'],
    ['/cut', 0],
    ['/kept', 200],
  ]);
});

it('RequestLog shows a request that exceeds its time limit as one without a response', async () => {
  const log = new RequestLog();
  await expect(log.fetch(`${origin}/slow`, { signal: AbortSignal.timeout(1) })).rejects.toThrow('timeout');
  expect(statuses(log)).toEqual([['/slow', 0]]);
});
