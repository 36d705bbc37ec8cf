import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@passwright/embedded-postgres';
import type { DebianPostgres } from './debian-postgres.js';

/** The PgBouncer of Debian's package, unless PGBOUNCER names another program. */
const PROGRAM = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer';
const START_MS = 10_000;

/** Returns true if PgBouncer is installed. */
export function hasPgBouncer(): boolean {
  return existsSync(PROGRAM);
}

/**
 * Returns the setting for prepared statements in transaction mode; no setting for a PgBouncer before 1.21, which lacks
 * it.
 * @param most the number of statements to keep; 0 keeps none
 */
export function preparedStatements(most: number): { max_prepared_statements?: number } {
  return keepsPreparedStatements() ? { max_prepared_statements: most } : {};
}

/** Returns true if the installed PgBouncer can keep prepared statements in transaction mode. */
export function keepsPreparedStatements(): boolean {
  const [, minor] = /PgBouncer 1\.(\d+)/.exec(execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(minor) >= 21;
}

/** A PgBouncer in front of a database server. */
export class PgBouncer {
  private constructor(
    private readonly server: DebianPostgres,
    private readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Starts a PgBouncer.
   * @param settings lines of pgbouncer.ini, in addition to the address and the roles
   */
  static async start(server: DebianPostgres, settings: Record<string, string | number>): Promise<PgBouncer> {
    const port = await freePort();
    const file = join(server.folder, `pgbouncer-${port}.ini`);
    const users = join(server.folder, `users-${port}.txt`);
    const all = {
      ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '' },
      ...{ auth_type: 'trust', auth_file: users, admin_users: 'passwright' },
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
    writeFileSync(users, '"passwright" ""\n', { mode: 0o644 });
    writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\n${lines.join('')}`, {
      mode: 0o644,
    });
    // PgBouncer does not run as root.
    const user = userInfo().uid === 0 ? ['-u', 'postgres'] : [];
    const child = spawn(PROGRAM, ['-q', ...user, file], { stdio: 'ignore' });
    const pooler = new PgBouncer(server, port, child);
    await pooler.accepts();
    return pooler;
  }

  /** The address of the server's database through PgBouncer. */
  get url(): string {
    return Object.assign(new URL(this.server.url), { port: String(this.port) }).href;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }

  private async accepts(): Promise<void> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      const socket = connect(this.port, '127.0.0.1');
      const connected = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (connected) return;
      if (performance.now() > deadline || this.child.exitCode !== null) throw new Error('PgBouncer does not start.');
      await pause(20);
    }
  }
}
