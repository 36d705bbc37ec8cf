import { execFile, type SpawnOptions } from 'node:child_process';
import { chown, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresFailed, OWN_SERVER } from './embedded-postgres-failed.js';
import type { PostgresBinaries } from './postgres-binaries.js';

const run = promisify(execFile);
/**
 * The command that runs a program under another user id in a user namespace. The program keeps its file permissions,
 * even below a folder of mode 700.
 */
const AS_SOMEBODY = ['unshare', '--user', '--map-user=65534'];
const GUIDE = `Passwright can't run the embedded Postgres as this user`;

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** The OS user that runs Postgres. Postgres rejects root, and users that the system does not list. */
export class PostgresUser {
  constructor(
    readonly binaries: PostgresBinaries,
    private readonly prefix: readonly string[] = [],
    private readonly identity: Identity | null = null,
  ) {}

  /** Returns the arguments of `child_process.spawn` for a Postgres program. */
  command(program: string, args: readonly string[]): readonly [string, string[], SpawnOptions] {
    const [file = program, ...rest] = [...this.prefix, join(this.binaries.binDir, program), ...args];
    return [file, rest, { ...this.identity, env: this.binaries.env, cwd: '/', windowsHide: true }];
  }

  /** Runs a program until it exits. @throws an error with `stdout` and `stderr` if it fails */
  async run(program: string, args: readonly string[]): Promise<string> {
    const [file, rest, { uid, gid, env, cwd }] = this.command(program, args);
    return (await run(file, rest, { uid, gid, env, cwd })).stdout;
  }

  /** Makes the user the owner of a file that this process created. */
  async own(path: string): Promise<void> {
    if (this.identity) await chown(path, this.identity.uid, this.identity.gid);
  }

  /** Returns true if the user can run the binaries and enter `dataDir`. Finds out by trial. */
  async reaches(dataDir: string): Promise<boolean> {
    if (process.platform === 'win32') return true;
    const [postgres] = new PostgresUser(this.binaries).command('postgres', []);
    const script = 'cd -- "$1" && exec "$2" --version';
    const [file = '', ...args] = [...this.prefix, '/bin/sh', '-c', script, 'sh', dataDir, postgres];
    return run(file, args, { ...this.identity, env: this.binaries.env, cwd: '/' }).then(
      () => true,
      () => false,
    );
  }
}

/**
 * Returns the user that runs the cluster in `clusterDir`: the user of this process, unless it is root, which Postgres
 * rejects. Root uses the owner of an existing cluster. For a new cluster, root uses `postgres` or `nobody` if that user
 * can reach the data, and otherwise a user namespace.
 * @throws EmbeddedPostgresFailed if no user works
 */
export async function postgresUser(
  binaries: PostgresBinaries,
  dataDir: string,
  clusterDir: string,
): Promise<PostgresUser> {
  const self = new PostgresUser(binaries);
  if (!process.getuid) return self;
  const owner = await stat(clusterDir).catch(() => null);
  if (process.getuid() === 0) return userForRoot(binaries, dataDir, owner);
  if (owner && owner.uid !== process.getuid()) throw othersCluster(clusterDir, owner.uid);
  if (hasName()) return self;
  const somebody = new PostgresUser(binaries, AS_SOMEBODY);
  if (await somebody.reaches(dataDir)) return somebody;
  throw new EmbeddedPostgresFailed(
    `${GUIDE}: user id ${process.getuid()} has no entry in /etc/passwd, which Postgres demands. Add one, ${OWN_SERVER}`,
  );
}

async function userForRoot(binaries: PostgresBinaries, dataDir: string, owner: Identity | null): Promise<PostgresUser> {
  const identities = owner ? [owner] : await unprivileged();
  const others = identities.filter(({ uid }) => uid !== 0).map(({ uid, gid }) => ({ uid, gid }));
  const users = others.map((identity) => new PostgresUser(binaries, [], identity));
  if (!owner || owner.uid === 0) users.push(new PostgresUser(binaries, AS_SOMEBODY));
  for (const user of users) if (await user.reaches(dataDir)) return user;
  throw new EmbeddedPostgresFailed(
    owner && owner.uid !== 0
      ? `${GUIDE}: the data in ${dataDir} belongs to user id ${owner.uid}, who must be able to enter that folder and ` +
          `${binaries.binDir}. Open them (chmod o+x), ${OWN_SERVER}`
      : `${GUIDE}: Postgres refuses root, users postgres and nobody can't enter ${dataDir} and ${binaries.binDir}, and ` +
          `user namespaces are off. Run as an ordinary user, move the project out of a private folder, ${OWN_SERVER}`,
  );
}

async function unprivileged(): Promise<Identity[]> {
  const identities: Identity[] = [];
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name]).catch(() => null)));
    const [uid, gid] = ids.map((response) => Number(response?.stdout ?? NaN));
    // macOS lists the id of nobody as -2, which the system reads as an unsigned number.
    if (Number.isInteger(uid) && Number.isInteger(gid))
      identities.push({ uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 });
  }
  return identities;
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

function othersCluster(clusterDir: string, uid: number): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    `The embedded Postgres's data in ${clusterDir} belongs to user id ${uid}, made by an earlier start as another user. ` +
      `Start as that user, delete the folder to begin afresh, ${OWN_SERVER}`,
  );
}
