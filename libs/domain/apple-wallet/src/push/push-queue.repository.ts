import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { isSuspect, Jobs, SUSPECT_PAUSE_MS } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import type { PushPacing } from './push-pacing.js';
import {
  accountsSql,
  giveBackSql,
  leaveSql,
  lookSql,
  narrowSql,
  passOverSql,
  putOffSql,
  takeSql,
  takeTheseSql,
  uncountSql,
} from './push-queue-statements.js';
import type { ClaimedDevice } from './push-settlement.js';
import { SuspectPushPages } from './push.jobs.js';

/** How long devices that were claimed are nobody else's. After a crash they are looked at again then. */
export const leaseSeconds = 60;
/** The shortest time after which a device is looked at again that another claim has in hand. */
const inHandSeconds = 1;

/** Whose devices are pushed. */
export interface PushedAccount {
  readonly accountId: string;
  /** Of its present certificate: no other device can fetch, or be pushed. */
  readonly passTypeIdentifier: string;
}

/** Devices that were looked at. */
export interface ClaimedPage {
  /** 0: none is due. */
  readonly looked: number;
  /** Those of them that are to be pushed. */
  readonly devices: readonly ClaimedDevice[];
}

interface TakenPage {
  readonly id: string;
  readonly size: number;
  readonly openClaims: number;
}

interface TakenRow {
  readonly claim: string;
  readonly pages: readonly TakenPage[];
}

interface LookedRow {
  readonly id: string;
  readonly push_token: string;
  /** Seconds. */
  readonly pushed_at: number | null;
  readonly attempts: number;
  readonly failures: number;
  readonly bad_tokens: number;
  /** Whether it has to be told of something. */
  readonly outdated: boolean;
  /** Until when that has to wait; null if it has not. */
  readonly later: Date | null;
  readonly since: string;
}

