// Runs PgBouncer from its Debian package, or the program in PGBOUNCER.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './nodes.mjs';
import { runSql } from './postgres-cluster.mjs';
import { within } from './stage.mjs';

const PROGRAM = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer';
const START_SECONDS = 10;

/**
 * The pool sizes by mode. In session mode, two nodes need more connections than the default of 20. In transaction mode,
 * they share a few.
 */
const poolSizes = {
  session: { default_pool_size: 80 },
  transaction: { default_pool_size: 8, server_round_robin: 1 },
};

export function hasPgBouncer() {
  return existsSync(PROGRAM);
}

export class PgBouncer {
  /**
   * Starts a PgBouncer in front of a cluster.
   * @param {'session' | 'transaction'} mode
   * @param {Record<string, string | number>} more additional settings of PgBouncer
   */
  static async start(cluster, mode, more = {}) {
    const pooler = new PgBouncer(await freePort(), join(cluster.folder, `pgbouncer-${mode}.ini`));
    const users = join(cluster.folder, 'users.txt');
    writeFileSync(users, '"passwright" "soak"\n', { mode: 0o644 });
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: pooler.port,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: users,
      admin_users: 'passwright',
      pool_mode: mode,
      ...poolSizes[mode],
      ...more,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const databases = `[databases]\n* = host=127.0.0.1 port=${cluster.port}\n`;
    writeFileSync(pooler.file, `${databases}[pgbouncer]\n${lines.join('\n')}\n`, { mode: 0o644 });
    await pooler.run();
    return pooler;
  }

  /**
   * Returns the variables of nodes that use this PgBouncer, except DATABASE_URL. Sets limits on the database role,
   * because nodes cannot set them in transaction mode.
   */
  static environmentOf(cluster, mode, database) {
    if (mode === 'session') return {};
    const limits = { jit: 'off', statement_timeout: '8s', idle_in_transaction_session_timeout: '60s' };
    for (const [name, value] of Object.entries(limits))
      cluster.sql(`ALTER ROLE passwright IN DATABASE ${database} SET ${name} = '${value}'`);
    const direct = Object.assign(new URL(cluster.url), { pathname: database });
    return { DATABASE_DIRECT_URL: direct.href, DATABASE_PREPARED_STATEMENTS: 'off' };
  }

  constructor(port, file) {
    this.port = port;
    this.file = file;
  }

  /**
   * Starts the program and waits until it accepts connections. PgBouncer refuses to run as root, so root starts it as
   * another user.
   */
  async run() {
    const user = userInfo().uid === 0 ? ['-u', 'postgres'] : [];
    this.child = spawn(PROGRAM, ['-q', ...user, this.file], { stdio: 'ignore' });
    if ((await within(START_SECONDS, () => this.#takesConnections())) === Infinity) {
      throw new Error(`PgBouncer does not start with ${this.file}.`);
    }
  }

  /** Sends a command to PgBouncer's console. */
  command(text) {
    return runSql(`postgres://passwright@127.0.0.1:${this.port}/pgbouncer`, text);
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }

  async #takesConnections() {
    const socket = connect(this.port, '127.0.0.1');
    const [connected] = await Promise.race([
      once(socket, 'connect').then(() => [true]),
      once(socket, 'close').then(() => [false]),
    ]).catch(() => [false]);
    socket.destroy();
    return connected;
  }
}
