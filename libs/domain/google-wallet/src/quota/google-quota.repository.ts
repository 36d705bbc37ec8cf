import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { GoogleQuota, type GoogleUrgency, WalletUnavailable } from '@passwright/core';
import { Database } from '@passwright/database';

/**
 * Google's published quota is 20 requests a second. The service sends at most 15, because a slow connection may delay
 * requests into the next second. With separate lanes, many simultaneous links do not block changes.
 */
const lanes = { holder: { name: 'holder', perSecond: 12 }, background: { name: 'background', perSecond: 3 } } as const;
export const requestsPerSecond = lanes.holder.perSecond + lanes.background.perSecond;
/** Background work reserves a slot only this shortly before it is due, so that links come first. */
const nearMs = 150;
const lookAgainMs = 60;

type Lane = (typeof lanes)[keyof typeof lanes];

/**
 * Reserves request slots of each issuer in Postgres, across all nodes. Uses a leaky bucket with capacity one (GCRA) and
 * the database clock.
 */
@Injectable()
export class GoogleQuotaRepository extends GoogleQuota {
  /** The queue of background work on this node, by issuer. Each promise resolves after the last slot in the queue. */
  private readonly lines = new Map<string, Promise<void>>();

  constructor(private readonly database: Database) {
    super();
  }

  override async take(issuerId: string, urgency: GoogleUrgency, maxWaitMs: number): Promise<void> {
    if (urgency === 'background') return this.takeInLine(issuerId, performance.now() + maxWaitMs);
    const waitMs = await this.reserve(issuerId, lanes.holder, maxWaitMs);
    if (waitMs === null) throw tooMany();
    await pause(waitMs);
  }

  /**
   * Reserves slots one after another, so that this node waits for only one slot at a time, however much work it has.
   */
  private takeInLine(issuerId: string, endsAt: number): Promise<void> {
    const turn = (this.lines.get(issuerId) ?? Promise.resolve()).then(() => this.takeNear(issuerId, endsAt));
    const end = turn.catch(() => undefined);
    this.lines.set(issuerId, end);
    void end.then(() => this.lines.get(issuerId) === end && this.lines.delete(issuerId));
    return turn;
  }

  private async takeNear(issuerId: string, endsAt: number): Promise<void> {
    while (performance.now() < endsAt) {
      const waitMs =
        (await this.reserve(issuerId, lanes.background, nearMs)) ??
        (await this.reserve(issuerId, lanes.holder, nearMs));
      if (waitMs !== null) return pause(waitMs);
      await pause(lookAgainMs);
    }
    throw tooMany();
  }

  /** @returns the time until the slot in milliseconds; null if it exceeds `maxWaitMs` */
  private async reserve(issuerId: string, { name, perSecond }: Lane, maxWaitMs: number): Promise<number | null> {
    const values = [issuerId, 1000 / perSecond, maxWaitMs, name];
    const [row] = await this.database.lookUp<{ wait_ms: number }>('google-quota', reserveSql, values);
    return row ? Math.max(0, row.wait_ms) : null;
  }
}

function tooMany(): WalletUnavailable {
  return new WalletUnavailable('Google Wallet is asked too much at the moment; try again in a minute.', 60);
}

const step = `make_interval(secs => $2::float8 / 1000)`;
/** SQL that is true for a slot too far in the future, which a wrong clock has reserved. */
const isWrong = `q.free_at > clock_timestamp() + interval '10 minutes'`;
const reserveSql = `
  INSERT INTO google_quota AS q (issuer_id, lane, free_at) VALUES ($1, $4, clock_timestamp() + ${step})
  ON CONFLICT (issuer_id, lane) DO UPDATE
    SET free_at = CASE WHEN ${isWrong} THEN clock_timestamp() ELSE GREATEST(q.free_at, clock_timestamp()) END + ${step}
  WHERE q.free_at <= clock_timestamp() + make_interval(secs => $3::float8 / 1000) OR ${isWrong}
  RETURNING (EXTRACT(epoch FROM free_at - ${step} - clock_timestamp()) * 1000)::float8 AS wait_ms`;
