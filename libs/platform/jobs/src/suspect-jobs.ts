import { type QueueTables, queueTables } from '@passwright/database';
import type { Logger } from '@nestjs/common';
import type { ClientBase, Pool } from 'pg';
import { KEYED, payloadHash, queueKey, SUSPECT } from './queue.js';
import { halvesOf } from './suspect-work.js';

/** A job is set aside after its process has died this number of times. */
const DEATHS_AT_MOST = 3;

/**
 * A job runs alone once this many processes have died while they ran it. In our own queues, work runs alone once it has
 * this many open claims.
 */
export const DEATHS_BESIDE_OTHERS = DEATHS_AT_MOST - 1;

/**
 * The number of open claims that a row of our own queues gets if its separate job could not send it. The next claim
 * then tries it together with other rows.
 */
export const CLAIMS_GIVEN_BACK = DEATHS_BESIDE_OTHERS - 1;

/** How long suspect work of our own queues waits while a separate job tries it. */
export const SUSPECT_PAUSE_MS = 60 * 60_000;

/**
 * Returns true if too many processes have died with a claimed row of our own queues. Then a separate job must try this
 * row alone (`Jobs.addSuspects`).
 * @param openClaims the number of claims since a result was last recorded, including this one
 */
export function isSuspect({ openClaims }: { readonly openClaims: number }): boolean {
  return openClaims > DEATHS_BESIDE_OTHERS;
}

/** The properties that identify a job in the queue. */
export interface QueuedWork {
  readonly id: string;
  readonly task: string;
  readonly payload: unknown;
  readonly flags: Readonly<Record<string, true>> | null;
}

/** A job that was running when its process died. */
export interface BlamedWork extends QueuedWork {
  readonly key: string | null;
  readonly max_attempts: number;
}

/** A job whose process has died at least once while it ran. */
export interface SuspectJob {
  readonly deaths: number;
  /** True while the job runs alone, according to the database. */
  readonly isAlone: boolean;
  readonly isSetAside: boolean;
}

interface SuspectRow {
  readonly id: string;
  readonly deaths: number;
  readonly alone: boolean;
  readonly set_aside: boolean;
}

const selectSql = `SELECT id, deaths, alone, set_aside_at IS NOT NULL AS set_aside FROM suspect_job`;

/**
 * Tracks the jobs that may have crashed their process. A job whose process has died twice runs alone. If the process
 * dies again, the job is the cause and is set aside, or halved if it consists of several units. Jobs that only ran at
 * the same time are never set aside.
 */
export class SuspectJobs {
  private known: ReadonlySet<string> = new Set();

  /** @param schedules the tasks of schedules. All runs of such a task count as one job. */
  constructor(
    private readonly schedules: ReadonlySet<string>,
    private readonly logger: Logger,
    private readonly queue: QueueTables = queueTables(null),
  ) {}

  /** Reads the table. No job begins before the first call has ended. */
  async refresh(client: ClientBase): Promise<void> {
    const { rows } = await client.query<SuspectRow>({ name: 'suspect-jobs', text: selectSql });
    this.known = new Set(rows.map(({ id }) => id));
  }

  /**
   * Finds the record of a job. Runs no query for nearly all jobs.
   * @param attempts the attempts of the job, including this one
   */
  async find(pool: Pool, work: QueuedWork, attempts: number): Promise<SuspectJob | null> {
    const id = this.identityOf(work);
    if (attempts === 1 && !this.known.has(id) && !work.flags?.[SUSPECT]) return null;
    const { rows } = await pool.query<SuspectRow>({
      name: 'suspect-job',
      text: `${selectSql} WHERE id = $1`,
      values: [id],
    });
    const [row] = rows;
    return row ? { deaths: row.deaths, isAlone: row.alone, isSetAside: row.set_aside } : null;
  }

  /** Records that a job is about to run alone, or has stopped running alone. */
  async note(pool: Pool, work: QueuedWork, alone: boolean): Promise<void> {
    await pool.query('UPDATE suspect_job SET alone = $2 WHERE id = $1', [this.identityOf(work), alone]);
  }

