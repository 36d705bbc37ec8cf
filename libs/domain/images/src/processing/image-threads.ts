import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** The time after which an image counts as slow. Normal images take less, even on a busy machine. */
const LONG_MS = 100;
/**
 * How much the priority is lowered. The thread then gets about a tenth of a core that it shares with the event loop.
 */
const LOWER = 10;
/** The name that libvips gives to the threads in which it decodes, resizes and encodes. */
const THREAD_NAME = 'libvips worker';
const tasks = '/proc/self/task';

/**
 * Lowers the priority of the libvips threads if an image takes long, because the event loop would otherwise often wait
 * several milliseconds for a core. The threads keep the low priority until libvips ends them, after 15 idle seconds.
 * Works on Linux only, without special rights.
 * @param image processes an image in these threads
 */
export async function withLowPriorityOnceLong<T>(image: () => Promise<T>): Promise<T> {
  const timer = setTimeout(lowerPriority, LONG_MS);
  try {
    return await image();
  } finally {
    clearTimeout(timer);
  }
}

function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  const low = Math.min(getPriority() + LOWER, constants.priority.PRIORITY_LOW);
  for (const thread of imageThreads()) ignoreEnded(() => setPriority(thread, low));
}

/** Returns the ids of the libvips threads in this process. On Linux, each thread has its own priority. */
export function imageThreads(): number[] {
  const threads = ignoreEnded(() => readdirSync(tasks)) ?? [];
  const nameOf = (thread: string) => ignoreEnded(() => readFileSync(`${tasks}/${thread}/comm`, 'latin1').trim());
  return threads.filter((thread) => nameOf(thread) === THREAD_NAME).map(Number);
}

/** Returns undefined if the thread has already ended, or if the system does not allow the access. */
function ignoreEnded<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
