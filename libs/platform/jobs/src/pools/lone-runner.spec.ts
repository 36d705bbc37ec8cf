import { LoneRunner } from './lone-runner.js';

it('LoneRunner runs waiting and newly arrived work before the next lone work', async () => {
  const runner = new LoneRunner(new AbortController().signal);
  const order: string[] = [];
  const reported = (name: string) => () => Promise.resolve(void order.push(name));
  let end: () => void = () => undefined;
  const isBusy = new Promise<void>((resolve) => (end = resolve));
  const first = runner.alone(() => isBusy);
  const second = runner.alone(reported('second lone'));
  const waiting = runner.together(reported('waiting'));
  setImmediate(end);
  await first;
  await runner.together(reported('soon after'));
  await Promise.all([second, waiting]);
  expect(order).toEqual(['waiting', 'soon after', 'second lone']);
});

it('LoneRunner rejects lone work that has not begun when the process stops', async () => {
  const stop = new AbortController();
  const runner = new LoneRunner(stop.signal);
  await runner.alone(() => new Promise((resolve) => setImmediate(resolve)));
  const next = runner.alone(() => Promise.resolve('done'));
  stop.abort();
  await expect(next).rejects.toThrow();
});
