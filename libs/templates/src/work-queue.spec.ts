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

it('runs as many tasks at once as it is wide, the others in order', async () => {
  const queue = new WorkQueue(2);
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
  const queue = new WorkQueue(1);
  const failing = queue.run(() => Promise.reject(new Error('broken')));
  const next = queue.run(() => Promise.resolve('next'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
  expect(await queue.run(() => Promise.resolve('later'))).toBe('later');
});
