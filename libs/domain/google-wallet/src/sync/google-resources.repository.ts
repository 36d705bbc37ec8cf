import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, perAccount } from '@passwright/database';
import { isSuspect, Jobs, releaseTimeAfter, SUSPECT_PAUSE_MS } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { HeldPassesRepository, type PassSerial } from '@passwright/passes';
import {
  type ClaimedResource,
  type LeftResource,
  type NewResource,
  type ResourceKey,
  type ResourceOutcome,
  type ResourceState,
  serialsOf,
} from './google-resource.js';
import {
  accountsWaitingOnCitusSql,
  accountsWaitingSql,
  askedForSql,
  claimDueSql,
  claimNamedSql,
  clearLeftSql,
  deleteOfPassesSql,
  findDueSql,
  findLeftSql,
  findSql,
  giveBackSql,
  insertSql,
  putOffSql,
  recordSql,
  releaseSql,
} from './google-resource-statements.js';
import { GoogleResourcesDue, SuspectGoogleResources } from './google.jobs.js';

/** The duration of a lease in milliseconds. It is longer than any write with its retries. */
export const leaseMs = 60_000;

/**
 * The queue of writes to Google: adds resources, claims them and records the results. `ChangedResourcesRepository` marks
 * resources that have changed.
 */
@Injectable()
export class GoogleResourcesRepository {
  constructor(
    private readonly database: Database,
    private readonly held: HeldPassesRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Inserts the missing rows, due immediately. Locks their templates and passes until `tx` ends, so that each change is
   * either part of the first write, or marks the new rows.
   * @param isLinked true if only links of other passes need the resources, and no holder has requested them
   */
  async insertNew(tx: EntityManager, resources: readonly NewResource[], now: Date, isLinked = false): Promise<void> {
    await this.held.share(tx, resources);
    const columns = [
      resources.map(({ accountId }) => accountId),
      resources.map(({ issuerId }) => issuerId),
      resources.map(({ id }) => id),
      resources.map(({ templateId }) => templateId),
      resources.map(({ type }) => type),
      resources.map(({ serialNumber }) => serialNumber),
    ];
    await tx.query(insertSql, [...columns, now, isLinked]);
  }

  /** Marks objects as changed if no holder has requested them before, and queues their write. */
  async askedFor({ accountId, issuerId }: Omit<ResourceKey, 'id'>, ids: readonly string[], now: Date): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(askedForSql, [accountId, issuerId, ids, now]);
      await this.jobs.add(tx, new GoogleResourcesDue({ accountId }));
    });
  }

  find({ accountId, issuerId }: Omit<ResourceKey, 'id'>, ids: readonly string[]): Promise<ResourceState[]> {
    return this.database.lookUp<ResourceState>('google-resources', findSql, [accountId, issuerId, ids]);
  }

  /** Claims resources for writing, even if they are not due. Skips resources in other claims. */
  claimNamed(owner: Omit<ResourceKey, 'id'>, ids: readonly string[], now: Date): Promise<ClaimedResource[]> {
    return this.claim(claimNamedSql, owner, ids, now);
  }

  /**
   * Claims an account's due resources: first classes, then objects that changed alone, then objects that changed with
   * their template. Never claims classes together with objects.
   */
  claimDue(owner: Omit<ResourceKey, 'id'>, limit: number, now: Date): Promise<ClaimedResource[]> {
    return this.claim(claimDueSql, owner, limit, now);
  }

  /** Claims these resources, even if they are not due or their last process crashed. */
  claimThese(owner: Omit<ResourceKey, 'id'>, ids: readonly string[], now: Date): Promise<ClaimedResource[]> {
    return this.claim(claimNamedSql, owner, ids, now, () => false);
  }

  /** Releases resources that a `SuspectGoogleResources` job could not write, so that the next claim can take them. */
  async giveBack(owner: Omit<ResourceKey, 'id'>, ids: readonly string[], now: Date): Promise<void> {
    const values = [owner.accountId, owner.issuerId, ids, now];
    await this.database.transaction((tx) => tx.query(giveBackSql, values));
  }

  /**
   * Releases a claim whose result this process could not record, once the database is available again. The claim then
   * does not count as a crash. @param at when other claims can take the resources; null to let the claim expire
   */
  release(claimed: readonly ClaimedResource[], at: Date | null): void {
    const [first] = claimed;
    if (!first) return;
    const { accountId, issuerId, leasedUntil } = first;
    const values = [accountId, issuerId, claimed.map(({ id }) => id), leasedUntil, at];
    this.database.eventually(async (tx) => {
      const [, released] = await tx.query<[unknown, number]>(releaseSql, values);
      if (at && released > 0) await this.jobs.add(tx, new GoogleResourcesDue({ accountId }, at));
    });
  }

  /**
   * Claims resources, except those that may crash the process, which separate jobs write. Releases the claim if it was
   * committed but the database's response was lost.
   */
  private async claim(
    sql: string,
    { accountId, issuerId }: Omit<ResourceKey, 'id'>,
    which: number | readonly string[],
    now: Date,
    isLeft: (resource: ClaimedResource) => boolean = isSuspect,
  ): Promise<ClaimedResource[]> {
    let claimed: ClaimedResource[] = [];
    try {
      return await this.database.transaction(async (tx) => {
        const values = [accountId, issuerId, which, now, new Date(now.getTime() + leaseMs)];
        claimed = await tx.query<ClaimedResource[]>(sql, values);
        const ids = claimed.filter(isLeft).map(({ id }) => id);
        if (ids.length > 0) {
          await tx.query(putOffSql, [accountId, issuerId, ids, new Date(now.getTime() + SUSPECT_PAUSE_MS)]);
          await this.jobs.addSuspects(tx, new SuspectGoogleResources({ accountId, issuerId, ids }));
        }
        return claimed.filter((resource) => !isLeft(resource));
      });
    } catch (error) {
      this.release(claimed, releaseTimeAfter(error, this.clock.now()));
      throw error;
    }
  }

  /**
   * Ends leases. Resources that changed during the write stay due. If the lease expired, another worker may have
   * overwritten our write, so the resource is sent again.
   * @param also additional work in the same transaction. @returns true if some of the resources are due immediately
   */
  async record(
    outcomes: readonly ResourceOutcome[],
    now: Date,
    also: (tx: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<boolean> {
    if (outcomes.length === 0) return false;
    const rows = outcomes.map(({ sentHash, ...row }) => ({ ...row, sentHash: sentHash?.toString('hex') ?? null }));
    return this.database.transaction(async (tx) => {
      const recorded = await perAccount(this.database, rows, (some, write) =>
        tx.query<{ left: boolean }[]>(write(recordSql, `($1::json -> 0 ->> 'accountId')`), [JSON.stringify(some), now]),
      );
      await also(tx);
      return recorded.some(({ left }) => left);
    });
  }

  /** Records that Google has lost the resource, so that it is created again. */
  async forgetSent({ accountId, issuerId, id }: ResourceKey, now: Date): Promise<void> {
    const sql = `UPDATE google_resource SET sent_hash = NULL, due_at = $4 WHERE account_id = $1 AND issuer_id = $2 AND id = $3`;
    await this.database.transaction((tx) => tx.query(sql, [accountId, issuerId, id, now]));
  }

  /** Lists accounts with resources that are due or planned, in the order of their ids, starting after `after`. */
  async accountsWaiting(after: string, limit: number): Promise<string[]> {
    const sql = this.database.isDistributed ? accountsWaitingOnCitusSql : accountsWaitingSql;
    const rows = await this.database.reads.query<{ account_id: string }[]>(sql, [after, limit]);
    return rows.map(({ account_id }) => account_id);
  }

  /** Lists at most `limit` due resources of issuers that the account no longer uses. */
  findLeft({ accountId, issuerId }: Omit<ResourceKey, 'id'>, limit: number): Promise<LeftResource[]> {
    return this.database.reads.query<LeftResource[]>(findLeftSql, [accountId, issuerId, limit]);
  }

  /**
   * Removes from the queue the resources of issuers that the account no longer uses. Skips resources that have changed
   * since `findLeft` returned them.
   * @returns the removed resources
   */
  async clearLeft(
    tx: EntityManager,
    accountId: string,
    left: readonly LeftResource[],
  ): Promise<Omit<ResourceKey, 'accountId'>[]> {
    const keys = [left.map(({ issuerId }) => issuerId), left.map(({ id }) => id), left.map(({ changes }) => changes)];
    return tx.query<Omit<ResourceKey, 'accountId'>[]>(clearLeftSql, [accountId, ...keys]);
  }

  /** Returns the passes whose current version Google does not have yet. */
  findDue(tx: EntityManager, passes: readonly PassSerial[]): Promise<PassSerial[]> {
    return tx.query<PassSerial[]>(findDueSql, serialsOf(passes));
  }

  /** Deletes the rows of the objects of these passes. */
  async deleteOfPasses(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    await perAccount(
      this.database,
      passes,
      async (some, write) => (await tx.query<[never[], number]>(write(deleteOfPassesSql), serialsOf(some)))[0],
    );
  }
}
