import type { DiscoveryService } from '@nestjs/core';
import { Listens } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { PassChangeNotifier } from './pass-change-notifier.service.js';
import { PassListener } from './pass.listener.js';

const pass = { accountId: 'acc_1', serialNumber: 's1' };
const tx = {} as EntityManager;

/** Returns a notifier with one listener for each of these functions. */
function notifierOf(...answers: (() => Promise<void>)[]): PassChangeNotifier {
  const instances = answers.map((passesChanged) => {
    @Listens(PassListener)
    class Scripted extends PassListener {
      override passesChanged = passesChanged;
      override templateChanged = () => Promise.resolve();
    }
    return new Scripted();
  });
  const getProviders = () => instances.map((instance) => ({ instance }));
  return new PassChangeNotifier({ getProviders } as unknown as DiscoveryService);
}

it('PassChangeNotifier calls all listeners before any listener has finished', async () => {
  const called: number[] = [];
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const listener = (n: number) => () => {
    called.push(n);
    return answered;
  };
  const notified = notifierOf(listener(1), listener(2)).passChanged(tx, pass);
  expect(called).toEqual([1, 2]);
  answer();
  await notified;
});

it('PassChangeNotifier fails with the first error, but only after all listeners have finished', async () => {
  const events: string[] = [];
  let finish: () => void = () => undefined;
  const working = new Promise<void>((resolve) => (finish = resolve));
  const failing = () => {
    throw new Error('first');
  };
  const slow = () => working.then(() => void events.push('slow listener ended'));
  const notified = notifierOf(failing, slow, () => Promise.reject(new Error('second')))
    .passChanged(tx, pass)
    .catch((error: Error) => void events.push(error.message));
  await new Promise(setImmediate);
  finish();
  await notified;
  expect(events).toEqual(['slow listener ended', 'first']);
});

it('PassChangeNotifier throws the first error, because later errors may only say that the transaction has failed', async () => {
  const late = () => new Promise<void>((_, reject) => setImmediate(() => reject(new Error('late'))));
  const notified = notifierOf(late, () => Promise.reject(new Error('early'))).passChanged(tx, pass);
  await expect(notified).rejects.toThrow('early');
});
