import { Socket } from 'node:net';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import { searchPathSql, serviceClient, serviceName } from '@passwright/database';
import type { Client } from 'pg';
import { type Claimant, CLAIMANT_LOCKS } from './outbound/claimant.service.js';

/** The first half of every worker's advisory lock: an arbitrary number, the bytes of "jobs". */
export const PRESENCE_LOCKS = 0x6a6f6273;

/** Returns SQL for the second half of the lock, derived from the worker's id. */
export const presenceKey = (id: string): string => `(hashtext(${id}) & 2147483647)`;

const NAME_LENGTH = 63;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** A connection on which only this file makes settings. */
const PresenceClient = serviceClient(0, { pooled: true });

/* Makes the server notice within six seconds if this machine disappears. Statements wait only briefly for locks. */
const sessionSql = (
  schema: string | null,
) => `SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3;
  SET lock_timeout = '1s'; SET idle_session_timeout = 0; SET jit = off; ${searchPathSql(schema)}`;

export interface WorkerPresenceOptions {
  readonly url: string;
  /** The schema of the tables; null if the connection's own search_path decides. */
  readonly schema: string | null;
  /** The worker's ids in graphile-worker. */
  readonly workerIds: readonly string[];
  /** The claimant. Its lock is taken and released together with the worker's. */
  readonly claimant: Claimant;
  /** If the server does not respond for this time, the worker releases its jobs. */
  readonly lostAfterMs: number;
  readonly beatMs: number;
  /** Called repeatedly on the connection, which also tests the connection. */
  readonly beat: (client: Client) => Promise<void>;
  /** Called when the worker releases its jobs. */
  readonly onLost: () => void;
  /** Called after `onLost` when the worker is about to begin jobs again. */
  readonly onShownAgain: () => Promise<void>;
  readonly logger: Logger;
}

/**
 * Shows other processes that a worker is alive, by an advisory lock on a separate connection. Without the connection,
 * the worker begins no job until it has reconnected. After `lostAfterMs` without a response, it also releases its
 * running jobs, because other processes may consider it dead.
 */
export class WorkerPresence {
  private readonly name: string;
  private readonly stopping = new AbortController();
  private readonly over: Promise<void>;
  private socket: Socket | null = null;
  private lost = new AbortController();
  private isShown = false;
  private confirmedAt = performance.now();
  private waiting: (() => void)[] = [];
  private readonly watchdog: NodeJS.Timeout;

  constructor(private readonly options: WorkerPresenceOptions) {
    // Shorten the name as Postgres does, so that the query below finds it.
    this.name = `${serviceName(options.schema)} ${options.workerIds[0]}`.slice(0, NAME_LENGTH);
    this.watchdog = setTimeout(() => void this.giveUpUnlessConfirmed(), options.lostAfterMs).unref();
    this.over = this.run();
  }

  /**
   * Aborts when other processes may consider the worker dead. There is a new signal once they can see the worker again.
   */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** Resolves when other processes can see the worker, or when the worker stops. */
  shown(): Promise<void> {
    if (this.isShown || this.stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Releases everything that waits for `shown`. */
  release(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.release();
    await this.over;
    clearTimeout(this.watchdog);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        const client = await this.connect();
        await this.show(client);
        pauseMs = FIRST_PAUSE_MS;
        await this.beatUntilStopped(client);
      } catch (error) {
        if (this.isShown)
          this.options.logger.warn(`The connection that shows this worker is lost: ${loggedError(error).message}`);
        this.isShown = false;
      }
      this.options.claimant.isShown = false;
      // Do not wait for a server that does not respond.
      this.socket?.destroy();
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  private async connect(): Promise<Client> {
    const socket = new Socket();
    this.socket = socket;
    const client = new PresenceClient({
      stream: () => socket,
      connectionString: this.options.url,
      application_name: this.name,
    });
    await this.inTime(client.connect());
    return client;
  }

  private async show(client: Client): Promise<void> {
    await this.inTime(client.query(sessionSql(this.options.schema)));
    // End an earlier connection that the server still considers alive, because it would hold the lock.
    await this.inTime(
      client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
        [this.name],
      ),
    );
    await this.inTime(
      client.query(`SELECT pg_advisory_lock(${PRESENCE_LOCKS}, ${presenceKey('id')}) FROM unnest($1::text[]) AS id`, [
        this.options.workerIds,
      ]),
    );
    // Take a shared lock, because the connection of an earlier worker of this process may still hold it.
    await this.inTime(
      client.query(`SELECT pg_advisory_lock_shared(${CLAIMANT_LOCKS}, $1::int)`, [this.options.claimant.id]),
    );
    // Send a heartbeat before the first job, because it also reads which jobs must not run.
    await this.inTime(this.options.beat(client));
    this.confirm();
    if (this.lost.signal.aborted) {
      await this.options.onShownAgain();
      this.options.logger.log('This worker is shown again');
      this.lost = new AbortController();
    }
    this.isShown = true;
    this.options.claimant.isShown = true;
    this.release();
  }

  private async beatUntilStopped(client: Client): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.inTime(this.options.beat(client));
      this.confirm();
      await pause(this.options.beatMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private confirm(): void {
    this.confirmedAt = performance.now();
    this.watchdog.refresh();
  }

  private async giveUpUnlessConfirmed(): Promise<void> {
    // Wait for one more response, because this process itself may have been suspended.
    await pause(this.options.beatMs, undefined, { ref: false });
    if (performance.now() - this.confirmedAt < this.options.lostAfterMs || this.stopping.signal.aborted) return;
    this.options.logger.warn('This worker gives up its jobs: without the database others may take them');
    this.lost.abort(new Error('This worker has lost the database; others may take its jobs'));
    // Connect again even if the server now responds on this connection, because only then is the worker shown again.
    if (this.isShown) this.socket?.destroy();
    this.options.onLost();
  }

  /**
   * Waits for the server's response.
   * @throws Error if the response does not come in time
   */
  private async inTime<T>(response: Promise<T>): Promise<T> {
    const done = new AbortController();
    const late = pause(this.options.lostAfterMs, undefined, { signal: done.signal }).then(async () => {
      // Read a response that may have arrived while this process was suspended.
      await nextRound();
      await nextRound();
      throw new Error(`no response in ${this.options.lostAfterMs} ms`);
    });
    late.catch(() => undefined);
    response.catch(() => undefined);
    try {
      return await Promise.race([response, late]);
    } finally {
      done.abort();
    }
  }
}
