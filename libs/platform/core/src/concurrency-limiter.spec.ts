import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { NotReady, RateLimited } from './errors/wire-errors.js';

/** Runs tasks that end only when the test ends them, and records the order in which the limiter starts them. */
class Work {
  readonly started: string[] = [];
  private readonly ends = new Map<string, () => void>();
  private readonly limiter: ConcurrencyLimiter;

  constructor(width: number, { maxWaitingPerKey = 10, maxWaiting = 20 } = {}) {
    this.limiter = new ConcurrencyLimiter({ width, maxWaitingPerKey, maxWaiting, rejection: 'Too many; later.' });
  }

  /** Passes a task to the limiter. @param name the name of the task; its first letter is the key */
  run(name: string, signal?: AbortSignal): Promise<string> {
    const ended = new Promise<void>((resolve) => this.ends.set(name, resolve));
    const task = async () => {
      this.started.push(name);
      await ended;
      return name;
    };
    return this.limiter.run(name.charAt(0), task, signal);
  }

  async end(...names: string[]): Promise<void> {
    for (const name of names) this.ends.get(name)?.();
    await settled();
  }
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Waits two turns of the event loop: one for tasks to end, one for waiting tasks to start. */
const settled = () => turn().then(turn);

it('ConcurrencyLimiter alternates between keys and runs the tasks of one key in order', async () => {
  const work = new Work(1);
  const results = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => work.run(name));
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await work.end(name);
  expect(work.started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  await work.end('b2');
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
});

it('ConcurrencyLimiter gives one key at most two of four slots, so that other keys get the rest immediately', async () => {
  const work = new Work(4);
  const results = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => work.run(name));
  await settled();
  expect(work.started).toEqual(['a1', 'a2', 'b1', 'c1']);
  await work.end('b1', 'c1');
  expect(work.started).toEqual(['a1', 'a2', 'b1', 'c1']);
  await work.end('a1');
  expect(work.started.at(-1)).toBe('a3');
  await work.end('a2', 'a3');
  await Promise.all(results);
});

