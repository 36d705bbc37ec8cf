import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@passwright/database';
import { freePort } from '@passwright/embedded-postgres';
import { newServerFolder } from './server-folders.js';

const LIBRARY = '/usr/lib/postgresql';

/** Returns the folder with the programs of Debian's newest installed Postgres, or null if there is none. */
export function debianPrograms(): string | null {
  const versions = existsSync(LIBRARY) ? readdirSync(LIBRARY) : [];
  const [newest] = versions
    .filter((name) => existsSync(join(LIBRARY, name, 'bin/initdb')))
    .sort((a, b) => Number(b) - Number(a));
  return newest === undefined ? null : join(LIBRARY, newest, 'bin');
}

/** A server of Debian's Postgres with its own data folder. */
export class DebianPostgres {
  private constructor(
    private readonly programs: string,
    private readonly parent: string,
    readonly folder: string,
    readonly port: number,
  ) {}

  /** Creates and starts a server with its own system identifier. */
  static async start(): Promise<DebianPostgres> {
    const server = await DebianPostgres.prepare();
    server.initialize();
    server.start();
    return server;
  }

  /**
   * Starts a server with a copy of data that the run creates only once: an empty database, or our tables. All servers
   * with the same data have the same system identifier.
   */
  static async startCopy(of: 'empty' | 'migrated'): Promise<DebianPostgres> {
    const server = await DebianPostgres.prepare();
    const { PASSWRIGHT_TEST_FOLDER: shared = server.parent } = process.env;
    const made = join(shared, `debian-${of}`);
    if (!existsSync(made)) await DebianPostgres.make(made, of === 'migrated');
    server.run('cp', '-a', made, server.data);
    server.start();
    return server;
  }

  /** Starts a standby that replicates `primary`. */
  static async standbyOf(primary: DebianPostgres): Promise<DebianPostgres> {
    const server = await DebianPostgres.prepare();
    server.follow(primary);
    return server;
  }

  /** Creates a data folder for copies. Another process may be faster, and then its folder stays. */
  private static async make(made: string, migrated: boolean): Promise<void> {
    // Create it beside its final place, because a folder cannot be renamed into another file system.
    const parent = mkdtempSync(`${made}-`);
    chmodSync(parent, 0o755);
    const server = await DebianPostgres.prepare(parent);
    try {
      server.initialize();
      if (migrated) {
        server.start();
        await migrate(server.url);
        server.stop();
      }
      renameSync(server.data, made);
    } catch (error) {
      if (!existsSync(made)) throw error;
    } finally {
      server.remove();
    }
  }

  private static async prepare(inside?: string): Promise<DebianPostgres> {
    const programs = debianPrograms();
    if (!programs) throw new Error('Install the Debian package postgresql.');
    const parent = inside ?? (await newServerFolder());
    const folder = join(parent, 'server');
    mkdirSync(folder, { mode: 0o700 });
    const owner = ownerOfServers();
    if (owner) chownSync(folder, owner.uid, owner.gid);
    return new DebianPostgres(programs, parent, folder, await freePort());
  }

  get url(): string {
    return `postgres://passwright@127.0.0.1:${this.port}/postgres`;
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  start(): void {
    const settings = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`;
    this.run('pg_ctl', '-D', this.data, '-w', '-l', join(this.folder, 'log'), '-o', settings, 'start');
  }

  /** Stops the server without a shutdown, as a power cut would. The next start recovers from the WAL. */
  crash(): void {
    this.run('pg_ctl', '-D', this.data, '-w', '-m', 'immediate', 'stop');
  }

  stop(): void {
    this.run('pg_ctl', '-D', this.data, '-w', '-m', 'fast', 'stop');
  }

  /** Replaces the data of a stopped server with a copy of `primary`, and starts it as a standby. */
  follow(primary: DebianPostgres): void {
    rmSync(this.data, { recursive: true, force: true });
    this.run('pg_basebackup', '-D', this.data, '-R', '-c', 'fast', '--no-sync', '-d', primary.url);
    this.start();
  }

  promote(): void {
    this.run('pg_ctl', '-D', this.data, '-w', 'promote');
  }

  /** Copies the data folder of a stopped server. */
  snapshot(): void {
    this.run('cp', '-a', this.data, join(this.folder, 'snapshot'));
  }

  /** Replaces the data folder of a stopped server with the snapshot. */
  rollBack(): void {
    rmSync(this.data, { recursive: true });
    this.run('cp', '-a', join(this.folder, 'snapshot'), this.data);
  }

  remove(): void {
    if (existsSync(join(this.data, 'postmaster.pid'))) this.crash();
    rmSync(this.parent, { recursive: true, force: true });
  }

  private initialize(): void {
    this.run('initdb', '-D', this.data, '-U', 'passwright', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  }

  private run(program: string, ...args: string[]): void {
    const installed = join(this.programs, program);
    const path = existsSync(installed) ? installed : program;
    const command = ownerOfServers() ? ['runuser', '-u', 'postgres', '--', path, ...args] : [path, ...args];
    const [name = '', ...rest] = command;
    execFileSync(name, rest, { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

let owner: { uid: number; gid: number } | null | undefined;

/**
 * Returns the OS user for the server. If this process runs as root, it is the user of Debian's package, because
 * Postgres rejects root.
 */
function ownerOfServers(): { uid: number; gid: number } | null {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return (owner ??= userInfo().uid === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null);
}
