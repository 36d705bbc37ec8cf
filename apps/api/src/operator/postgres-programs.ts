import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { primaryUrl, serverUrls } from '@passwright/database';
import { OperatorFailed } from './operator-session.js';

/** A database, and the environment variables for the Postgres programs. */
export interface Target {
  readonly url: string;
  readonly environment: Environment;
}

export type Environment = Readonly<Record<string, string | undefined>>;
type Program = ReturnType<typeof start>;

/** Runs a program on a database. @throws OperatorFailed */
export async function runOn(target: Target, name: string, options: readonly string[]): Promise<void> {
  const program = await startOn(target, name, options);
  program.child.stdin.end();
  program.child.stdout.resume();
  await program.success;
}

/** Yields the output of a program. @throws OperatorFailed after the output if the program fails */
export async function* outputOf(
  name: string,
  options: readonly string[],
  environment: Environment,
): AsyncGenerator<Buffer> {
  yield* read(start(name, options, environment));
}

/** Yields the output of a program on a database, like `outputOf`. */
export async function* outputOn(target: Target, name: string, options: readonly string[]): AsyncGenerator<Buffer> {
  yield* read(await startOn(target, name, options));
}

async function* read({ child, success }: Program): AsyncGenerator<Buffer> {
  child.stdin.end();
  let isRead = true;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      isRead = false;
      yield chunk;
      isRead = true;
    }
    await success;
  } catch (error) {
    // If the program did not start, throw its error. If the reader failed, throw the reader's error, which also makes
    // the program fail.
    if (isRead) await success;
    throw error;
  } finally {
    child.kill();
  }
}

/**
 * Runs an SQL script as one transaction. If the script fails or is incomplete, the database stays unchanged.
 * @throws OperatorFailed
 */
export async function runScript(target: Target, script: () => AsyncIterable<string | Buffer>): Promise<void> {
  const options = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--output=/dev/null'];
  const { child, success } = await startOn(target, 'psql', options);
  child.stdout.resume();
  // If the script ends early, the connection ends without a COMMIT.
  const lines = async function* () {
    yield 'BEGIN;\n';
    yield* script();
    yield '\nCOMMIT;\n';
  };
  const ends = await Promise.allSettled([pipeline(Readable.from(lines()), child.stdin), success]);
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  // Prefer the failure of psql to the failed write that follows from it.
  const failure = failures.find((each) => each instanceof OperatorFailed);
  if (failure) throw new OperatorFailed(`${failure.message}\nThe database is as it was.`);
  if (failures.length > 0) throw failures[0];
}

/**
 * Starts a program on a database, at the server that the service uses. The password does not appear in the list of
 * processes.
 */
async function startOn({ url, environment }: Target, name: string, options: readonly string[]): Promise<Program> {
  const target = new URL(await primaryUrl(url, 'operator'));
  const password = takePassword(target);
  const env = {
    ...environment,
    ...(password && { PGPASSWORD: password }),
    // Fail if the server has become a standby in the meantime.
    ...(serverUrls(url).length > 1 && { PGTARGETSESSIONATTRS: 'primary' }),
  };
  return start(name, [...options, `--dbname=${target.href}`], env);
}

/** Removes the password from an address, and returns it. The password in the query takes precedence. */
function takePassword(url: URL): string {
  const password = url.searchParams.get('password') ?? decodeURIComponent(url.password);
  url.password = '';
  // `searchParams` would write spaces as `+`, which Postgres does not decode.
  url.search = url.search
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith('password='))
    .join('&');
  return password;
}

function start(name: string, options: readonly string[], env: Environment) {
  const child = spawn(name, options, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const success = once(child, 'close').then(
    ([code]) => {
      if (code !== 0) throw new OperatorFailed(`${name} failed: ${Buffer.concat(errors).toString().trim()}`);
    },
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new OperatorFailed(`${name} is not installed: install the client programs of the server's version.`);
    },
  );
  // Prevent an unhandled rejection, because the caller may await this promise late.
  success.catch(() => undefined);
  return { child, success };
}