it('ConcurrencyLimiter runs the next task after a failed task', async () => {
  const limiter = new ConcurrencyLimiter({ width: 1, maxWaitingPerKey: 1, maxWaiting: 1, rejection: 'Too many.' });
  const failing = limiter.run('a', () => Promise.reject(new Error('broken')));
  const next = limiter.run('a', () => Promise.resolve('next'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
});

it('429 rate_limited for a key with too many waiting tasks, but not for another key', async () => {
  const work = new Work(1, { maxWaitingPerKey: 1 });
  const taken = ['a1', 'a2'].map((name) => work.run(name));
  const rejected = work.run('a3');
  await expect(rejected).rejects.toThrow(RateLimited);
  await expect(rejected).rejects.toMatchObject({ message: 'Too many; later.', headers: { 'Retry-After': '5' } });
  taken.push(work.run('b1'));
  await work.end('a1', 'a2', 'b1');
  expect(await Promise.all(taken)).toEqual(['a1', 'a2', 'b1']);
  expect(work.started).not.toContain('a3');
});

it('429 rate_limited for the last task of the key with the most waiting tasks, when too many wait in total', async () => {
  const work = new Work(1, { maxWaiting: 3 });
  const [first, second, third, last] = ['a1', 'a2', 'a3', 'a4'].map((name) => work.run(name));
  const other = work.run('b1');
  await expect(last).rejects.toThrow(RateLimited);
  await expect(work.run('b2')).rejects.toThrow(RateLimited);
  await work.end('a1', 'a2', 'b1', 'a3');
  expect(await Promise.all([first, second, third, other])).toEqual(['a1', 'a2', 'a3', 'b1']);
});

it('ConcurrencyLimiter never starts a task whose signal has aborted, even if the task was already waiting', async () => {
  const work = new Work(1, { maxWaitingPerKey: 1 });
  const abort = new AbortController();
  const first = work.run('a1');
  const aborted = work.run('a2', abort.signal);
  abort.abort(new Error('gone'));
  await expect(aborted).rejects.toThrow('gone');
  await expect(work.run('b1', abort.signal)).rejects.toThrow('gone');
  const next = work.run('a3');
  await work.end('a1', 'a3');
  expect(await Promise.all([first, next])).toEqual(['a1', 'a3']);
  expect(work.started).toEqual(['a1', 'a3']);
});

it('503 not_ready for a task that has waited too long; the next task still gets a slot', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const limits = { width: 1, maxWaitingPerKey: 5, maxWaiting: 5, rejection: 'Too many.', maxWaitMs: 1000 };
  const limiter = new ConcurrencyLimiter(limits);
  const leave = await limiter.enter('a');
  const late = expect(limiter.enter('b')).rejects.toThrow(NotReady);
  jest.advanceTimersByTime(1001);
  await late;
  const next = limiter.enter('c');
  leave();
  (await next)();
  jest.useRealTimers();
});

it('ConcurrencyLimiter with `waitsWhileKeyProgresses` lets a task wait longer while other tasks of its key start', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const limits = { width: 1, maxWaitingPerKey: 5, maxWaiting: 5, rejection: 'Too many.', maxWaitMs: 1000 };
  const limiter = new ConcurrencyLimiter({ ...limits, waitsWhileKeyProgresses: true });
  const leave = await limiter.enter('a');
  const [second, third] = [limiter.enter('a'), limiter.enter('a')];
  const late = expect(limiter.enter('b')).rejects.toThrow(NotReady);
  const stuck = expect(limiter.enter('a')).rejects.toThrow(NotReady);
  await settled();
  jest.advanceTimersByTime(900);
  leave();
  const leaveSecond = await second;
  await settled();
  jest.advanceTimersByTime(900);
  await late;
  leaveSecond();
  await third;
  jest.advanceTimersByTime(999);
  await settled();
  jest.advanceTimersByTime(1);
  await stuck;
  jest.useRealTimers();
});

it('503 not_ready for a task that has waited half a minute, if no maximum wait is set', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const limiter = new ConcurrencyLimiter({ width: 1, maxWaitingPerKey: 5, maxWaiting: 5, rejection: 'Too many.' });
  await limiter.enter('a');
  const late = expect(limiter.enter('b')).rejects.toMatchObject({ code: 'not_ready', headers: { 'Retry-After': '1' } });
  jest.advanceTimersByTime(30_000);
  await late;
  jest.useRealTimers();
});

it('ConcurrencyLimiter gives a key `widthBesideOthers` slots while other keys are active, and otherwise half of all slots', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const waits = { maxWaitingPerKey: 9, maxWaiting: 9, maxWaitMs: 120_000 };
  const limits = { width: 8, widthBesideOthers: 1, ...waits, rejection: 'Too many.' };
  const limiter = new ConcurrencyLimiter(limits);
  let running = 0;
  const enter = (key: string) => limiter.enter(key).then((leave) => (++running, leave));
  const other = await enter('b');
  const entering = Array.from({ length: 7 }, () => enter('a'));
  await settled();
  expect(running).toBe(2);
  other();
  (await entering[0])?.();
  await settled();
  expect(running).toBe(3);
  jest.advanceTimersByTime(60_001);
  (await entering[1])?.();
  await settled();
  expect(running).toBe(7);
  jest.useRealTimers();
});

it('ConcurrencyLimiter in a busy process gives a key another slot if its tasks are slow', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  let isBusy = true;
  const waits = { maxWaitingPerKey: 9, maxWaiting: 9 };
  const limits = { width: 8, widthBesideOthers: 3, ...waits, rejection: 'Too many.', isBusy: () => isBusy };
  const limiter = new ConcurrencyLimiter(limits);
  (await limiter.enter('b'))();
  let running = 0;
  for (let task = 0; task < 7; task++) void limiter.enter('a').then(() => ++running);
  await settled();
  expect(running).toBe(1);
  jest.advanceTimersByTime(60);
  await settled();
  expect(running).toBe(2);
  isBusy = false;
  jest.advanceTimersByTime(60);
  await settled();
  expect(running).toBe(3);
  jest.useRealTimers();
});

