import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Normal images take less than this, even on a busy machine. */
const LONG_MS = 100;
/** A thread that is this much lower gets about a tenth of a core that it shares with the event loop. */
const LOWER = 10;
/** The name that libvips gives to the threads in which it decodes, resizes and encodes. */
const THREAD_NAME = 'libvips worker';
const tasks = '/proc/self/task';

/**
 * Gives the threads of libvips a low priority as soon as an image takes long. Otherwise the event loop often waits
 * several milliseconds for a core that such an image occupies. The threads keep the priority until libvips ends them,
 * which it does after 15 idle seconds. Works on Linux only, and needs no rights there.
 * @param image runs in these threads
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

/** Returns the ids of the threads of libvips in this process. Linux has priorities per thread. */
export function imageThreads(): number[] {
  const threads = ignoreEnded(() => readdirSync(tasks)) ?? [];
  const nameOf = (thread: string) => ignoreEnded(() => readFileSync(`${tasks}/${thread}/comm`, 'latin1').trim());
  return threads.filter((thread) => nameOf(thread) === THREAD_NAME).map(Number);
}

/** Returns undefined if the thread has ended meanwhile, or the system does not show or change threads. */
function ignoreEnded<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
