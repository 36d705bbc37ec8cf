// Ends sessions and statements of the nodes on their database server, again and again.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const EVERY_MS = 50;
const CRASH_EVERY_MS = 3000;
/** Selects the sessions that are in a statement or a transaction. */
const BUSY = `pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'`;

/** Errors that hit single sessions of the nodes, in the middle of their statements and transactions. */
export class SessionFaults {
  /** The number of sessions or statements that were ended. */
  count = 0;
  #ended = new AbortController();
  /** @type {Promise<void>} */
  #work = Promise.resolve();

  constructor(cluster) {
    this.cluster = cluster;
  }

  endSessions() {
    this.#begin(EVERY_MS, (client) => this.#apply(client, 'pg_terminate_backend'));
  }

  cancelStatements() {
    this.#begin(EVERY_MS, (client) => this.#apply(client, 'pg_cancel_backend'));
  }

  /** Kills one session with SIGKILL every few seconds. Postgres then ends all sessions, and recovers from its WAL. */
  killSessions() {
    this.#begin(EVERY_MS, async (client) => {
      const { rows } = await client.query(`SELECT pid FROM ${BUSY} ORDER BY random() LIMIT 1`);
      if (rows.length === 0) return;
      process.kill(rows[0].pid, 'SIGKILL');
      this.count += 1;
      await pause(CRASH_EVERY_MS);
    });
  }

  /** Restarts the server again and again. */
  restart() {
    this.#ended = new AbortController();
    this.count = 0;
    this.#work = this.#restart(this.#ended.signal);
  }

  /** Ends the current error. @returns how often it has hit the nodes */
  async end() {
    this.#ended.abort();
    await this.#work;
    return this.count;
  }

  #begin(everyMs, hit) {
    this.#ended = new AbortController();
    this.count = 0;
    this.#work = this.#repeat(everyMs, hit, this.#ended.signal);
  }

  async #repeat(everyMs, hit, signal) {
    while (!signal.aborted) {
      const client = new pg.Client({ connectionString: this.cluster.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        while (!signal.aborted) {
          await hit(client);
          await pause(everyMs);
        }
      } catch {
        // The server is recovering, so connect again.
        await pause(EVERY_MS);
      }
      await client.end().catch(() => undefined);
    }
  }

  async #apply(client, name) {
    const { rows } = await client.query(
      `SELECT count(*) FILTER (WHERE ${name}(pid)) AS hit FROM ${BUSY} AND random() < 0.3`,
    );
    this.count += Number(rows[0].hit);
  }

  async #restart(signal) {
    while (!signal.aborted) {
      await this.cluster.restart();
      this.count += 1;
      await pause(Math.random() * 500);
    }
  }
}
