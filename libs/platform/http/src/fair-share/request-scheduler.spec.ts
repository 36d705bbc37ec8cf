import { RequestScheduler } from './request-scheduler.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Starts requests in the order of their names, which begin with the letter of the caller, and waits until all have
 * begun.
 */
async function begin(names: string[]): Promise<{ name: string; turn: number }[]> {
  const turns = new RequestScheduler(5000);
  const begun: { name: string; turn: number }[] = [];
  let count = 0;
  let ticker = setImmediate(function tick() {
    count += 1;
    ticker = setImmediate(tick);
  });
  for (const name of names) turns.take(name.charAt(0), () => begun.push({ name, turn: count }));
  while (begun.length < names.length) await turn();
  clearImmediate(ticker);
  return begun;
}

it('RequestScheduler starts a lone request immediately', async () => {
  expect(await begin(['a1'])).toEqual([{ name: 'a1', turn: 0 }]);
});

it('RequestScheduler starts one request per turn of the event loop, however many arrive together', async () => {
  const begun = await begin(Array.from({ length: 100 }, (_, n) => `a${n}`));
  expect(new Set(begun.map((one) => one.turn)).size).toBe(100);
  expect(begun.map(({ name }) => name)).toEqual(Array.from({ length: 100 }, (_, n) => `a${n}`));
});

it('RequestScheduler alternates between callers, however many requests one of them sent first', async () => {
  const begun = await begin(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
  expect(begun.map(({ name }) => name)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

it('RequestScheduler rejects requests that have waited too long, instead of starting them', async () => {
  const turns = new RequestScheduler(0);
  const names: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1']) {
    turns.take(
      name.charAt(0),
      () => names.push(`begun ${name}`),
      () => names.push(`rejected ${name}`),
    );
  }
  while (names.length < 4) await turn();
  expect(names).toEqual(['begun a1', 'rejected a2', 'rejected b1', 'rejected a3']);
});

it('RequestScheduler keeps working after thousands of rejections', async () => {
  const turns = new RequestScheduler(0);
  const rejected = jest.fn();
  for (let at = 0; at <= 2000; at += 1) turns.take('a', jest.fn(), rejected);
  while (rejected.mock.calls.length < 2000) await turn();
  await turn();
  const begun = jest.fn();
  turns.take('b', begun);
  expect(begun).toHaveBeenCalledTimes(1);
});
