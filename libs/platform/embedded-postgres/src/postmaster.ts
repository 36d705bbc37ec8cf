import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { clusterPaths } from './cluster.js';
import { EmbeddedPostgresFailed, OWN_SERVER } from './embedded-postgres-failed.js';
import { freePort } from './free-port.js';
import type { PostgresUser } from './postgres-user.js';
import { isAlive, isPostgresOn } from './running-process.js';

const LOG_LIMIT_BYTES = 10_000_000;
/** Matches temporary start failures: child processes of a killed server are still ending, or a port is in use. */
const PASSING_TROUBLE =
  /pre-existing shared memory block|lock file "postmaster.pid" already exists|could not bind|could not create any TCP/;
// Keep the log small too, because the folder of a test may be in memory.
const NOT_DURABLE = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=128MB'],
  // Allow enough connections for several test workers, each with several nodes of the service.
  'max_connections=400',
];

/** The content of `postmaster.pid`, which may be outdated, because the file outlives a killed server. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/**
 * Reads `postmaster.pid`.
 * @returns null if no server has run, or if the last server stopped properly
 */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  const text = await readFile(`${cluster}/postmaster.pid`, 'utf8').catch(() => '');
  const [pid, , , port, , , , status] = text.split('\n');
  return pid ? { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' } : null;
}

/**
 * Removes a `postmaster.pid` whose pid now belongs to another process, because Postgres would not start. Keeps the file
 * if no process has the pid.
 */
export async function removeMisleadingPostmasterFile(cluster: string, { pid }: PostmasterFile): Promise<void> {
  if (isAlive(pid)) await rm(`${cluster}/postmaster.pid`, { force: true });
}

/**
 * Starts a server that outlives this process.
 * @param port the port to listen on; default: a free one
 * @returns the port once the server accepts connections; null after a temporary failure
 * @throws EmbeddedPostgresFailed with the end of the server's log if it cannot start
 */
export async function launch(
  dataDir: string,
  user: PostgresUser,
  durable: boolean,
  port?: number,
): Promise<number | null> {
  const { cluster, log } = clusterPaths(dataDir);
  const logged = await stat(log).then(
    ({ size }) => size,
    () => 0,
  );
  const logFile = await open(log, logged > LOG_LIMIT_BYTES ? 'w' : 'a', 0o600);
  const listening = port ?? (await freePort());
  try {
    const [file, args, options] = user.command('postgres', ['-D', cluster, ...settings(listening, durable)]);
    const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', logFile.fd, logFile.fd] });
    child.unref();
    if (await isReady(child, cluster, listening)) return listening;
  } finally {
    await logFile.close();
  }
  const said = (await readFile(log)).subarray(logged > LOG_LIMIT_BYTES ? 0 : logged).toString();
  if (PASSING_TROUBLE.test(said)) return null;
  throw new EmbeddedPostgresFailed(
    `The embedded Postgres did not start; its log ${log} ends with:\n${said.trim().slice(-1500)}\nMend this, ${OWN_SERVER}`,
  );
}

/** Shuts the server down and waits until it has exited. Ends sessions immediately and keeps all commits. */
export async function shutDown(dataDir: string, user: PostgresUser, mode: 'fast' | 'immediate'): Promise<void> {
  const { cluster } = clusterPaths(dataDir);
  const server = await readPostmasterFile(cluster);
  if (!server || !(await isPostgresOn(cluster, server.pid))) return;
  if (process.platform === 'win32') await user.run('pg_ctl', ['stop', '-D', cluster, '-m', mode]);
  else process.kill(server.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(10)) {
    if ((await readPostmasterFile(cluster))?.pid !== server.pid) return;
    if (!(await isPostgresOn(cluster, server.pid))) return;
  }
  throw new EmbeddedPostgresFailed(
    `The embedded Postgres in ${dataDir} (process ${server.pid}) does not stop; end it.`,
  );
}

function settings(port: number, durable: boolean): string[] {
  return [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    'log_timezone=UTC',
    // The log stays on disk, so it must contain no statements and no row content.
    'log_error_verbosity=terse',
    'log_min_error_statement=panic',
    // Otherwise all commits wait about 50 ms while one of them writes 16 MB of zeros, as often as every second under
    // load.
    'wal_init_zero=off',
    ...(durable ? [] : NOT_DURABLE),
  ].flatMap((setting) => ['-c', setting]);
}

async function isReady(child: ChildProcess, cluster: string, port: number): Promise<boolean> {
  let over = false;
  child.once('exit', () => (over = true));
  child.once('error', () => (over = true));
  // Set no time limit for a recovery. Also compare the port, because in containers an old file may have this pid.
  while (!over) {
    const server = await readPostmasterFile(cluster);
    if (server?.ready && server.pid === child.pid && server.port === port) return true;
    await pause(10);
  }
  return false;
}
