import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import type { AuthenticatedRequest, Principal } from '@passwright/core';
import type { HoldersService } from './holders.service.js';
import { PrivacyController } from './privacy.controller.js';

const log = jest.spyOn(Logger.prototype, 'error').mockImplementation();
beforeEach(() => log.mockClear());

/**
 * Runs an export that yields these parts. Returns the response that a client receives, and a promise of the end of the
 * handler.
 */
async function exporting(parts: () => AsyncGenerator<string>) {
  const controller = new PrivacyController({ export: parts } as unknown as HoldersService);
  const caller = { accountId: 'acc_1' } as Principal;
  let handled: Promise<void> | undefined;
  const server = createServer((incoming, response: ServerResponse) => {
    const request = incoming as unknown as AuthenticatedRequest;
    handled = controller.export(caller, { email: 'ada@example.com' }, request, response);
  }).listen(0);
  const request = get({ port: (server.address() as AddressInfo).port });
  const [reply] = (await once(request, 'response')) as [IncomingMessage];
  return { reply, handled, stop: () => server.close() };
}

it('an export that fails midway is cut off and logged', async () => {
  const { reply, handled, stop } = await exporting(async function* () {
    yield '{"passes":[';
    await Promise.reject(new Error('no database'));
  });
  const cut = expect(reply.toArray()).rejects.toThrow('aborted');
  await handled;
  await cut;
  expect(log.mock.calls).toEqual([
    [{ msg: 'A response broke off', err: expect.objectContaining({ message: 'no database' }) }],
  ]);
  stop();
});

it('an export whose caller disconnects is not logged as a failure', async () => {
  const { reply, handled, stop } = await exporting(async function* () {
    for (;;) yield await Promise.resolve('x'.repeat(100_000));
  });
  reply.destroy();
  await handled;
  expect(log).not.toHaveBeenCalled();
  stop();
});
