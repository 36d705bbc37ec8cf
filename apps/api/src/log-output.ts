import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** The most text that waits for its output, in bytes. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** The most text of one write. The log driver of a container would cut longer texts. */
const MOST_WRITTEN_BYTES = 16 * 1024;
const FULL_PIPE_PAUSE_MS = 100;
const FAILED_PAUSE_MS = 1000;
/** How long the end of the process waits for the reader of a full pipe. */
const END_MS = 1000;
const END_PAUSE_MS = 20;
const NOTHING = Buffer.alloc(0);

/**
 * Writes the lines of the log without blocking the process. While the output accepts none, because its disk is full or
 * its reader is stuck or gone, lines wait. When too many wait, new lines are dropped and counted.
 */
export class LogOutput implements DestinationStream {
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** The text that is being written. */
  private current = NOTHING;
  private state: 'idle' | 'writing' | 'pausing' = 'idle';
  private dropped = 0;

  /** Called with the number of dropped lines, before the first line after them. */
  onDropped: ((lines: number) => void) | null = null;

  constructor(private readonly fd: number) {}

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (!this.hasRoom(bytes.length)) {
      this.dropped += 1;
      return;
    }
    this.reportDropped();
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.state === 'idle') this.next();
  }

  /** Writes what waits before the process ends. Gives up if the output does not accept it. */
  end(): void {
    // A thread is writing the current text.
    if (this.state === 'writing') this.current = NOTHING;
    const until = performance.now() + END_MS;
    while (this.takesCurrent()) {
      try {
        this.current = this.current.subarray(writeSync(this.fd, this.current));
      } catch (failure) {
        if (!isFullPipe(failure) || performance.now() > until) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, END_PAUSE_MS);
      }
    }
  }

  /** Once lines have been dropped, has room again only when half of those that wait are written. */
  private hasRoom(bytes: number): boolean {
    return this.waitingBytes + bytes <= (this.dropped > 0 ? MOST_WAITING_BYTES / 2 : MOST_WAITING_BYTES);
  }

  private reportDropped(): void {
    const { dropped } = this;
    this.dropped = 0;
    if (dropped > 0) this.onDropped?.(dropped);
  }

  private next(): void {
    this.state = this.takesCurrent() ? 'writing' : 'idle';
    if (this.state === 'idle') return;
    write(this.fd, this.current, (failure, written) => {
      if (failure) return this.pause(isFullPipe(failure) ? FULL_PIPE_PAUSE_MS : FAILED_PAUSE_MS);
      this.current = this.current.subarray(written);
      this.next();
    });
  }

  /** Takes the next lines when the current text is written. @returns false if no line waits */
  private takesCurrent(): boolean {
    if (this.current.length > 0) return true;
    let [count, bytes] = [0, 0];
    for (const line of this.waiting) {
      if (count > 0 && bytes + line.length > MOST_WRITTEN_BYTES) break;
      [count, bytes] = [count + 1, bytes + line.length];
    }
    this.current = Buffer.concat(this.waiting.splice(0, count));
    this.waitingBytes -= bytes;
    return count > 0;
  }

  private pause(ms: number): void {
    this.state = 'pausing';
    setTimeout(() => this.next(), ms).unref();
  }
}

function isFullPipe(failure: unknown): boolean {
  return (failure as NodeJS.ErrnoException).code === 'EAGAIN';
}

let output: LogOutput | null = null;

/** Returns the standard output, which all loggers of this process share. */
export function standardOutput(): LogOutput {
  if (!output) {
    // The property `process.stdout` makes a pipe non-blocking, so that a stuck reader occupies no thread.
    output = new LogOutput(process.stdout.fd);
    process.on('exit', () => output?.end());
  }
  return output;
}
