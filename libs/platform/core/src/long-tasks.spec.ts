import { LongTasks } from './long-tasks.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

let isBesideOthers: boolean;
let tasks: LongTasks;
let started: string[];
let ends: Map<string, () => void>;
beforeEach(() => {
  isBesideOthers = true;
  tasks = new LongTasks(() => isBesideOthers);
  [started, ends] = [[], new Map()];
});

/** Starts a task that runs until the test ends it. @param name the name of the task; its first letter is the key */
function run(name: string, signal?: AbortSignal): Promise<string> {
  const task = async () => {
    started.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return name;
  };
  return tasks.run(name.charAt(0), task, signal);
}

async function end(name: string): Promise<void> {
  ends.get(name)?.();
  await settled();
}

it('LongTasks runs the tasks of a key one at a time and in order while other keys are active', async () => {
  const results = ['a1', 'a2', 'a3', 'b1'].map((name) => run(name));
  await settled();
  expect(started).toEqual(['a1', 'b1']);
  await end('a1');
  expect(started).toEqual(['a1', 'b1', 'a2']);
  for (const name of ['a2', 'a3', 'b1']) await end(name);
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

it('LongTasks runs four tasks of a key simultaneously while no other key is active', async () => {
  isBesideOthers = false;
  const results = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((name) => run(name));
  await settled();
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  await end('a2');
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  for (const name of ['a1', 'a3', 'a4', 'a5', 'a6']) await end(name);
  await Promise.all(results);
});

it('LongTasks starts no further task of a key after another key has become active', async () => {
  isBesideOthers = false;
  const results = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((name) => run(name));
  await settled();
  isBesideOthers = true;
  for (const name of ['a1', 'a2', 'a3']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  for (const name of ['a4', 'a5', 'a6']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
  await Promise.all(results);
});

it('LongTasks starts all waiting tasks of a key when a task ends while no other key is active', async () => {
  const results = ['a1', 'a2', 'a3'].map((name) => run(name));
  await settled();
  isBesideOthers = false;
  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'a3']);
  await end('a2');
  await end('a3');
  await Promise.all(results);
});

it('LongTasks starts the next task once the running one has run for two seconds', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const results = ['a1', 'a2', 'a3'].map((name) => run(name));
  jest.advanceTimersByTime(1999);
  await settled();
  expect(started).toEqual(['a1']);
  jest.advanceTimersByTime(1);
  await settled();
  expect(started).toEqual(['a1', 'a2']);
  jest.useRealTimers();
  for (const name of ['a1', 'a2', 'a3']) await end(name);
  await Promise.all(results);
});

it('LongTasks starts the next task after a failed task', async () => {
  const failing = tasks.run('a', () => settled().then(() => Promise.reject(new Error('broken'))));
  const next = tasks.run('a', () => Promise.resolve('next'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
});

it('LongTasks never starts a task whose signal has aborted', async () => {
  const gone = new AbortController();
  const first = run('a1');
  const waiting = run('a2', gone.signal);
  const last = run('a3');
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(run('a4', gone.signal)).rejects.toThrow('gone');
  await end('a1');
  await end('a3');
  await Promise.all([first, last]);
  expect(started).toEqual(['a1', 'a3']);
});
