import { setTimeout as pause } from 'node:timers/promises';
import type { ParsedCronItem } from 'graphile-worker';
import type { Pool } from 'pg';
import type { DatabaseClock } from '../clock/database-clock.js';
import { KEYED } from './queue.js';

const MINUTE_MS = 60_000;
const LOOK_MS = 2000;
/** Minutes that a process makes up for, when it stood still. */
const MISSED_AT_MOST = 10;

/**
 * Adds the job of each schedule that is due, once over all nodes, by the database's clock. What was last run in the
 * future, after a clock was wrong, is due again.
 */
const scheduleSql = `
  WITH due AS (
    INSERT INTO graphile_worker._private_known_crontabs AS known (identifier, known_since, last_execution)
    SELECT identifier, $2::timestamptz, $2::timestamptz FROM unnest($1::text[]) AS identifier ORDER BY identifier
    ON CONFLICT (identifier) DO UPDATE SET last_execution = excluded.last_execution
      WHERE known.last_execution IS NULL OR known.last_execution < excluded.last_execution
        OR known.last_execution > excluded.last_execution + interval '15 minutes'
    RETURNING identifier)
  SELECT graphile_worker.add_job(identifier, job_key := 'schedule:' || identifier, job_key_mode := 'preserve_run_at',
    flags := ARRAY['${KEYED}']) FROM due`;

/** Jobs of a time that was wrong. A retry waits six hours at most. */
const pullBackSql = `
  UPDATE graphile_worker._private_jobs
     SET run_at = now() + CASE WHEN created_at > now() THEN greatest(run_at - created_at, '0') ELSE '0' END,
       created_at = least(created_at, now())
   WHERE is_available AND run_at > now()
     AND (created_at > now() + interval '1 minute' OR attempts > 0 AND run_at > now() + interval '7 hours')`;

/** Runs schedules at their minutes. A minute at which no process runs is not made up for. */
export class Crontab {
  private last: number | null = null;

  constructor(
    private readonly pool: Pool,
    private readonly items: readonly ParsedCronItem[],
    private readonly clock: Pick<DatabaseClock, 'now' | 'isRight'>,
  ) {}

  /** Ends with `signal`. @param onError is told of each look that failed; the next one makes up for it */
  async run(signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await this.look().catch(onError);
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    if (!this.clock.isRight) return;
    const minute = Math.floor(this.clock.now().getTime() / MINUTE_MS);
    // After a jump, to either side, it goes on with the present minute.
    if (this.last === null || minute < this.last) this.last = minute;
    for (let next = Math.max(this.last + 1, minute - MISSED_AT_MOST); next <= minute; next++) {
      await this.schedule(new Date(next * MINUTE_MS));
      this.last = next;
    }
  }

  /** Adds the jobs of a minute. */
  async schedule(minute: Date): Promise<void> {
    const digest = {
      min: minute.getUTCMinutes(),
      hour: minute.getUTCHours(),
      date: minute.getUTCDate(),
      month: minute.getUTCMonth() + 1,
      dow: minute.getUTCDay(),
    };
    const due = this.items.filter((item) => item.match(digest)).map(({ identifier }) => identifier);
    if (due.length > 0) await this.pool.query(scheduleSql, [due, minute]);
    await this.pool.query(pullBackSql);
  }
}
