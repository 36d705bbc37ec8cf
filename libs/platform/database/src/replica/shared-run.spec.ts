import { SharedRun } from './shared-run.js';

it('callers that ask before a run begins share that run, and later callers get the next run', async () => {
  const ends: ((value: number) => void)[] = [];
  const shared = new SharedRun(() => new Promise<number>((resolve) => ends.push(resolve)));
  const first = [shared.run(), shared.run()];
  await Promise.resolve();
  const second = [shared.run(), shared.run()];
  expect(ends).toHaveLength(1);
  ends[0]?.(1);
  expect(await Promise.all(first)).toEqual([1, 1]);
  await Promise.resolve();
  expect(ends).toHaveLength(2);
  ends[1]?.(2);
  expect(await Promise.all(second)).toEqual([2, 2]);
});

it('a failed run rejects its callers and does not prevent the next run', async () => {
  let runs = 0;
  const shared = new SharedRun(() => (++runs === 1 ? Promise.reject(new Error('away')) : Promise.resolve(runs)));
  await expect(shared.run()).rejects.toThrow('away');
  expect(await shared.run()).toBe(2);
});
