import { Backoff } from './backoff.js';

const problem = { outcome: 'retry', reason: 'No response.' } as const;

it('Backoff doubles the pauses up to the maximum, and shortens each pause at random by up to half', () => {
  const backoff = new Backoff(1_000, 60_000);
  for (const full of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
    backoff.failed(problem, 0, false);
    expect(backoff.current(0)?.seconds).toBeGreaterThanOrEqual(full / 2);
    expect(backoff.current(0)?.seconds).toBeLessThanOrEqual(full);
    expect(backoff.current(full * 1_000)).toBeNull();
  }
});

it('Backoff gives different nodes different pauses', () => {
  const ends = Array.from({ length: 20 }, () => {
    const backoff = new Backoff(60_000, 60_000);
    backoff.failed(problem, 0, false);
    return Array.from({ length: 61 }, (_, second) => second).find((second) => !backoff.current(second * 1_000));
  });
  expect(new Set(ends).size).toBeGreaterThan(3);
});

it('Backoff can skip the pause after the first failure since a success', () => {
  const backoff = new Backoff(1_000, 60_000);
  backoff.failed(problem, 0, true);
  expect(backoff.current(0)).toBeNull();
  backoff.failed(problem, 0, true);
  expect(backoff.current(0)?.problem).toBe(problem);
  backoff.succeeded();
  expect(backoff.current(0)).toBeNull();
  backoff.failed(problem, 0, true);
  expect(backoff.current(0)).toBeNull();
});