  /** Deletes the record of a job that its process has survived. */
  async clear(pool: Pool, work: QueuedWork): Promise<void> {
    await pool.query('DELETE FROM suspect_job WHERE id = $1 AND set_aside_at IS NULL', [this.identityOf(work)]);
  }

  /**
   * Records a death for the jobs that a process was running: only for the job that ran alone, or for all jobs if none
   * ran alone. A job that ran alone is set aside or halved. Runs in the caller's transaction.
   */
  async blame(client: ClientBase, inHand: readonly BlamedWork[]): Promise<void> {
    const ids = inHand.map((work) => this.identityOf(work));
    const { rows } = await client.query<SuspectRow>(`${selectSql} WHERE id = ANY ($1) FOR UPDATE`, [ids]);
    const before = new Map(rows.map((row) => [row.id, row]));
    const lone = inHand.filter((work) => before.get(this.identityOf(work))?.alone);
    for (const work of lone.length > 0 ? lone : inHand) {
      const id = this.identityOf(work);
      const suspect = before.get(id);
      const halves = suspect?.alone ? halvesOf(work.payload) : [];
      if (halves.length > 0) {
        await this.replace(client, id, work, halves);
        continue;
      }
      // Count the last death only if the job ran alone, because another job may have caused it.
      const deaths = Math.min((suspect?.deaths ?? 0) + 1, suspect?.alone ? DEATHS_AT_MOST : DEATHS_BESIDE_OTHERS);
      await this.record(client, id, work, deaths);
      if (deaths >= DEATHS_AT_MOST) await this.setAside(client, id, work);
    }
  }

  /** Records that jobs have ended without crashing their process. Runs in the caller's transaction. */
  async acquit(client: ClientBase, inHand: readonly BlamedWork[]): Promise<void> {
    const ids = inHand.map((work) => this.identityOf(work));
    await client.query('UPDATE suspect_job SET alone = false WHERE id = ANY ($1)', [ids]);
  }

  /** Replaces a job that crashed its process while it ran alone with one job per payload. These also run alone. */
  private async replace(client: ClientBase, id: string, work: BlamedWork, payloads: readonly object[]): Promise<void> {
    await client.query('DELETE FROM suspect_job WHERE id = $1', [id]);
    await client.query(`DELETE FROM ${this.queue.jobs} WHERE id = $1`, [work.id]);
    for (const payload of payloads) {
      const key = queueKey(work.task, payloadHash(payload));
      await this.record(client, keyedIdentity(work.task, payload), { ...work, payload, key }, DEATHS_BESIDE_OTHERS);
      await client.query(
        `SELECT FROM ${this.queue.addJob}($1, payload := $2, job_key := $3, max_attempts := $4, flags := $5)`,
        [work.task, JSON.stringify(payload), key, work.max_attempts, [KEYED, SUSPECT]],
      );
    }
  }

  private async record(client: ClientBase, id: string, work: BlamedWork, deaths: number): Promise<void> {
    await client.query(
      `INSERT INTO suspect_job (id, task, payload, job_key, max_attempts, deaths)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET deaths = excluded.deaths, alone = false`,
      [id, work.task, JSON.stringify(work.payload), work.key, work.max_attempts, deaths],
    );
  }

  private async setAside(client: ClientBase, id: string, work: BlamedWork): Promise<void> {
    await client.query('UPDATE suspect_job SET set_aside_at = now() WHERE id = $1', [id]);
    await client.query(`DELETE FROM ${this.queue.jobs} WHERE id = $1`, [work.id]);
    this.logger.error(
      `Job ${id} is set aside: its process died while it ran alone. ` +
        `Run it again with the operator command: jobs retry ${id}`,
    );
  }

  /** Returns the identity of a job, which is the same for all jobs of a key or a schedule. */
  private identityOf({ id, task, payload, flags }: QueuedWork): string {
    if (this.schedules.has(task)) return task;
    return flags?.[KEYED] ? keyedIdentity(task, payload) : `${task}#${id}`;
  }
}

/** Returns the identity of a job that was added with a key. */
export function keyedIdentity(task: string, payload: unknown): string {
  return `${task}#${payloadHash(payload)}`;
}
