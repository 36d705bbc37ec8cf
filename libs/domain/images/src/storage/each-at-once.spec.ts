import { setImmediate } from 'node:timers/promises';
import { eachAtOnce } from './each-at-once.js';

const numbers = Array.from({ length: 20 }, (_, index) => index);

it('eachAtOnce processes every item once, four items at a time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await eachAtOnce(numbers, async (number) => {
    most = Math.max(most, (running += 1));
    await setImmediate();
    running -= 1;
    done.push(number);
  });
  expect([done.sort((a, b) => a - b), most]).toEqual([numbers, 4]);
});

it('eachAtOnce rejects with the error of a failed item, and does not start further items', async () => {
  const begun: number[] = [];
  const work = async (number: number) => {
    begun.push(number);
    await setImmediate();
    if (number === 2) throw new Error('full');
  };
  await expect(eachAtOnce(numbers, work)).rejects.toThrow('full');
  await setImmediate();
  expect(begun.length).toBeLessThan(8);
});
