import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const root = join(__dirname, '../../../..');

/**
 * The service in a separate process, so that a test can kill it. It runs from the sources in the same way as `npm
 * start` runs the build.
 */
export class ServiceProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly baseUrl: string,
  ) {}

  /**
   * Starts a service.
   * @param environment all variables except those that any process needs; the service listens on a free port
   */
  static async start(environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const { PATH, TMPDIR } = process.env;
    const child = fork(join(root, 'apps/api/src/main.ts'), {
      execArgv: ['-r', join(root, 'libs/testing/jest/typescript-sources.cjs')],
      env: { PATH, TMPDIR, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', ...environment },
      // Through this channel the child notices when this process is killed, and ends too.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      cwd: environment.DATA_DIR,
    });
    const port = await Promise.race([portOf(child), failureOf(child)]);
    return new ServiceProcess(child, `http://127.0.0.1:${port}`);
  }

  /** Kills the process with `kill -9`, so that it completes and releases nothing. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}

/** Reads the port from the log, and discards later lines. */
function portOf({ stdout }: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    createInterface({ input: stdout as Readable }).on('line', (line) => {
      const port = /^\{.*"port":(\d+).*"listening"/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}

async function failureOf(child: ChildProcess): Promise<never> {
  const chunks: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'exit');
  throw new Error(`The service has ended: ${Buffer.concat(chunks).toString()}`);
}
