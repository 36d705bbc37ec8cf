import { Probe } from './probe.js';

it('a probe responds immediately during a slow check, and reports its result later', async () => {
  let end = (): void => undefined;
  const work = jest.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const timers = jest.spyOn(AbortController.prototype, 'abort');
  const probe = new Probe(work, { everyMs: 60_000, retryMs: 60_000, timeoutMs: 1, bucketGraceMs: 0 });

  expect(await probe.failure()).toMatchObject({ message: 'No response within 1 ms' });
  expect(timers).toHaveBeenCalledTimes(1);
  expect(await probe.failure()).toMatchObject({ message: 'No response within 1 ms' });
  // The second call has set no timer, because it did not wait.
  expect(timers).toHaveBeenCalledTimes(1);
  end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await probe.failure()).toBeNull();
  expect(work).toHaveBeenCalledTimes(1);
});

it('a probe checks again soon after a failure, but later after a success', async () => {
  const work = jest.fn().mockRejectedValueOnce(new Error('full')).mockResolvedValue(undefined);
  const probe = new Probe(work, { everyMs: 60_000, retryMs: 0, timeoutMs: 60_000, bucketGraceMs: 0 });
  expect([await probe.failure(), await probe.failure(), await probe.failure()]).toEqual([
    new Error('full'),
    null,
    null,
  ]);
  expect(work).toHaveBeenCalledTimes(2);
});

describe('a probe that tolerates failures for a while', () => {
  const pace = { everyMs: 0, retryMs: 0, timeoutMs: 60_000, bucketGraceMs: 0 };
  let now = 0;
  beforeEach(() => jest.spyOn(performance, 'now').mockImplementation(() => now));
  afterEach(() => jest.restoreAllMocks());

  it('a probe reports a failure immediately if the check has never succeeded', async () => {
    const probe = new Probe(
      () => Promise.reject(new Error('away')),
      pace,
      () => 20_000,
    );
    expect(await probe.failure()).toEqual(new Error('away'));
  });

  it('a probe reports a failure only after the grace period, which begins again after a success', async () => {
    const work = jest.fn().mockResolvedValue(undefined);
    const probe = new Probe(work, pace, () => 20_000);
    expect(await probe.failure()).toBeNull();
    for (const round of [1, 2]) {
      work.mockRejectedValue(new Error(`away ${round}`));
      expect(await probe.failure()).toBeNull();
      now += 19_999;
      expect(await probe.failure()).toBeNull();
      now += 2;
      expect(await probe.failure()).toEqual(new Error(`away ${round}`));
      work.mockResolvedValue(undefined);
      expect(await probe.failure()).toBeNull();
    }
  });

  it('a probe tolerates checks that exceed the time limit but then succeed', async () => {
    let end = (): void => undefined;
    const work = jest.fn(() => new Promise<void>((resolve) => (end = resolve)));
    const probe = new Probe(work, { ...pace, timeoutMs: 1 }, () => 20_000);
    expect(await probe.failure()).toMatchObject({ message: 'No response within 1 ms' });
    for (let check = 0; check < 3; check++) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
      now += 15_000;
      expect(await probe.failure()).toBeNull();
    }
    now += 20_000;
    expect(await probe.failure()).toMatchObject({ message: 'No response within 1 ms' });
  });
});
