/**
 * A primary and a synchronous standby of Debian's Postgres. This module is their cluster manager: it knows the leader,
 * reports over HTTP whether a server is the leader, promotes the standby, and makes the former primary a standby.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { freePort } from './nodes.mjs';
import { runSql } from './postgres-cluster.mjs';

const HAPROXY = '/usr/sbin/haproxy';

export function hasHaProxy() {
  return existsSync(HAPROXY);
}

export class Pair {
  #worker = new Worker(new URL('pair-worker.mjs', import.meta.url));
  /** @type {Worker | undefined} */
  #checks;
  #pending = new Map();
  #calls = 0;
  /** @type {{ url: string, port: number, folder: string }[]} */
  servers = [];
  /** The index of the primary in `servers`. */
  leader = 0;

  static async start(stage) {
    const pair = new Pair();
    const [{ servers }] = await once(pair.#worker, 'message');
    pair.servers = servers;
    pair.#worker.on('message', ({ id, error }) => {
      const { resolve, reject } = pair.#pending.get(id);
      pair.#pending.delete(id);
      if (error) reject(new Error(error));
      else resolve();
    });
    stage.later(async () => {
      for (const at of [0, 1]) {
        pair.signal(at, 'SIGCONT');
        await pair.#run(at, 'remove');
      }
      await pair.#worker.terminate();
    });
    pair.#replicateSynchronously();
    return pair;
  }

  get standby() {
    return 1 - this.leader;
  }

  /** Makes the primary crash. */
  die() {
    return this.#run(this.leader, 'crash');
  }

  /** Stops the primary properly, after the standby has received everything. */
  stop() {
    return this.#run(this.leader, 'stop');
  }

  /** Sends a signal to all processes of a server. SIGSTOP freezes the server, and SIGCONT resumes it. */
  signal(at, name) {
    const file = join(this.servers[at].folder, 'data', 'postmaster.pid');
    if (!existsSync(file)) return;
    const postmaster = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
    for (const pid of [postmaster, ...stdout.split(/\s+/).filter(Boolean).map(Number)]) {
      try {
        process.kill(pid, name);
      } catch {
        // The process has ended.
      }
    }
  }

  /** Makes the standby the primary. From then on, the other server is not the leader, even if it still runs. */
  async promote() {
    this.leader = this.standby;
    this.#checks?.postMessage(this.leader);
    await this.#run(this.leader, 'promote');
  }

  /** Makes the former primary a standby. The former primary must be stopped. */
  async rejoin() {
    await this.#run(this.standby, 'follow', this.leader);
    this.#replicateSynchronously();
  }

  /** Ends the former primary. A cluster manager does this when a server has lost the leader's key. */
  demote() {
    return this.#run(this.standby, 'crash');
  }

  /** Starts the crashed former primary as it was, so that both servers accept writes. It no longer waits for a standby. */
  async comeBack() {
    await this.#run(this.standby, 'start');
    this.formerSql('ALTER SYSTEM RESET synchronous_standby_names');
    this.formerSql('SELECT pg_reload_conf()');
  }

  /**
   * Starts HAProxy in front of both servers. HAProxy asks which server is the leader, and closes the sessions on the
   * other one.
   * @returns the address of the primary through HAProxy
   */
  async startHaProxy(stage) {
    const port = await freePort();
    const workerData = this.servers.map(({ url }) => url);
    const checks = new Worker(new URL('pair-checks.mjs', import.meta.url), { workerData });
    stage.later(() => checks.terminate());
    const [checkPorts] = await once(checks, 'message');
    this.#checks = checks;
    const file = join(this.servers[0].folder, 'haproxy.cfg');
    const lines = this.servers.map(
      (server, at) => `  server s${at} 127.0.0.1:${server.port} check port ${checkPorts[at]}`,
    );
    writeFileSync(
      file,
      `defaults
  mode tcp
  timeout connect 2s
  retries 0
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${lines.join('\n')}
`,
    );
    const child = spawn(HAPROXY, ['-q', '-db', '-f', file], { stdio: 'ignore' });
    stage.later(() => child.kill());
    return `postgres://passwright@127.0.0.1:${port}/postgres`;
  }

  /** Runs SQL on the primary. @returns the rows as text, one per line */
  sql(text) {
    return runSql(this.servers[this.leader].url, text);
  }

  /** Runs SQL on the server that is not the primary. @returns the rows as text, one per line */
  formerSql(text) {
    return runSql(this.servers[this.standby].url, text);
  }

  /** Ends all client sessions on the primary once, as a network error does. */
  cutSessions() {
    this.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`);
  }

  #replicateSynchronously() {
    this.sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    this.sql('SELECT pg_reload_conf()');
  }

  #run(at, command, other) {
    const id = (this.#calls += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, at, command, other });
    });
  }
}
