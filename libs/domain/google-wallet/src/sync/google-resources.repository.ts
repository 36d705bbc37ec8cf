import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { isSuspect, Jobs, SUSPECT_PAUSE_MS } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { HeldPassesRepository, type PassSerial, type TimelyMessage } from '@passwright/passes';
import type { GoogleResourceRow } from './google-resource.entity.js';
import {
  accountsWaitingSql,
  claimDueSql,
  claimNamedSql,
  deleteOfPassesSql,
  doubtSql,
  dropLeftSql,
  findDueSql,
  findSql,
  giveBackSql,
  insertSql,
  markAccountSql,
  markPassesSql,
  markTemplateSql,
  putOffSql,
  settleSql,
  tellHoldersSql,
  uncountSql,
} from './google-resource-statements.js';
import { SuspectGoogleResources } from './google.jobs.js';

/** Longer than any write takes, retries included. */
export const leaseMs = 60_000;

/** Names a resource among all. */
export type ResourceKey = Pick<GoogleResourceRow, 'accountId' | 'issuerId' | 'id'>;

/** What a row is made of when a link is first asked for. */
export type NewResource = ResourceKey & Pick<GoogleResourceRow, 'templateId' | 'type' | 'serialNumber'>;

/** A resource that this node alone may write until its lease ends. */
export type ClaimedResource = NewResource &
  Pick<GoogleResourceRow, 'sentHash' | 'changes' | 'failures' | 'message' | 'openClaims'> & {
    readonly leasedUntil: Date;
  };

/** How far a resource has come. */
export type ResourceState = ResourceKey &
  Pick<GoogleResourceRow, 'sentHash' | 'leasedUntil' | 'dueAt' | 'failures' | 'refused'>;

/** What became of a claimed resource. Without `sentHash` Google still holds what it held. */
export interface Settlement extends ResourceKey, Pick<ClaimedResource, 'changes' | 'leasedUntil'> {
  readonly sentHash: Buffer | null;
  readonly failures: number;
  readonly problem: string | null;
  readonly problemStatus: number | null;
  readonly refused: boolean;
  /** When to try again; null when it is done with, but for changes that came meanwhile. */
  readonly dueAt: Date | null;
  /** Of the message that holders were told, or that has become useless. */
  readonly messageId: string | null;
}

/** How far a template's resources are marked: in the order of their ids. */
export type MarkPosition = Pick<GoogleResourceRow, 'id' | 'issuerId'>;

