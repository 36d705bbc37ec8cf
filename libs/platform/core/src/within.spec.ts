import { within } from './within.js';

it('within returns the result of work that ends in time, and throws its error', async () => {
  expect(await within(60_000, Promise.resolve(7))).toBe(7);
  await expect(within(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

it('within throws when the time is over, and ignores a later failure of the work', async () => {
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, reject) => (fail = reject));
  await expect(within(5, work)).rejects.toThrow('no response in 0.005 s');
  fail(new Error('too late'));
  // Node would report an unhandled rejection in this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
});
