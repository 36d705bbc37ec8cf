/**
 * The number of items processed simultaneously: enough to hide the latency of a bucket, but not more than the number of
 * threads for file access.
 */
const AT_ONCE = 4;

/** Runs the work for each item, a few at a time. Starts no further item after a failure. */
export async function eachAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]();
  let hasFailed = false;
  const lane = async () => {
    for (let next = queue.next(); !next.done && !hasFailed; next = queue.next()) {
      await work(next.value).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
