import { Injectable } from '@nestjs/common';
import { Database, runWithNext } from '@passwright/database';
import { Claimant, isSuspect, Jobs, SUSPECT_PAUSE_MS, whichDied } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import type { PushPacing } from './push-pacing.js';
import {
  accountsOnCitusSql,
  accountsSql,
  claimantsSql,
  drawNumberSql,
  endClaimsOfSql,
  endDeadClaimsSql,
  endSql,
  giveBackSql,
  leaveSql,
  lockClaimsSql,
  lookSql,
  narrowSql,
  passOverSql,
  putOffSql,
  releaseSql,
  takeSql,
  takeTheseSql,
  takeUnderNumber,
} from './push-queue-statements.js';
import { claimedDevices, type CheckedDevices, passedOver } from './checked-devices.js';
import type { ClaimedDevice, PushClaim } from './push-outcome.js';
import { ApplePushDue, SuspectPushPages } from './push.jobs.js';

/** How long a claim reserves devices if its process does not end it earlier. */
export const leaseSeconds = 60;
/** Minimum number of seconds until a device in another claim is checked again. */
const inHandSeconds = 1;

/** The account to whose devices pushes are sent. */
export interface PushedAccount {
  readonly accountId: string;
  /**
   * The pass type of the account's current certificate. Devices of other pass types can neither fetch passes nor get
   * pushes.
   */
  readonly passTypeIdentifier: string;
}

/** The devices that a claim has checked and reserved. */
export interface ClaimedPage {
  /** Number of checked devices; 0 if none was due. */
  readonly looked: number;
  /** The checked devices that get a push. */
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

/**
 * Finds, claims and postpones devices that may need a push. The table `apple_push_page` stores them in pages.
 */
@Injectable()
export class PushQueueRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly claimant: Claimant,
  ) {}

  /**
   * Claims due pages for `leaseSeconds`, the longest waiting first, and checks their devices. Claims at most `size`
   * devices together, but at least one page. Returns the devices that the caller must push. Removes devices that need
   * no push. Moves devices that must wait to pages of their own.
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

  /** Claims these pages of devices, even if they are not due or their last process crashed. */
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

  /** Releases pages whose pushes a `SuspectPushPages` job could not send, so that the next claim can take them. */
  async giveBack(tx: EntityManager, accountId: string, pageIds: readonly string[], now: Date): Promise<void> {
    await tx.query(giveBackSql, [accountId, pageIds, now]);
  }

  /**
   * Releases claims whose results this process could not record, once the database is available again. The claims then
   * do not count as crashes. @param at when the devices are due again; null to let the claims expire
   */
  release(accountId: string, claims: readonly PushClaim[], at: Date | null): void {
    if (claims.length === 0) return;
    const numbers = claims.map(({ claim }) => claim);
    const ends = claims.map(({ claimedAt }) => later(claimedAt, leaseSeconds));
    this.database.eventually(async (tx) => {
      const [, released] = await tx.query<[unknown, number]>(releaseSql, [accountId, numbers, ends, at]);
      if (at && released > 0) await this.jobs.add(tx, new ApplePushDue({ accountId }, at));
    });
  }

  /**
   * Makes all claimed pages due after a restore, because the results of their pushes belong to a former state of the
   * database.
   */
  async releaseAll(tx: EntityManager, now: Date): Promise<void> {
    await tx.query('UPDATE apple_push_page SET due_at = $1 WHERE claim IS NOT NULL AND due_at > $1', [now]);
  }

  /** Makes the devices due that crashed processes had claimed. */
  async endDeadClaims(now: Date): Promise<void> {
    if (!this.database.isDistributed) return this.database.transaction((tx) => tx.query(endDeadClaimsSql, [now]));
    const { reads } = this.database;
    const claimants = await reads.query<{ key: number }[]>(claimantsSql, [now]);
    const dead = await whichDied(
      reads,
      claimants.map(({ key }) => key),
    );
    if (dead.length > 0) await this.database.transaction((tx) => tx.query(endClaimsOfSql, [now, dead]));
  }

  private async take(
    tx: EntityManager,
    { accountId }: PushedAccount,
    name: string,
    sql: string,
    which: number | readonly string[],
    now: Date,
  ): Promise<TakenRow> {
    // Run claims one after another, so that each claim sees the devices of the earlier claims.
    await runWithNext(tx, lockClaimsSql, [`apple-push ${accountId}`]);
    const values = [accountId, now, which, later(now, leaseSeconds), this.claimant.key];
    const [taken] = this.database.isDistributed
      ? await tx.query<TakenRow[]>(takeUnderNumber(sql), [...values, await this.drawNumber(tx)])
      : await this.database.prepared<TakenRow>(tx, name, sql, values);
    return taken ?? { claim: '0', pages: [] };
  }

  private async drawNumber(tx: EntityManager): Promise<string> {
    const [drawn] = await tx.query<[{ number: string }]>(drawNumberSql);
    return drawn.number;
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
    const groups = await this.database.prepared<CheckedDevices>(tx, 'push-look', lookSql, looking);
    await this.passOver(tx, accountId, groups);
    const devices = claimedDevices(groups, { claim, claimedAt: now, incarnation: this.database.incarnation });
    const ids = devices.map(({ id }) => id);
    // Remove devices that other claims handle, so that they do not look claimed.
    if (ids.length < looked) await this.narrow(tx, accountId, claim, ids);
    return { looked, devices };
  }

  /**
   * Ends a claim, as the last step of a transaction.
   * @param left devices that got no push; other claims may take them immediately
   */
  async end(tx: EntityManager, accountId: string, claim: string, left: readonly string[], now: Date): Promise<void> {
    if (left.length === 0) return runWithNext(tx, endSql, [accountId, claim], 'push-end');
    await this.narrow(tx, accountId, claim, left);
    await tx.query(leaveSql, [accountId, claim, now]);
  }

  /** Removes all other devices from the pages of a claim. */
  private async narrow(tx: EntityManager, accountId: string, claim: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await tx.query(narrowSql, [accountId, claim, ids]);
    else await tx.query(endSql, [accountId, claim]);
  }

  /** Removes devices that need no push, and moves devices that must wait to pages of their own. */
  private async passOver(tx: EntityManager, accountId: string, looked: readonly CheckedDevices[]): Promise<void> {
    const { ids, later: dueAt, since, attempts, failures } = passedOver(looked);
    if (ids.length > 0) await tx.query(passOverSql, [accountId, ids, dueAt, since, attempts, failures]);
  }

  /** Returns the time when the next device of an account is due; null if there is none. */
  async nextDue(accountId: string): Promise<Date | null> {
    const sql = 'SELECT due_at FROM apple_push_page WHERE account_id = $1 ORDER BY due_at LIMIT 1';
    const [row] = await this.database.reads.query<{ due_at: Date }[]>(sql, [accountId]);
    return row?.due_at ?? null;
  }

  /** Lists up to `limit` accounts with due devices, in order, starting after `afterAccountId`. */
  async accountsDue(now: Date, afterAccountId: string, limit: number): Promise<string[]> {
    const sql = this.database.isDistributed ? accountsOnCitusSql : accountsSql;
    const rows = await this.database.reads.query<{ account_id: string }[]>(sql, [now, afterAccountId, limit]);
    return rows.map((row) => row.account_id);
  }
}

function later(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}
