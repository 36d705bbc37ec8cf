import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { ConcurrencyLimiter } from '../concurrency-limiter.js';
import { Unauthorized } from '../errors/wire-errors.js';
import { sendParts } from './send-parts.js';
import type { AuthenticatedRequest } from './principal.js';
import { inRequestOf } from './request-origin.js';
import { RequestSlot } from './request-slot.js';

let server: Server;
let isRevoked = false;
const ended: string[] = [];
const limiter = new ConcurrencyLimiter({ width: 100, maxWaitingPerKey: 1, maxWaiting: 1, rejection: 'Too many.' });
const slot = new RequestSlot(limiter, 'a');

async function* endless(): AsyncGenerator<string> {
  try {
    for (;;) {
      yield '"a part", ';
      await new Promise(setImmediate);
    }
  } finally {
    ended.push('endless');
  }
}

async function* failing(): AsyncGenerator<string> {
  yield '[';
  await Promise.resolve();
  throw new Error('The database is gone');
}

/** Yields one part and then waits for ever, so that only the credential can end the response. */
async function* waiting(): AsyncGenerator<string> {
  yield '[';
  await new Promise(() => undefined);
}

async function* whole(): AsyncGenerator<string> {
  yield '[';
  await Promise.resolve();
  yield ']';
}

const sources: Record<string, () => AsyncGenerator<string>> = { endless, failing, waiting, whole };

beforeAll(async () => {
  Logger.overrideLogger(false);
  const recheckAccess = () => (isRevoked ? Promise.reject(new Unauthorized('It was revoked.')) : Promise.resolve());
  server = createServer((request, response) => {
    const parts = sources[(request.url ?? '').slice(1)]?.() ?? endless();
    const authenticated = Object.assign(request, { recheckAccess }) as unknown as AuthenticatedRequest;
    void inRequestOf({ ip: undefined, requestId: 'r', slot }, () => sendParts(authenticated, response, parts));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => (isRevoked = false));

const get = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`);

it.each(['endless', 'waiting'])(
  'sendParts ends a response within seconds after its credential is revoked, even if the response is %s',
  async (path) => {
    const reply = await get(path);
    expect(reply.status).toBe(200);
    isRevoked = true;
    await expect(reply.text()).rejects.toThrow('terminated');
  },
);

it('sendParts closes the source of a response that it cuts off', () => {
  expect(ended).toEqual(['endless']);
});

it('sendParts cuts off a response whose source fails midway', async () => {
  await expect(get('failing').then((reply) => reply.text())).rejects.toThrow('terminated');
});

it("sendParts takes the request's slot again for each part after the first", async () => {
  const within = jest.spyOn(slot, 'within');
  expect(await (await get('whole')).text()).toBe('[]');
  // `sendParts` calls `within` for the second part and for the end of the response.
  expect(within).toHaveBeenCalledTimes(2);
  within.mockRestore();
});
