import { RateLimited } from './errors/wire-errors.js';
import { WorkQueue } from './work-queue.js';

/** A task that ends when told to. */
function task(log: string[], name: string) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async () => {
    log.push(name);
    await ended;
    return name;
  };
  return { work, end: () => end() };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const queueOf = (width: number, maxWaiting = 10) => new WorkQueue({ width, maxWaiting, refusal: 'Too many; later.' });

it('runs as many tasks at once as it is wide, the others in order', async () => {
  const queue = queueOf(2);
  const log: string[] = [];
  const tasks = ['a', 'b', 'c', 'd'].map((name) => task(log, name));
  const results = tasks.map(({ work }) => queue.run(work));
  await settled();
  expect(log).toEqual(['a', 'b']);
  tasks[1]?.end();
  await settled();
  expect(log).toEqual(['a', 'b', 'c']);
  for (const { end } of tasks) end();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
});

it('goes on after a task that fails, whose caller learns it', async () => {
  const queue = queueOf(1);
  const failing = queue.run(() => Promise.reject(new Error('broken')));
  const next = queue.run(() => Promise.resolve('next'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
  expect(await queue.run(() => Promise.resolve('later'))).toBe('later');
});

it('429 rate_limited when too many wait: the task is not begun, and those before it run', async () => {
  const queue = queueOf(1, 1);
  const log: string[] = [];
  const [first, second, third] = ['a', 'b', 'c'].map((name) => task(log, name));
  const running = queue.run(first!.work);
  const waiting = queue.run(second!.work);
  const refused = queue.run(third!.work);
  await expect(refused).rejects.toThrow(RateLimited);
  await expect(refused).rejects.toMatchObject({ message: 'Too many; later.', headers: { 'Retry-After': '5' } });
  first!.end();
  second!.end();
  expect(await Promise.all([running, waiting])).toEqual(['a', 'b']);
  expect(log).toEqual(['a', 'b']);
  expect(await queue.run(() => Promise.resolve('free again'))).toBe('free again');
});
