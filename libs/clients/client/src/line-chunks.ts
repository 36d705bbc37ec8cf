/** A source of lines. The client reads them no faster than it sends them. */
export type Lines<Line> = AsyncIterable<Line> | Iterable<Line>;

/**
 * The maximum number of lines per request. The service stores this many with one statement, and the body stays below
 * the limit of proxies.
 */
const MOST_LINES = 1000;
const MOST_CHARACTERS = 256 * 1024;
/** The longest wait for further lines of a slow source. */
const LINGER_MS = 1_000;

/** Collects lines into chunks. A chunk ends when it has many lines, when it is long, or when the next line is slow. */
export async function* chunksOf<Chunked extends { readonly text: string }>(
  lines: Lines<Chunked>,
): AsyncGenerator<Chunked[], void, undefined> {
  const source = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]();
  let arriving: Promise<IteratorResult<Chunked>> | null = null;
  let ended = false;
  try {
    while (!ended) {
      const chunk: Chunked[] = [];
      const linger = timer(LINGER_MS);
      for (let size = 0; chunk.length < MOST_LINES && size < MOST_CHARACTERS;) {
        arriving ??= Promise.resolve(source.next());
        const arrived: IteratorResult<Chunked> | null = await (chunk.length > 0
          ? Promise.race([arriving, linger.over])
          : arriving);
        if (arrived === null) break;
        arriving = null;
        if ((ended = arrived.done === true)) break;
        const line = arrived.value;
        chunk.push(line);
        size += line.text.length;
      }
      linger.stop();
      if (chunk.length > 0) yield chunk;
    }
  } finally {
    // Do not wait for a line that may never come.
    if (!ended) Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

function timer(ms: number) {
  let handle: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<null>((resolve) => (handle = setTimeout(() => resolve(null), ms)));
  return { over, stop: () => clearTimeout(handle) };
}
