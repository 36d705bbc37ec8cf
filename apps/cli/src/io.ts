import type { Readable, Writable } from 'node:stream';

/** The environment of a command: its streams, folder and signals. */
export interface Io {
  stdin: Readable & { isTTY?: boolean; setRawMode?(mode: boolean): unknown };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
  env: Record<string, string | undefined>;
  /** The working directory: relative paths start here, and so does the upward search for the project. */
  cwd: string;
  /** Aborts on Ctrl-C and SIGTERM. The command then finishes its current step and returns. */
  signal: AbortSignal;
  /** True if the command must finish even if the program that reads its output ends first. */
  mustFinish?: boolean;
}
