import { getEventListeners } from 'node:events';
import { withAnySignal } from './any-signal.js';

const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason));
  });

it('withAnySignal aborts the work with the reason of the first signal that aborts', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const ended = withAnySignal([one.signal, other.signal], aborted);
  other.abort('first');
  one.abort('second');
  expect(await ended).toBe('first');
});

it('withAnySignal gives the work an aborted signal if one of the signals has already aborted', async () => {
  expect(await withAnySignal([new AbortController().signal, AbortSignal.abort('before')], aborted)).toBe('before');
});

it('withAnySignal leaves no listener on the signals, whether the work succeeds or fails', async () => {
  const { signal } = new AbortController();
  expect(await withAnySignal([signal], () => Promise.resolve('done'))).toBe('done');
  await expect(withAnySignal([signal], () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  // Node keeps the references of `AbortSignal.any` under a symbol with this description.
  const kept = Object.getOwnPropertySymbols(signal).filter(({ description }) => description === 'kDependantSignals');
  expect(kept).toEqual([]);
});
