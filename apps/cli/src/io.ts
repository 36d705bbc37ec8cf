import type { Readable, Writable } from 'node:stream';

/** The environment of a command line. Tests supply their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean; setRawMode?(mode: boolean): unknown };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
  env: Record<string, string | undefined>;
  /** The folder that relative paths start from, and where the upward search for the project begins. */
  cwd: string;
  /** Aborts on Ctrl-C and SIGTERM. A command then ends its step, cleans up and returns. */
  signal: AbortSignal;
}
