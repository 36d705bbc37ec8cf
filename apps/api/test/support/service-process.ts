import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const root = join(__dirname, '../../../..');

/** A line of the service's log. */
export interface LogLine {
  /** The process that wrote the line: a worker or the primary. */
  readonly pid: number;
  readonly msg: string;
  readonly port?: number;
}

interface StartOptions {
  readonly args?: readonly string[];
  readonly until?: string;
}

/** The service in a separate process that a test can kill. It runs from the sources. */
export class ServiceProcess {
  /** Resolves when this process and all its workers have ended. */
  readonly allEnded: Promise<unknown>;

  private constructor(
    private readonly child: ChildProcess,
    readonly baseUrl: string,
    /** The lines of the log so far. */
    readonly log: readonly LogLine[],
  ) {
    this.allEnded = once(child, 'close');
  }

  /**
   * Starts a service on a free port.
   * @param environment the variables, without those that any process needs
   * @param options.args the arguments of the command line
   * @param options.until the beginning of the log message to wait for. Default: the message that the service is
   * listening
   */
  static async start(
    environment: Readonly<Record<string, string>>,
    { args = [], until = 'listening' }: StartOptions = {},
  ): Promise<ServiceProcess> {
    const { PATH, TMPDIR } = process.env;
    // Do not create the API document, which takes a quarter of a start.
    const child = fork(join(root, 'apps/api/src/main.ts'), ['--document-on-request', ...args], {
      execArgv: ['-r', join(root, 'libs/testing/jest/typescript-sources.cjs')],
      env: { PATH, TMPDIR, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', ...environment },
      // The child ends when this channel closes, so it does not outlive this process.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      cwd: environment.DATA_DIR,
    });
    const log: LogLine[] = [];
    const port = await Promise.race([portOf(child, log, until), failureOf(child)]);
    return new ServiceProcess(child, `http://127.0.0.1:${port}`, log);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /**
   * Waits for the end of the process.
   * @returns its exit code; null if a signal ended it
   */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  /** Kills the process, which cannot complete its work. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}

/** Collects the log, and reads the port from the first message that begins with `until`. */
function portOf({ stdout }: ChildProcess, log: LogLine[], until: string): Promise<number> {
  return new Promise((resolve) => {
    createInterface({ input: stdout as Readable }).on('line', (text) => {
      if (!text.startsWith('{')) return;
      const line = JSON.parse(text) as LogLine;
      log.push(line);
      if (line.msg.startsWith(until)) resolve(Number(line.port));
    });
  });
}

async function failureOf(child: ChildProcess): Promise<never> {
  const chunks: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  throw new Error(`The service has ended with ${child.exitCode}: ${Buffer.concat(chunks).toString()}`);
}
