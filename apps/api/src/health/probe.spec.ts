import { Probe } from './probe.js';

it('a probe responds at once while its check is slow, and reports the outcome once the check has ended', async () => {
  let end = (): void => undefined;
  const work = jest.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const timers = jest.spyOn(AbortController.prototype, 'abort');
  const probe = new Probe(work, { everyMs: 60_000, retryMs: 60_000, timeoutMs: 1 });

  expect(await probe.failure()).toMatchObject({ message: 'No response within 1 ms' });
  expect(timers).toHaveBeenCalledTimes(1);
  expect(await probe.failure()).toMatchObject({ message: 'No response within 1 ms' });
  // The second call did not wait.
  expect(timers).toHaveBeenCalledTimes(1);
  end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await probe.failure()).toBeNull();
  expect(work).toHaveBeenCalledTimes(1);
});

it('a probe checks again soon after a failure, but not after a success', async () => {
  const work = jest.fn().mockRejectedValueOnce(new Error('full')).mockResolvedValue(undefined);
  const probe = new Probe(work, { everyMs: 60_000, retryMs: 0, timeoutMs: 60_000 });
  expect([await probe.failure(), await probe.failure(), await probe.failure()]).toEqual([
    new Error('full'),
    null,
    null,
  ]);
  expect(work).toHaveBeenCalledTimes(2);
});
