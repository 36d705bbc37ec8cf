import type { Readable, Writable } from 'node:stream';

/** What a command line is given by the process that runs it; a test gives its own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean; setRawMode?(mode: boolean): unknown };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
  env: Record<string, string | undefined>;
  /** Where relative paths start and the project is looked for, upwards. */
  cwd: string;
  /** Aborted by Ctrl-C and SIGTERM: a command ends what it is at, cleans up and returns. */
  signal: AbortSignal;
}