/** Which devices of an account are to be looked at, and when: the table `apple_push_page`. */
@Injectable()
export class PushQueueRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Claims the pages that are due, the longest waiting first, of `size` devices in all or one page, for `leaseSeconds`, and
   * looks at their devices: one that holds the current version of all its passes is done, and so is one of another pass
   * type than the sender's, or that was pushed since; one that may not be pushed yet, or is in hand, waits in a page of its
   * own; the others are to be pushed. Nothing is written of these: until their push is recorded the claimed page stands for
   * them.
   */
  async claim(
    tx: EntityManager,
    account: PushedAccount,
    size: number,
    now: Date,
    pacing: PushPacing,
  ): Promise<ClaimedPage> {
    const { claim, pages } = await this.take(tx, account, 'push-take', takeSql, size, now);
    const suspects = pages.filter(isSuspect);
    if (suspects.length > 0) await this.leaveAlone(tx, account, suspects, now);
    const rest = pages.filter((page) => !isSuspect(page));
    return this.look(tx, account, claim, rest, now, pacing);
  }

  /** Claims these pages as `claim` does, due or not, however often their process has died. */
  async claimThese(
    tx: EntityManager,
    account: PushedAccount,
    pageIds: readonly string[],
    now: Date,
    pacing: PushPacing,
  ): Promise<ClaimedPage> {
    const { claim, pages } = await this.take(tx, account, 'push-take-these', takeTheseSql, pageIds, now);
    return this.look(tx, account, claim, pages, now, pacing);
  }

  /** Leaves pages that a lone job could not push to the next claim. */
  async giveBack(tx: EntityManager, accountId: string, pageIds: readonly string[], now: Date): Promise<void> {
    await tx.query(giveBackSql, [accountId, pageIds, now]);
  }

  /** Takes claims out of the count of deaths, once the database is there: their process lives, and could not record them. */
  uncount(accountId: string, claims: readonly string[]): void {
    this.database.eventually((tx) => tx.query(uncountSql, [accountId, claims]));
  }

  private async take(
    tx: EntityManager,
    { accountId }: PushedAccount,
    name: string,
    sql: string,
    which: number | readonly string[],
    now: Date,
  ): Promise<TakenRow> {
    // One claim sees what the one before it has in hand.
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`apple-push ${accountId}`]);
    const values = [accountId, now, which, later(now, leaseSeconds)];
    const [taken] = await this.database.prepared<TakenRow>(tx, name, sql, values);
    return taken ?? { claim: '0', pages: [] };
  }

  private async leaveAlone(
    tx: EntityManager,
    { accountId }: PushedAccount,
    suspects: readonly TakenPage[],
    now: Date,
  ): Promise<void> {
    const ids = suspects.map(({ id }) => id);
    await tx.query(putOffSql, [accountId, ids, later(now, SUSPECT_PAUSE_MS / 1000)]);
    await this.jobs.addSuspects(tx, new SuspectPushPages({ accountId, ids }));
  }

  private async look(
    tx: EntityManager,
    { accountId, passTypeIdentifier }: PushedAccount,
    claim: string,
    pages: readonly TakenPage[],
    now: Date,
    pacing: PushPacing,
  ): Promise<ClaimedPage> {
    const looked = pages.reduce((sum, { size }) => sum + size, 0);
    if (looked === 0) return { looked: 0, devices: [] };
    const again = later(now, Math.max(inHandSeconds, pacing.windowSeconds));
    const looking = [accountId, claim, now, again, passTypeIdentifier];
    const rows = await this.database.prepared<LookedRow>(tx, 'push-look', lookSql, looking);
    const isToPush = ({ outdated, later: until }: LookedRow) => outdated && until === null;
    await this.passOver(
      tx,
      accountId,
      rows.filter((row) => !isToPush(row)),
    );
    const devices = rows.filter(isToPush).map((row) => toDevice(row, claim, now));
    const ids = devices.map(({ id }) => id);
    // Of what else was in its pages others are in charge. They must not believe that it is in hand.
    if (ids.length < looked) await this.narrow(tx, accountId, claim, ids);
    return { looked, devices };
  }

  /** Ends a claim. @param left those of its devices that were not pushed after all: others may claim them at once */
  async end(tx: EntityManager, accountId: string, claim: string, left: readonly string[], now: Date): Promise<void> {
    await this.narrow(tx, accountId, claim, left);
    if (left.length > 0) await tx.query(leaveSql, [accountId, claim, now]);
  }

  /** Leaves in the pages of a claim these devices alone. */
  private async narrow(tx: EntityManager, accountId: string, claim: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await tx.query(narrowSql, [accountId, claim, ids]);
    else await tx.query('DELETE FROM apple_push_page WHERE account_id = $1 AND claim = $2', [accountId, claim]);
  }

  /** Devices that are done; and those that wait, in pages of their own. */
  private async passOver(tx: EntityManager, accountId: string, rows: readonly LookedRow[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.query(passOverSql, [
      accountId,
      rows.map(({ id }) => id),
      rows.map(({ outdated, later }) => (outdated ? later : null)),
      rows.map(({ since }) => since),
      rows.map(({ outdated, attempts }) => (outdated ? attempts : 0)),
      rows.map(({ outdated, failures }) => (outdated ? failures : null)),
    ]);
  }

  /** When the next device of an account is due; null when none is. */
  async nextDue(accountId: string): Promise<Date | null> {
    const sql = 'SELECT due_at FROM apple_push_page WHERE account_id = $1 ORDER BY due_at LIMIT 1';
    const [row] = await this.database.reads.query<{ due_at: Date }[]>(sql, [accountId]);
    return row?.due_at ?? null;
  }

  /** The accounts with devices that are due, `limit` of them, in order, after `afterAccountId`. */
  async accountsDue(now: Date, afterAccountId: string, limit: number): Promise<string[]> {
    const rows = await this.database.reads.query<{ account_id: string }[]>(accountsSql, [now, afterAccountId, limit]);
    return rows.map((row) => row.account_id);
  }
}

function later(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}

function toDevice(row: LookedRow, claim: string, now: Date): ClaimedDevice {
  return {
    id: row.id,
    pushToken: row.push_token,
    claim,
    claimedAt: now,
    pushedAt: row.pushed_at === null ? null : new Date(row.pushed_at * 1000),
    attempts: row.attempts,
    failures: row.failures,
    badTokens: row.bad_tokens,
  };
}
