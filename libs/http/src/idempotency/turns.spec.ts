import { Turns } from './turns.js';

const failing = (message: string) => () => Promise.reject(new Error(message));

it('runs the work of one key in order, each after the end of the one before, also after a failure', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise(setImmediate);
    seen.push(`${name} ends`);
    return name;
  };
  const all = [turns.take('k', work('a')), turns.take('k', failing('b')), turns.take('k', work('c'))];
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: 'a' },
    { reason: expect.objectContaining({ message: 'b' }) },
    { value: 'c' },
  ]);
  expect(seen).toEqual(['a begins', 'a ends', 'c begins', 'c ends']);
});

it('does not let one key wait for another', async () => {
  const turns = new Turns();
  void turns.take('stuck', () => new Promise(() => undefined));
  expect(await turns.take('free', () => Promise.resolve(1))).toBe(1);
});

it('keeps nothing of keys whose work has ended', async () => {
  const turns = new Turns();
  await Promise.allSettled([
    turns.take('a', () => Promise.resolve()),
    turns.take('a', failing('x')),
    turns.take('b', failing('y')),
  ]);
  expect(turns.size).toBe(0);
});