/** The queue of what is to be at Google: every query on the table `google_resource` that changes it. */
@Injectable()
export class GoogleResourcesRepository {
  constructor(
    private readonly database: Database,
    private readonly held: HeldPassesRepository,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Makes rows, due at once, of those that are not there yet. Their templates and passes are kept as they are until the
   * transaction ends: a change came before it and is seen by who writes them, or comes after it and finds the rows.
   */
  async insertNew(tx: EntityManager, resources: readonly NewResource[], now: Date): Promise<void> {
    await this.held.share(tx, resources);
    const columns = [
      resources.map(({ accountId }) => accountId),
      resources.map(({ issuerId }) => issuerId),
      resources.map(({ id }) => id),
      resources.map(({ templateId }) => templateId),
      resources.map(({ type }) => type),
      resources.map(({ serialNumber }) => serialNumber),
    ];
    await tx.query(insertSql, [...columns, now]);
  }

  find({ accountId, issuerId }: Omit<ResourceKey, 'id'>, ids: readonly string[]): Promise<ResourceState[]> {
    return this.database.lookUp<ResourceState>('google-resources', findSql, [accountId, issuerId, ids]);
  }

  /** Takes resources for writing whether they are due or not; those that somebody else has are left. */
  claimNamed(owner: Omit<ResourceKey, 'id'>, ids: readonly string[], now: Date): Promise<ClaimedResource[]> {
    return this.claim(claimNamedSql, owner, ids, now);
  }

  /** Takes an account's resources that are due: classes first and alone, then single changes, then those of whole templates. */
  claimDue(owner: Omit<ResourceKey, 'id'>, limit: number, now: Date): Promise<ClaimedResource[]> {
    return this.claim(claimDueSql, owner, limit, now);
  }

  /** Takes these resources, due or not, however often their process has died. */
  claimThese(owner: Omit<ResourceKey, 'id'>, ids: readonly string[], now: Date): Promise<ClaimedResource[]> {
    const values = [owner.accountId, owner.issuerId, ids, now, new Date(now.getTime() + leaseMs)];
    return this.database.transaction((tx) => tx.query<ClaimedResource[]>(claimNamedSql, values));
  }

  /** Leaves what a lone job could not write to the next claim. */
  async giveBack(owner: Omit<ResourceKey, 'id'>, ids: readonly string[], now: Date): Promise<void> {
    const values = [owner.accountId, owner.issuerId, ids, now];
    await this.database.transaction((tx) => tx.query(giveBackSql, values));
  }

  /** Takes a claim out of the count of deaths, once the database is there: its process lives, and could not settle it. */
  uncount(claimed: readonly ClaimedResource[]): void {
    const [first] = claimed;
    if (!first) return;
    const values = [first.accountId, first.issuerId, claimed.map(({ id }) => id), first.leasedUntil];
    this.database.eventually((tx) => tx.query(uncountSql, values));
  }

  /** Leaves what may end its process to a job of its own. */
  private claim(
    sql: string,
    owner: Omit<ResourceKey, 'id'>,
    which: number | readonly string[],
    now: Date,
  ): Promise<ClaimedResource[]> {
    const { accountId, issuerId } = owner;
    return this.database.transaction(async (tx) => {
      const values = [accountId, issuerId, which, now, new Date(now.getTime() + leaseMs)];
      const claimed = await tx.query<ClaimedResource[]>(sql, values);
      const ids = claimed.filter(isSuspect).map(({ id }) => id);
      if (ids.length > 0) {
        await tx.query(putOffSql, [accountId, issuerId, ids, new Date(now.getTime() + SUSPECT_PAUSE_MS)]);
        await this.jobs.addSuspects(tx, new SuspectGoogleResources({ accountId, issuerId, ids }));
      }
      return claimed.filter((resource) => !isSuspect(resource));
    });
  }

  /**
   * Ends leases. What changed while it was written stays due. Whose lease had run out may have written after somebody
   * else did: what Google holds of it is not known then, and it is written again.
   * @returns whether some of it is due at once
   */
  async settle(settlements: readonly Settlement[], now: Date): Promise<boolean> {
    if (settlements.length === 0) return false;
    const rows = settlements.map(({ sentHash, ...row }) => ({ ...row, sentHash: sentHash?.toString('hex') ?? null }));
    const values = [JSON.stringify(rows), now];
    const [row] = await this.database.transaction((tx) => tx.query<{ left: boolean }[]>(settleSql, values));
    return row?.left ?? false;
  }

  /** What Google lost is there no longer: it is made anew. */
  async forgetSent({ accountId, issuerId, id }: ResourceKey, now: Date): Promise<void> {
    const sql = `UPDATE google_resource SET sent_hash = NULL, due_at = $4 WHERE account_id = $1 AND issuer_id = $2 AND id = $3`;
    await this.database.transaction((tx) => tx.query(sql, [accountId, issuerId, id, now]));
  }

  /** Marks a page of all resources to be written again, whatever Google is known to hold. @returns it, in order */
  async doubtAll(tx: EntityManager, after: ResourceKey, limit: number, now: Date): Promise<ResourceKey[]> {
    return tx.query<ResourceKey[]>(doubtSql, [after.accountId, after.issuerId, after.id, limit, now]);
  }

  /** Accounts that have something due, or will, in the order of their ids, from the first one after `after` on. */
  async accountsWaiting(after: string, limit: number): Promise<string[]> {
    const rows = await this.database.reads.query<{ account_id: string }[]>(accountsWaitingSql, [after, limit]);
    return rows.map(({ account_id }) => account_id);
  }

  /** What an account has under issuers it has left waits no more: it is marked anew should the account come back. */
  async dropLeft({ accountId, issuerId }: Omit<ResourceKey, 'id'>): Promise<void> {
    await this.database.transaction((tx) => tx.query(dropLeftSql, [accountId, issuerId]));
  }

  /** Marks objects of passes as changed. @returns the accounts that have any */
  async markPasses(
    tx: EntityManager,
    accountIds: readonly string[],
    serialNumbers: readonly string[],
    now: Date,
  ): Promise<string[]> {
    const values = [accountIds, serialNumbers, now];
    const rows = await tx.query<{ account_id: string }[]>(markPassesSql, values);
    return rows.map(({ account_id }) => account_id);
  }

  /** Marks the objects of a pass, whose holders are to be told something. @returns whether there are any */
  async tellHolders(
    tx: EntityManager,
    { accountId, serialNumber }: PassSerial,
    message: TimelyMessage,
    now: Date,
  ): Promise<boolean> {
    const rows = await tx.query<unknown[]>(tellHoldersSql, [accountId, serialNumber, JSON.stringify(message), now]);
    return rows.length > 0;
  }

  /** Returns those of the passes of which Google does not hold the current version yet. */
  findDue(tx: EntityManager, passes: readonly PassSerial[]): Promise<PassSerial[]> {
    return tx.query<PassSerial[]>(findDueSql, serialsOf(passes));
  }

  /** Deletes what is known of the objects of these passes. */
  async deleteOfPasses(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    await tx.query(deleteOfPassesSql, serialsOf(passes));
  }

  /**
   * Marks the class and the objects of a template, or of all templates, a page at a time.
   * @returns the last of a full page; null at the end
   */
  async markMany(
    tx: EntityManager,
    { accountId, templateId }: { readonly accountId: string; readonly templateId: string | null },
    after: MarkPosition,
    limit: number,
    now: Date,
  ): Promise<{ marked: number; last: MarkPosition | null }> {
    const page = [accountId, after.id, after.issuerId, limit, now];
    const rows =
      templateId === null
        ? await tx.query<MarkPosition[]>(markAccountSql, page)
        : await tx.query<MarkPosition[]>(markTemplateSql, [...page, templateId]);
    return { marked: rows.length, last: rows.length === limit ? (rows.at(-1) ?? null) : null };
  }
}

function serialsOf(passes: readonly PassSerial[]): [string[], string[]] {
  return [passes.map(({ accountId }) => accountId), passes.map(({ serialNumber }) => serialNumber)];
}
