import { constants } from 'node:fs';
import { access, chmod, mkdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clusterPaths, ensureCluster, ROLE } from './cluster.js';
import { EmbeddedPostgresFailed, OWN_SERVER } from './embedded-postgres-failed.js';
import { postgresBinaries } from './postgres-binaries.js';
import { postgresUser, type PostgresUser } from './postgres-user.js';
import {
  launch,
  type PostmasterFile,
  readPostmasterFile,
  removeMisleadingPostmasterFile,
  shutDown,
} from './postmaster.js';
import { isPostgresOn } from './running-process.js';
import { ServerSession } from './server-session.js';
import { withStartLock } from './start-lock.js';

/** The time limit for a start, for a stop, and for the end of a killed server's child processes. */
const TIMEOUT_MS = 60_000;

/** Options of `startEmbeddedPostgres`. */
export interface EmbeddedPostgresOptions {
  /** The folder of the cluster and the server's log, created if missing. Keep nothing else in it. */
  readonly dataDir: string;
  /** The name of the database, created if missing. Default: `passwright`. */
  readonly database?: string;
  /**
   * Makes commits survive a power failure, and restarts a killed server. Default: true. False is faster, but a failure
   * may lose all data, so use it only for tests.
   */
  readonly durable?: boolean;
}

/** A running embedded server. */
export interface EmbeddedPostgres {
  /** The address with the password: `postgres://…@127.0.0.1:port/database`. The role may create databases. */
  readonly url: string;
  readonly port: number;
  /** True if this call started the server; false if the server was already running. */
  readonly owned: boolean;
  /**
   * Stops using the server. When the last user stops, the server shuts down and ends open sessions, so close pools
   * first. A second call does nothing.
   */
  stop(): Promise<void>;
}

/**
 * Provides a real Postgres on `dataDir`: joins the running server, starts an existing cluster, or creates a new one.
 * The server listens on a free port of 127.0.0.1, protected by a random password that only the folder's owner can read.
 * Any number of processes on one machine can share the server, and it outlives a killed process. Use it for
 * development, tests and single nodes; production sets `DATABASE_URL`.
 * @throws EmbeddedPostgresFailed with the remedy when the server cannot run here
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { database = 'passwright', durable = true } = options;
  const dataDir = await makeDataDir(resolve(options.dataDir));
  return withStartLock(dataDir, async () => {
    const user = await userOf(dataDir);
    await ensureCluster(dataDir, user, durable);
    const { session, owned } = await joinOrLaunch(dataDir, user, durable);
    try {
      if (durable && !(await session.isDurable())) throw new EmbeddedPostgresFailed(notDurable(dataDir));
      await session.createDatabase(database);
    } catch (error) {
      await session.leave();
      throw error;
    }
    if (durable) session.revive = () => withStartLock(dataDir, () => relaunch(dataDir, user, session.port));
    return running(dataDir, user, session, database, owned);
  });
}

/**
 * Stops the server of `dataDir` immediately, even if processes use it, and deletes the folder. Use it for temporary
 * clusters. Does nothing if there is no server.
 */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  const path = await realpath(dataDir).catch(() => null);
  if (path === null) return;
  if (await readPostmasterFile(clusterPaths(path).cluster)) {
    await withStartLock(path, async () => shutDown(path, await userOf(path), 'immediate'));
  }
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

async function userOf(dataDir: string): Promise<PostgresUser> {
  return postgresUser(await postgresBinaries(dataDir), dataDir, clusterPaths(dataDir).cluster);
}

function running(
  dataDir: string,
  user: PostgresUser,
  session: ServerSession,
  database: string,
  owned: boolean,
): EmbeddedPostgres {
  let stopped: Promise<void> | undefined;
  const stop = () =>
    withStartLock(dataDir, async () => {
      // If the session cannot end properly, its server is gone, and there is nothing to stop.
      const last = await session.leave().catch(() => false);
      if (last) await shutDown(dataDir, user, 'fast');
    });
  return { url: session.url(database), port: session.port, owned, stop: () => (stopped ??= stop()) };
}

/**
 * Restarts the server on its former port, which open pools still use. Does nothing if another process has already
 * restarted it.
 */
async function relaunch(dataDir: string, user: PostgresUser, port: number): Promise<void> {
  const { cluster } = clusterPaths(dataDir);
  const server = await readPostmasterFile(cluster);
  if (server && (await isPostgresOn(cluster, server.pid))) return;
  if (server) await removeMisleadingPostmasterFile(cluster, server);
  // Null means that processes of the killed server are still ending. The next attempt follows soon.
  await launch(dataDir, user, true, port);
}

async function joinOrLaunch(
  dataDir: string,
  user: PostgresUser,
  durable: boolean,
): Promise<{ session: ServerSession; owned: boolean }> {
  const { cluster, password: passwordFile, log } = clusterPaths(dataDir);
  const password = (await readFile(passwordFile, 'utf8')).trim();
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await pause(50)) {
    const server = await readPostmasterFile(cluster);
    const session = server?.ready ? await join(cluster, server, password) : null;
    if (session) return { session, owned: false };
    if (server && (await isPostgresOn(cluster, server.pid))) continue;
    if (server) await removeMisleadingPostmasterFile(cluster, server);
    const port = await launch(dataDir, user, durable);
    if (port !== null) return { session: await ServerSession.open(port, password), owned: true };
  }
  throw new EmbeddedPostgresFailed(
    `The embedded Postgres in ${dataDir} neither answers nor ends; see ${log}. End what is left of it (the first line of ` +
      `${cluster}/postmaster.pid is its process id), ${OWN_SERVER}`,
  );
}

/**
 * Joins the running server of the cluster.
 * @returns null if it no longer responds on its last port
 */
async function join(cluster: string, { pid, port }: PostmasterFile, password: string): Promise<ServerSession | null> {
  try {
    return await ServerSession.open(port, password);
  } catch (error) {
    const rejected = (error as { code?: string }).code?.startsWith('28') ?? false;
    if (!rejected || !(await isPostgresOn(cluster, pid))) return null;
    throw new EmbeddedPostgresFailed(
      `The embedded Postgres in ${cluster} refuses the password in its folder. Give role ${ROLE} that password again, ` +
        OWN_SERVER,
    );
  }
}

/**
 * Creates the data directory.
 * @returns its real path, which appears in the server's command line
 */
async function makeDataDir(dataDir: string): Promise<string> {
  try {
    // Let the user that runs Postgres enter the folder. Its contents have their own modes.
    if (await mkdir(dataDir, { recursive: true })) await chmod(dataDir, 0o755);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new EmbeddedPostgresFailed(
      `The embedded Postgres can't keep its data in ${dataDir} (${(error as Error).message}). Give this user a folder to ` +
        `write to, ${OWN_SERVER}`,
    );
  }
  if (await stat(`${dataDir}/PG_VERSION`).catch(() => null)) {
    throw new EmbeddedPostgresFailed(
      `${dataDir} is the data folder of another Postgres. Name a folder of its own for the embedded one, ${OWN_SERVER}`,
    );
  }
  return realpath(dataDir);
}

function notDurable(dataDir: string): string {
  return (
    `The embedded Postgres that runs in ${dataDir} was started for tests and doesn't protect data against power failures. ` +
    `Stop what uses it, or name another data folder.`
  );
}
