import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ConcurrencyLimiter, randomId } from '@passwright/core';
import { FixedClock, testDatabase } from '@passwright/testing';
import { revokedCredentials, TestApp } from '../test-app.fixtures.js';
import { FairShareGuard } from './fair-share.guard.js';
import { RequestScheduler } from './request-scheduler.js';

let app: TestApp;
let open: () => void;
beforeEach(async () => {
  app = await TestApp.start((await testDatabase()).url, 0, new FixedClock(), { requestsAtOnce: 4 });
  app.things.barrierBeforeWriting = new Promise((resolve) => (open = resolve));
});
afterEach(async () => {
  open();
  await app.stop();
});

type Headers = Readonly<Record<'Authorization' | 'X-Forwarded-For', string>>;

/** Returns the headers of a new caller with a known credential and its own address. */
async function knownCaller(): Promise<Headers> {
  const headers = { Authorization: `Bearer acc_${randomId()}`, 'X-Forwarded-For': '203.0.113.9' };
  expect((await read(headers)).status).toBe(200);
  return headers;
}

function read(headers: Headers): Promise<Response> {
  return fetch(`${app.url}/v1/things/7`, { headers, signal: AbortSignal.timeout(4000) });
}

/**
 * Sends a request that works until the test calls `open`.
 * @returns the status
 */
async function work(headers: Headers): Promise<number> {
  const body = JSON.stringify({ name: 'work' });
  const type = { 'Content-Type': 'application/json' };
  const response = await fetch(`${app.url}/v1/things/1`, { method: 'PUT', headers: { ...headers, ...type }, body });
  return response.status;
}

async function runs(count: number): Promise<void> {
  while (app.things.runs < count) await pause(5);
}

it('a node limits how many requests of one caller run at a time, and serves another caller meanwhile', async () => {
  const [greedy, stranger] = [await knownCaller(), await knownCaller()];
  const working = Array.from({ length: 10 }, () => work(greedy));
  await runs(1);
  expect((await read(stranger)).status).toBe(200);
  expect(app.things.runs).toBeLessThanOrEqual(2);
  open();
  expect(await Promise.all(working)).toEqual(Array(10).fill(200));
});

it('a node counts all unknown credentials from one address as one caller', async () => {
  const known = await knownCaller();
  const unknown = () => ({ Authorization: `Bearer acc_${randomId()}`, 'X-Forwarded-For': '203.0.113.9' });
  const working = Array.from({ length: 10 }, () => work(unknown()));
  await runs(1);
  expect((await read(known)).status).toBe(200);
  expect(app.things.runs).toBeLessThanOrEqual(2);
  open();
  await Promise.all(working);
});

it("a node counts requests with a revoked credential toward the client's address, not the account", async () => {
  const enter = jest.spyOn(ConcurrencyLimiter.prototype, 'enterNow');
  const headers = await knownCaller();
  await read(headers);
  revokedCredentials.add(headers.Authorization);
  expect((await read(headers)).status).toBe(401);
  await read(headers);
  const account = `account:${headers.Authorization.slice('Bearer '.length)}`;
  const address = 'address:203.0.113.9';
  expect(enter.mock.calls.map(([key]) => key)).toEqual([address, account, account, address]);
  enter.mockRestore();
});

it('requests whose bodies are still arriving occupy no slot of a node', async () => {
  const caller = await knownCaller();
  const heads = Object.entries(caller).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `PUT /v1/things/1 HTTP/1.1\r\nHost: x\r\n${heads.join('')}Content-Type: application/json\r\n`;
  const sockets = Array.from({ length: 6 }, () => connect(app.port, '127.0.0.1'));
  const arrivals = sockets.map(() => once(app.app.getHttpServer() as never, 'request'));
  for (const socket of sockets) socket.write(`${request}Content-Length: 100\r\n\r\n{`);
  await Promise.all(arrivals);
  expect((await read(caller)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

it('a node responds to health probes while every slot is taken', async () => {
  const [one, other, third] = [await knownCaller(), await knownCaller(), await knownCaller()];
  const working = [one, one, other, third].map((caller) => work(caller));
  await runs(3);
  expect((await fetch(`${app.url}/v1/probe`)).status).toBe(200);
  open();
  await Promise.all(working);
});

it('a node keeps serving requests after a client has disconnected while waiting', async () => {
  const greedy = await knownCaller();
  const first = [work(greedy), work(greedy)];
  await runs(2);
  await expect(
    fetch(`${app.url}/v1/things/7`, { headers: greedy, signal: AbortSignal.timeout(200) }),
  ).rejects.toThrow();
  open();
  expect(await Promise.all(first)).toEqual([200, 200]);
  expect(await Promise.all([work(greedy), work(greedy), work(greedy)])).toEqual([200, 200, 200]);
});

it('503 not_ready for a request that has waited too long for its slot', async () => {
  const take = jest.spyOn(RequestScheduler.prototype, 'take');
  take.mockImplementation((_caller, begin, reject = begin) => reject());
  const response = await fetch(`${app.url}/v1/things/7`);
  take.mockRestore();
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toMatchObject({ code: 'not_ready' });
});

it('a node starts at most four pipelined requests of one connection in each turn of the event loop', async () => {
  let turns = 0;
  const turnOf: number[] = [];
  let ticker = setImmediate(function tick() {
    turns += 1;
    ticker = setImmediate(tick);
  });
  const guard = jest.spyOn(app.app.get(FairShareGuard), 'canActivate');
  guard.mockImplementation(() => Promise.resolve(turnOf.push(turns) > 0));
  const request = (more: string) => `GET /v1/probe HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const responses = await app.raw(`${request('').repeat(19)}${request('Connection: close\r\n')}`);
  clearImmediate(ticker);
  expect(responses.match(/HTTP\/1.1 200/g)).toHaveLength(20);
  expect(new Set(turnOf).size).toBe(5);
});
