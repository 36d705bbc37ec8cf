import { type QueueTables, queueTables } from '@passwright/database';
import { setTimeout as pause } from 'node:timers/promises';
import type { ParsedCronItem } from 'graphile-worker';
import type { Pool } from 'pg';
import type { DatabaseClock } from '@passwright/database';
import { KEYED } from './queue.js';

const MINUTE_MS = 60_000;
const LOOK_MS = 2000;
/** The maximum number of missed minutes that a suspended process catches up on. */
const MISSED_AT_MOST = 10;

/**
 * Adds the job of each schedule that is due by the database's clock, once over all nodes. Also runs a schedule whose
 * last run is in the future, because a wrong clock recorded it.
 */
const scheduleSql = (queue: QueueTables) => `
  WITH due AS (
    INSERT INTO ${queue.crontabs} AS known (identifier, known_since, last_execution)
    SELECT identifier, $2::timestamptz, $2::timestamptz FROM unnest($1::text[]) AS identifier ORDER BY identifier
    ON CONFLICT (identifier) DO UPDATE SET last_execution = excluded.last_execution
      WHERE known.last_execution IS NULL OR known.last_execution < excluded.last_execution
        OR known.last_execution > excluded.last_execution + interval '15 minutes'
    RETURNING identifier)
  SELECT ${queue.addJob}(identifier, job_key := 'schedule:' || identifier, job_key_mode := 'preserve_run_at',
    flags := ARRAY['${KEYED}']) FROM due`;

/** The time at which a job was last added or changed. */
const addedAt = 'greatest(created_at, updated_at)';

/** Reschedules jobs that wait for a time of a wrong clock. Afterwards, no retry waits longer than `$1`. */
const pullBackSql = (queue: QueueTables) => `
  UPDATE ${queue.jobs}
     SET run_at = now() + CASE WHEN ${addedAt} > now() THEN greatest(run_at - ${addedAt}, '0') ELSE '0' END,
       created_at = least(created_at, now()), updated_at = least(updated_at, now())
   WHERE is_available AND run_at > now()
     AND (${addedAt} > now() + interval '1 minute' OR attempts > 0 AND run_at > now() + $1::interval)`;
const LONGEST_RETRY = '7 hours';
/** The longest wait of a retry after the clock was set back. An early retry does no harm. */
const LONGEST_RETRY_AFTERWARDS = '2 minutes';

const runAgainSql = (queue: QueueTables) => `
  UPDATE ${queue.crontabs} SET last_execution = $1::timestamptz - interval '1 minute'
   WHERE last_execution > $1`;

const repairSql = (queue: QueueTables) => `
  SELECT ${queue.addJob}(identifier, job_key := 'repair:' || identifier, flags := ARRAY['${KEYED}'])
    FROM unnest($1::text[]) AS identifier ORDER BY identifier`;

/** Adds the jobs of schedules at the minutes that their crontabs name. Skips minutes at which no process ran. */
export class Crontab {
  private last: number | null = null;

  constructor(
    private readonly pool: Pool,
    private readonly tasks: { readonly crons: readonly ParsedCronItem[]; readonly repairs: readonly string[] },
    private readonly clock: Pick<DatabaseClock, 'now' | 'isRight' | 'wentBack'>,
    private readonly queue: QueueTables = queueTables(null),
  ) {}

  /**
   * Checks every two seconds until `signal` aborts.
   * @param onError called when a check fails; the next check does its work
   */
  async run(signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await this.look().catch(onError);
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    if (!this.clock.isRight) return;
    if (this.clock.wentBack) await this.repair();
    const minute = Math.floor(this.clock.now().getTime() / MINUTE_MS);
    // After the clock has jumped, continue with the current minute.
    if (this.last === null || minute < this.last) this.last = minute;
    for (let next = Math.max(this.last + 1, minute - MISSED_AT_MOST); next <= minute; next++) {
      await this.schedule(new Date(next * MINUTE_MS));
      this.last = next;
    }
  }

  /** Adds the jobs of the schedules that are due at a minute. */
  async schedule(minute: Date): Promise<void> {
    const digest = {
      min: minute.getUTCMinutes(),
      hour: minute.getUTCHours(),
      date: minute.getUTCDate(),
      month: minute.getUTCMonth() + 1,
      dow: minute.getUTCDay(),
    };
    const due = this.tasks.crons.filter((item) => item.match(digest)).map(({ identifier }) => identifier);
    if (due.length > 0) await this.pool.query(scheduleSql(this.queue), [due, minute]);
    await this.pool.query(pullBackSql(this.queue), [LONGEST_RETRY]);
  }

  /** Reschedules jobs that wait for a time of a wrong clock. Each node that notices a clock jump does this. */
  private async repair(): Promise<void> {
    const minute = new Date(Math.floor(this.clock.now().getTime() / MINUTE_MS) * MINUTE_MS);
    this.clock.wentBack = false;
    try {
      await this.pool.query(pullBackSql(this.queue), [LONGEST_RETRY_AFTERWARDS]);
      await this.pool.query(runAgainSql(this.queue), [minute]);
      await this.pool.query(repairSql(this.queue), [this.tasks.repairs]);
    } catch (error) {
      this.clock.wentBack = true;
      throw error;
    }
  }
}
