import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** How often the threads of an image that is not finished are checked. Most images are finished before the first check. */
const CHECK_MS = 50;
/**
 * The priority of a thread is lowered after this much processor time since the first check. Elapsed time is no measure,
 * because every image takes long on a busy machine.
 */
const LONG_MS = 40;
/**
 * How much the priority is lowered. The thread then gets about a tenth of a core that it shares with the event loop.
 */
const LOWER = 10;
/** The name that libvips gives to the threads in which it decodes, resizes and encodes. */
const THREAD_NAME = 'libvips worker';
const tasks = '/proc/self/task';

/**
 * Processes an image, and lowers the priority of libvips threads that work on it for long, so that the event loop need
 * not wait for a core. The threads keep the low priority until libvips ends them, after 15 idle seconds. Works only on
 * Linux, without special rights.
 * @param image processes an image in these threads
 */
export async function withLowPriorityOnceLong<T>(image: () => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return image();
  let first: ReadonlyMap<number, number> | undefined;
  const timer = setInterval(() => {
    const used = processorTimes();
    first ??= used;
    for (const [thread, ms] of used) if (ms - (first.get(thread) ?? 0) >= LONG_MS) lowerPriority(thread);
  }, CHECK_MS);
  try {
    return await image();
  } finally {
    clearInterval(timer);
  }
}

function lowerPriority(thread: number): void {
  const low = Math.min(getPriority() + LOWER, constants.priority.PRIORITY_LOW);
  ignoreEnded(() => setPriority(thread, low));
}

/** Returns the processor time of each libvips thread so far, in ms; see proc_pid_schedstat. */
function processorTimes(): ReadonlyMap<number, number> {
  const nanoseconds = (thread: number) =>
    ignoreEnded(() => readFileSync(`${tasks}/${thread}/schedstat`, 'latin1').split(' ')[0]);
  return new Map(imageThreads().map((thread) => [thread, Number(nanoseconds(thread)) / 1e6]));
}

/** Returns the ids of the libvips threads in this process. On Linux, each thread has its own priority. */
export function imageThreads(): number[] {
  const threads = ignoreEnded(() => readdirSync(tasks)) ?? [];
  const nameOf = (thread: string) => ignoreEnded(() => readFileSync(`${tasks}/${thread}/comm`, 'latin1').trim());
  return threads.filter((thread) => nameOf(thread) === THREAD_NAME).map(Number);
}

/** Returns the result of `access`, or undefined if the thread has ended or the system denies access. */
function ignoreEnded<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
