import { RequestScheduler } from './request-scheduler.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Starts requests in the order of their names and waits until all have begun. The first letter of a name is the caller.
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

it('RequestScheduler starts four requests per turn of the event loop, even if more arrive together', async () => {
  const begun = await begin(Array.from({ length: 100 }, (_, n) => `a${n}`));
  const perTurn = new Map<number, number>();
  for (const { turn } of begun) perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
  expect([...perTurn.values()]).toEqual(Array(25).fill(4));
  expect(begun.map(({ name }) => name)).toEqual(Array.from({ length: 100 }, (_, n) => `a${n}`));
});

it('RequestScheduler alternates between callers, even if one of them sent many requests first', async () => {
  const begun = await begin(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b1', 'b2', 'c1']);
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'a6', 'b2', 'a7'];
  expect(begun.map(({ name }) => name)).toEqual(names);
});

it('RequestScheduler rejects requests that have waited too long', async () => {
  const turns = new RequestScheduler(0);
  const names: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1']) {
    turns.take(
      name.charAt(0),
      () => names.push(`begun ${name}`),
      () => names.push(`rejected ${name}`),
    );
  }
  while (names.length < 7) await turn();
  const begun = ['begun a1', 'begun a2', 'begun a3', 'begun a4'];
  expect(names).toEqual([...begun, 'rejected a5', 'rejected b1', 'rejected a6']);
});

it('RequestScheduler keeps working after thousands of rejections', async () => {
  const turns = new RequestScheduler(0);
  const rejected = jest.fn();
  for (let at = 0; at < 2004; at += 1) turns.take('a', jest.fn(), rejected);
  while (rejected.mock.calls.length < 2000) await turn();
  await turn();
  const begun = jest.fn();
  turns.take('b', begun);
  expect(begun).toHaveBeenCalledTimes(1);
});
