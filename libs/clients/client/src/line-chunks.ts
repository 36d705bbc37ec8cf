/** A source of lines. The client reads them no faster than it sends them. */
export type Lines<Line> = AsyncIterable<Line> | Iterable<Line>;

/**
 * The maximum number of lines per request. One statement can store them, and the body stays below the limits of
 * proxies.
 */
const MOST_LINES = 1000;
const MOST_CHARACTERS = 256 * 1024;
/** The longest wait for the next line of a slow source. */
const LINGER_MS = 1_000;

interface Text {
  readonly text: string;
}

/** Collects lines into chunks. A chunk ends at the maximum number or length of lines, or when the next line is slow. */
export function chunksOf<Chunked extends Text>(lines: Lines<Chunked>): Lines<Chunked[]> {
  return Symbol.asyncIterator in lines ? chunksOfStream(lines) : chunksOfList(lines);
}

/** Collects the lines of a synchronous source without promises, which would double the CPU time. */
function* chunksOfList<Chunked extends Text>(lines: Iterable<Chunked>): Generator<Chunked[], void, undefined> {
  let [chunk, size]: [Chunked[], number] = [[], 0];
  for (const line of lines) {
    chunk.push(line);
    size += line.text.length;
    if (chunk.length < MOST_LINES && size < MOST_CHARACTERS) continue;
    yield chunk;
    [chunk, size] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}

async function* chunksOfStream<Chunked extends Text>(
  lines: AsyncIterable<Chunked>,
): AsyncGenerator<Chunked[], void, undefined> {
  const source = lines[Symbol.asyncIterator]();
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
    // Do not wait for the source to close, because it may be waiting for another line.
    if (!ended) Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

function timer(ms: number) {
  let handle: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<null>((resolve) => (handle = setTimeout(() => resolve(null), ms)));
  return { over, stop: () => clearTimeout(handle) };
}
