// Operators do these things at the database and the machine of a running service.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Guests } from './guests.mjs';

const AGAIN_MS = 300;

/** Settings that change how Postgres writes and reads values. */
const FORMATS = {
  timezone: 'Asia/Kathmandu',
  datestyle: 'German, DMY',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '-3',
  standard_conforming_strings: 'off',
};

/** An action of an operator, and how to undo it. */
export class OperatorFaults {
  #guests;
  #rules;

  /** @param database its cluster, the service's role and password, and `url` for a superuser */
  constructor(database, stage, nodes) {
    this.database = database;
    this.nodes = nodes;
    this.#guests = new Guests(database.url);
    this.#rules = readFileSync(this.#ruleFile, 'utf8');
    stage.later(() => this.#guests.leave());
  }

  /**
   * Returns the functions that begin and end each error. `harmless` means that no call may fail meanwhile.
   *
   * @returns {Record<string, { begin: () => unknown, end: () => unknown, harmless?: boolean }>}
   */
  all() {
    return { ...this.#sessions(), ...this.#access(), ...this.#locks(), ...this.#settings() };
  }

  #sessions() {
    return {
      'listeners ended': { ...this.#repeat(() => this.#endSessions(`query LIKE 'LISTEN%'`)), harmless: true },
      'idle sessions ended': this.#repeat(() => this.#endSessions(`state = 'idle'`)),
      'all sessions ended': this.#repeat(() => this.#endSessions()),
      'machine suspended': { begin: () => this.#signalAll('SIGSTOP'), end: () => this.#signalAll('SIGCONT') },
    };
  }

  #access() {
    const { role, password } = this.database;
    const alter = (what) => `ALTER ROLE ${role} ${what}`;
    return {
      'no connection for the role': this.#changing(alter('CONNECTION LIMIT 0'), alter('CONNECTION LIMIT -1')),
      'few connections for the role': this.#changing(alter('CONNECTION LIMIT 6'), alter('CONNECTION LIMIT -1')),
      'role without login': this.#changing(alter('NOLOGIN'), alter('LOGIN')),
      'database closed': this.#changing(
        `ALTER DATABASE ${role} ALLOW_CONNECTIONS false`,
        `ALTER DATABASE ${role} ALLOW_CONNECTIONS true`,
      ),
      'rejected by pg_hba.conf': { begin: () => this.#rule('reject'), end: () => this.#rule(null) },
      'password changed': {
        begin: () => {
          this.database.cluster.sql(alter(`PASSWORD 'changed'`));
          this.#rule('scram-sha-256');
        },
        end: () => {
          this.database.cluster.sql(alter(`PASSWORD '${password}'`));
          this.#rule(null);
        },
      },
    };
  }

  #locks() {
    const locked = (table) => this.#holding(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const jobs = 'graphile_worker._private_jobs';
    return {
      'passes locked': locked('pass'),
      'jobs locked': locked(jobs),
      'push pages locked': locked('apple_push_page'),
      'rows of passes locked': this.#holding(`SELECT FROM pass WHERE id LIKE 'held-%' FOR UPDATE`),
      'account locked': this.#holding('SELECT FROM account FOR UPDATE'),
      'VACUUM FULL': this.#maintaining('VACUUM FULL pass', 'VACUUM FULL webhook_event', `VACUUM FULL ${jobs}`),
      REINDEX: this.#maintaining('REINDEX TABLE pass', `REINDEX TABLE ${jobs}`),
      'statistics deleted': { begin: () => this.database.sql('SELECT pg_stat_reset()'), end: () => undefined },
    };
  }

  #settings() {
    return {
      'other formats': this.#setting(FORMATS),
      'repeatable read': this.#setting({ default_transaction_isolation: 'repeatable read' }),
      serializable: this.#setting({ default_transaction_isolation: 'serializable' }),
      'idle sessions limited': this.#setting({ idle_session_timeout: '500ms' }),
      'locks limited': this.#setting({ lock_timeout: '100ms' }),
      'asynchronous commit': this.#setting({ synchronous_commit: 'off' }),
      'little memory': this.#setting({ work_mem: '64kB' }),
    };
  }

  #endSessions(which = 'true') {
    const { cluster, role } = this.database;
    cluster.sql(
      `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '${role}' AND pid <> pg_backend_pid() AND ${which}`,
    );
  }

  /** Stops and resumes the nodes and their database together, as a virtual machine does. */
  #signalAll(signal) {
    this.database.cluster.signal(signal);
    for (const { child } of this.nodes) child.kill(signal);
  }

  #repeat(step) {
    let ended = new AbortController();
    let work = Promise.resolve();
    const run = async ({ signal }) => {
      while (!signal.aborted) {
        await step();
        await pause(AGAIN_MS);
      }
    };
    const end = async () => {
      ended.abort();
      await work;
    };
    return { begin: () => void (work = run((ended = new AbortController()))), end };
  }

  /** Changes a role or a database. Ends the sessions, because only new ones notice the change. */
  #changing(begin, end) {
    const { cluster } = this.database;
    return {
      begin: () => {
        cluster.sql(begin);
        this.#endSessions();
      },
      end: () => cluster.sql(end),
    };
  }

  #setting(values) {
    const { cluster, role } = this.database;
    return {
      begin: () => {
        for (const [name, value] of Object.entries(values)) cluster.sql(`ALTER ROLE ${role} SET ${name} = '${value}'`);
        this.#endSessions();
      },
      end: () => {
        cluster.sql(`ALTER ROLE ${role} RESET ALL`);
        this.#endSessions();
      },
    };
  }

  #holding(statement) {
    return { begin: () => this.#guests.hold(['BEGIN', statement]), end: () => this.#guests.leave() };
  }

  #maintaining(...statements) {
    return this.#repeat(async () => {
      const guest = new Guests(this.database.url);
      // Postgres may end the operator's statement instead of the service's, because both wait for each other.
      await guest.hold(statements).catch(() => undefined);
      await guest.leave();
    });
  }

  /** Puts a rule for the service's role before all others, or removes it again. */
  #rule(method) {
    const { cluster, role } = this.database;
    writeFileSync(this.#ruleFile, `${method ? `host all ${role} all ${method}\n` : ''}${this.#rules}`);
    cluster.sql('SELECT pg_reload_conf()');
    if (method) this.#endSessions();
  }

  get #ruleFile() {
    return join(this.database.cluster.data, 'pg_hba.conf');
  }
}
