// A separate Postgres cluster from Debian's packages. Soak tests start, stop, kill and fill it.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './nodes.mjs';

/** Postgres rejects writes once its transaction number is within three million of this number. */
const WRAPAROUND = 2 ** 31;
const TRANSACTIONS_PER_FILE = 1024 * 1024;
const LIBRARY = '/usr/lib/postgresql';

/**
 * Returns the folder with `initdb` and `pg_ctl`: PG_BIN, or else the folder of Debian's newest server. Returns null if
 * there is none.
 */
function findPrograms() {
  if (process.env.PG_BIN) return process.env.PG_BIN;
  const versions = existsSync(LIBRARY)
    ? readdirSync(LIBRARY).filter((name) => existsSync(`${LIBRARY}/${name}/bin/initdb`))
    : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  return newest ? `${LIBRARY}/${newest}/bin` : null;
}

export function hasServer() {
  return findPrograms() !== null;
}

function serverPrograms() {
  const programs = findPrograms();
  if (!programs) throw new Error('Install the Debian package postgresql, or set PG_BIN to the folder of its programs.');
  return programs;
}

/**
 * Runs SQL on the server at `url`.
 * @returns the rows as text, one row per line
 */
export function runSql(url, text) {
  const program = join(serverPrograms(), 'psql');
  return execFileSync(program, ['-qAtc', text, url], { encoding: 'utf8' }).trim();
}

/**
 * Creates and starts a cluster. Postgres refuses to run as root, so root starts it as the user `postgres`.
 * @param {{ parent?: string, settings?: Record<string, string>, env?: Record<string, string> }} options parent: the
 * folder for its data; settings: lines of postgresql.conf; env: the variables of its processes
 */
export async function startCluster({ parent = '/tmp', settings = {}, env = {} } = {}) {
  const cluster = new PostgresCluster(
    mkdtempSync(join(parent, 'passwright-cluster-')),
    await freePort(),
    settings,
    env,
  );
  cluster.initialise();
  cluster.start();
  return cluster;
}

export class PostgresCluster {
  constructor(folder, port, settings, env) {
    this.folder = folder;
    this.port = port;
    this.settings = settings;
    this.env = env;
    this.data = join(folder, 'data');
    this.programs = serverPrograms();
    this.url = `postgres://passwright:soak@127.0.0.1:${port}/postgres`;
  }

  initialise() {
    if (userInfo().uid === 0) chownSync(this.folder, this.#idOf('-u'), this.#idOf('-g'));
    chmodSync(this.folder, 0o700);
    this.#run('initdb', '-D', this.data, '-U', 'passwright', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  }

  /** Starts the server and waits until it accepts connections. */
  start() {
    const settings = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.folder,
      ...this.settings,
    };
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
    this.#run('pg_ctl', '-D', this.data, '-w', '-t', '60', '-l', this.#log, '-o', options.join(' '), 'start');
  }

  /** Restarts the server in mode `fast`, without blocking this process. */
  async restart() {
    const [command, ...words] = this.#command(
      'pg_ctl',
      '-D',
      this.data,
      '-w',
      '-m',
      'fast',
      '-l',
      this.#log,
      'restart',
    );
    // The server inherits the output streams, so do not wait for their end.
    const child = spawn(command, words, { cwd: this.folder, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`The server does not restart: pg_ctl exits with ${code}.`);
  }

  /** @param {'smart' | 'fast' | 'immediate'} mode */
  stop(mode = 'fast') {
    this.#run('pg_ctl', '-D', this.data, '-w', '-m', mode, 'stop');
  }

  /** Restarts the server with so few transaction ids left that it rejects writes until it is vacuumed. */
  useUpTransactionIds() {
    const next = WRAPAROUND - 1_000_000;
    this.stop();
    // The server needs the file with the states of these transactions.
    const file = Math.floor(next / TRANSACTIONS_PER_FILE)
      .toString(16)
      .toUpperCase()
      .padStart(4, '0');
    const path = join(this.data, 'pg_xact', file);
    writeFileSync(path, Buffer.alloc(TRANSACTIONS_PER_FILE / 4));
    if (userInfo().uid === 0) chownSync(path, this.#idOf('-u'), this.#idOf('-g'));
    this.#run('pg_resetwal', '-x', String(next), '-D', this.data);
    this.start();
  }

  /** Stops the server, vacuums all databases in single-user mode, and starts it again. */
  vacuumAlone() {
    const databases = this.sql('SELECT datname FROM pg_database').split('\n');
    this.stop();
    for (const database of databases) {
      const [command, ...words] = this.#command('postgres', '--single', '-D', this.data, database);
      execFileSync(command, words, { cwd: this.folder, input: 'VACUUM FREEZE\n', stdio: ['pipe', 'ignore', 'ignore'] });
    }
    this.start();
  }

  /** Kills the main process (postmaster). The other processes then end by themselves. */
  killPostmaster() {
    process.kill(this.postmaster, 'SIGKILL');
  }

  get postmaster() {
    return Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  }

  /** The ids of all processes of the server, the postmaster first. */
  get processes() {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(this.postmaster)], { encoding: 'utf8' });
    return [this.postmaster, ...stdout.split(/\s+/).filter(Boolean).map(Number)];
  }

  /** Sends a signal to every process of the server. SIGSTOP freezes the server, and SIGCONT resumes it. */
  signal(name) {
    for (const pid of this.processes) process.kill(pid, name);
  }

  /** Runs SQL over the server's socket, which bypasses any proxy. */
  sql(text, database = 'postgres') {
    return execFileSync(
      join(this.programs, 'psql'),
      ['-h', this.folder, '-p', String(this.port), '-U', 'passwright', '-qAtc', text, database],
      {
        encoding: 'utf8',
        env: { ...process.env, PGOPTIONS: '-c default_transaction_read_only=off' },
        // After an hour of load, there are hundreds of thousands of rows to read.
        maxBuffer: Infinity,
      },
    ).trim();
  }

  /** Ends the server and deletes its data. */
  remove() {
    if (existsSync(join(this.data, 'postmaster.pid'))) {
      try {
        this.stop('immediate');
      } catch {
        // The server has already ended.
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #log() {
    return join(this.folder, 'log');
  }

  #run(program, ...args) {
    const [command, ...words] = this.#command(program, ...args);
    execFileSync(command, words, { cwd: this.folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** Returns the command that runs a program of Postgres as the user of the server. */
  #command(program, ...args) {
    // Set the variables with `env` after the change of user. Under root, libfaketime would block the server.
    const variables = Object.entries(this.env).map(([name, value]) => `${name}=${value}`);
    const command = ['env', ...variables, join(this.programs, program), ...args];
    if (userInfo().uid === 0) command.unshift('runuser', '-u', 'postgres', '--');
    return command;
  }

  #idOf(flag) {
    return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  }
}