it('ConcurrencyLimiter in a busy process gives a key more slots if no other key has asked for a slot for two seconds', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const waits = { maxWaitingPerKey: 9, maxWaiting: 9 };
  const limits = { width: 8, widthBesideOthers: 3, ...waits, rejection: 'Too many.', isBusy: () => true };
  const limiter = new ConcurrencyLimiter(limits);
  (await limiter.enter('b'))();
  jest.advanceTimersByTime(1900);
  const leave = await limiter.enter('a');
  expect(limiter.enterNow('a')).toBeNull();
  leave();
  jest.advanceTimersByTime(200);
  expect([limiter.enterNow('a'), limiter.enterNow('a')]).toEqual([expect.any(Function), expect.any(Function)]);
  jest.useRealTimers();
});

it('ConcurrencyLimiter with `mayFill` gives a key all slots while no other key is active, and half of them otherwise', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const waits = { maxWaitingPerKey: 9, maxWaiting: 9 };
  const limiter = new ConcurrencyLimiter({ width: 2, mayFill: true, ...waits, rejection: 'Too many.' });
  const leaves = [limiter.enterNow('a'), limiter.enterNow('a')];
  expect(leaves).toEqual([expect.any(Function), expect.any(Function)]);
  const started: string[] = [];
  for (const name of ['a1', 'a2', 'b1']) void limiter.run(name.charAt(0), () => Promise.resolve(started.push(name)));
  leaves[0]?.();
  await settled();
  expect(started).toEqual(['b1']);
  leaves[1]?.();
  await settled();
  await settled();
  expect(started).toEqual(['b1', 'a1', 'a2']);
  expect(limiter.enterNow('a')).not.toBeNull();
  expect(limiter.enterNow('a')).toBeNull();
  jest.advanceTimersByTime(2000);
  expect(limiter.enterNow('a')).not.toBeNull();
  jest.useRealTimers();
});

it('ConcurrencyLimiter no longer counts a key as active after a call of `forget`', async () => {
  const limits = { width: 8, widthBesideOthers: 1, maxWaitingPerKey: 9, maxWaiting: 9, rejection: 'Too many.' };
  const limiter = new ConcurrencyLimiter(limits);
  (await limiter.enter('address'))();
  limiter.forget('address');
  await Promise.all([limiter.enter('a'), limiter.enter('a')]);
});

it('ConcurrencyLimiter starts tasks in separate turns of the event loop, even if each of them ends immediately', async () => {
  let turns = 0;
  let ticker = setImmediate(function tick() {
    turns += 1;
    ticker = setImmediate(tick);
  });
  const limiter = new ConcurrencyLimiter({ width: 1, maxWaitingPerKey: 9, maxWaiting: 9, rejection: 'Too many.' });
  const tasks = Array.from({ length: 5 }, () => limiter.run('a', () => Promise.resolve(turns)));
  expect(new Set(await Promise.all(tasks)).size).toBe(5);
  clearImmediate(ticker);
});

it('ConcurrencyLimiter keeps no reference to an ended task while other tasks wait', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const work = new Work(1);
  const first = work.run('a1');
  // The signal represents everything that the task references.
  const run = (name: string) => {
    const { signal } = new AbortController();
    return { result: work.run(name, signal), signal: new WeakRef(signal) };
  };
  const waiting = ['a2', 'a3'].map(run);
  await work.end('a1');
  waiting.push(run('a4'));
  await work.end('a2');
  waiting.push(run('a5'));
  await work.end('a3');
  collectGarbage();
  expect(waiting.slice(0, 2).map(({ signal }) => signal.deref())).toEqual([undefined, undefined]);
  await work.end('a4');
  await work.end('a5');
  await Promise.all([first, ...waiting.map(({ result }) => result)]);
});
