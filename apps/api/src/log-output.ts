import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** The most text that waits for its output, in bytes. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Pipes do not split smaller writes (PIPE_BUF), so the lines of several processes do not mix. */
const MOST_WRITTEN_BYTES = 4096;
/** The number of writes in one turn of the event loop. */
const WRITES_PER_TURN = 64;
/** The pauses before the next attempt while a pipe is full. */
const FULL_PIPE_PAUSES_MS = { first: 2, longest: 100 };
const FAILED_PAUSE_MS = 1000;
/** How long the end of the process waits for the reader of a full pipe. */
const END_MS = 1000;
const END_PAUSE_MS = 20;

/**
 * Writes each line of the log immediately, as pino does. While the output accepts none, because its disk is full or its
 * reader is stuck or gone, lines wait. When too many wait, new lines are dropped and counted.
 */
export class LogOutput implements DestinationStream {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private dropped = 0;
  private pauseMs = 0;

  /** Called with the number of dropped lines, before the first line after them. */
  onDropped: ((lines: number) => void) | null = null;

  /** @param fd the descriptor of the output; that of a pipe must be non-blocking, or a stuck reader blocks the process */
  constructor(private readonly fd: number) {}

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (!this.hasRoom(bytes.length)) {
      this.dropped += 1;
      return;
    }
    this.reportDropped();
    const isFirst = this.waiting.length === 0;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (isFirst && !this.writeNext()) this.continueLater();
  }

  /** Writes the waiting lines before the process ends. Gives up if the output does not accept them. */
  end(): void {
    this.reportDropped();
    const until = performance.now() + END_MS;
    while (this.waiting.length > 0 && performance.now() < until) {
      if (this.writeNext()) continue;
      if (this.pauseMs === FAILED_PAUSE_MS) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, END_PAUSE_MS);
    }
  }

  /** Once lines have been dropped, has room again only when half of the waiting lines are written. */
  private hasRoom(bytes: number): boolean {
    return this.waitingBytes + bytes <= (this.dropped > 0 ? MOST_WAITING_BYTES / 2 : MOST_WAITING_BYTES);
  }

  private reportDropped(): void {
    const { dropped } = this;
    this.dropped = 0;
    if (dropped > 0) this.onDropped?.(dropped);
  }

  private continueLater(): void {
    setTimeout(() => this.continue(), this.pauseMs).unref();
  }

  private continue(): void {
    for (let count = 0; count < WRITES_PER_TURN; count++) {
      if (this.waiting.length === 0) return;
      if (!this.writeNext()) return this.continueLater();
    }
    setImmediate(() => this.continue());
  }

  /** Writes the next lines together. @returns false if the output accepts nothing now */
  private writeNext(): boolean {
    let [count, bytes] = [0, 0];
    for (const line of this.waiting) {
      if (count > 0 && bytes + line.length > MOST_WRITTEN_BYTES) break;
      [count, bytes] = [count + 1, bytes + line.length];
    }
    const text = Buffer.concat(this.waiting.slice(0, count), bytes);
    try {
      const written = writeSync(this.fd, text);
      this.waiting.splice(0, count, ...(written < bytes ? [text.subarray(written)] : []));
      this.waitingBytes -= written;
      this.pauseMs = 0;
      return true;
    } catch (failure) {
      this.pauseMs = pauseAfter(failure, this.pauseMs);
      return false;
    }
  }
}

function pauseAfter(failure: unknown, formerMs: number): number {
  if ((failure as NodeJS.ErrnoException).code !== 'EAGAIN') return FAILED_PAUSE_MS;
  const { first, longest } = FULL_PIPE_PAUSES_MS;
  return Math.min(Math.max(first, 2 * formerMs), longest);
}

let output: LogOutput | null = null;

/** Returns the standard output, which all loggers of this process share. */
export function standardOutput(): LogOutput {
  if (!output) {
    // The property `process.stdout` makes a pipe non-blocking, even for other processes that share it.
    output = new LogOutput(process.stdout.fd);
    process.on('exit', () => output?.end());
  }
  return output;
}
