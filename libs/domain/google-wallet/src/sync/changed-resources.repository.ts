import { Injectable } from '@nestjs/common';
import { Database, inAllAccounts, perAccount } from '@passwright/database';
import type { PassSerial } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import type { StoredMessage } from '../messages/google-messages.js';
import { doubtOnCitus } from './doubted-resources.js';
import { type MarkedObject, type ResourceKey, serialsOf } from './google-resource.js';
import {
  doubtSql,
  leftMessagesSql,
  markAccountSql,
  markPassesSql,
  markPassSql,
  markTemplateSql,
  notifyHoldersSql,
} from './google-resource-statements.js';
import type { MarkPosition } from './google.jobs.js';

/** Marks resources whose content has changed, so that they are written again. */
@Injectable()
export class ChangedResourcesRepository {
  constructor(private readonly database: Database) {}

  /** Marks the objects of passes as changed. @returns the accounts of the marked objects */
  async markPasses(tx: EntityManager, passes: readonly PassSerial[], now: Date): Promise<string[]> {
    const rows = await this.mark<{ account_id: string }>(tx, 'google-mark-pass', markPassesSql, passes, now);
    return rows.map(({ account_id }) => account_id);
  }

  /**
   * Marks the objects of passes as changed. @returns the objects; for a single pass, the object of the current issuer
   * comes last
   */
  markFronts(tx: EntityManager, passes: readonly PassSerial[], now: Date): Promise<MarkedObject[]> {
    return this.mark<MarkedObject>(tx, 'google-mark-front', markPassSql, passes, now);
  }

  /** Marks objects as changed. For one pass, uses a prepared statement, which shares a round trip with others. */
  private mark<Row>(tx: EntityManager, name: string, sql: string, passes: readonly PassSerial[], now: Date) {
    return perAccount<PassSerial, Row>(this.database, passes, (some, write) => {
      const values = [...serialsOf(some), now];
      return some.length === 1
        ? this.database.prepared<Row>(tx, name, write(sql), values, true)
        : tx.query<Row[]>(write(sql), values);
    });
  }

  /**
   * Adds a message for holders to the objects of passes of one account, unless an object already has a message with
   * this id. @returns true if a pass has objects
   */
  async notifyHolders(
    tx: EntityManager,
    passes: readonly PassSerial[],
    message: StoredMessage,
    now: Date,
  ): Promise<boolean> {
    const serials = passes.map(({ serialNumber }) => serialNumber);
    const values = [passes[0]?.accountId, serials, JSON.stringify(message), now];
    return (await tx.query<unknown[]>(notifyHoldersSql, values)).length > 0;
  }

  /**
   * Makes at most `limit` objects due that have waiting messages but no due time. Begins after the account `after`.
   * @returns the last account of a full batch; null at the end
   */
  async wakeLeftMessages(after: string, limit: number, now: Date): Promise<string | null> {
    const sql = inAllAccounts(this.database, leftMessagesSql);
    const [row] = await this.database.transaction((tx) => tx.query<{ last?: string }[]>(sql, [now, limit, after]));
    return row?.last ?? null;
  }

  /**
   * Marks the class and the objects of one template, or of all templates, as changed, in batches.
   * @returns the last resource of a full batch; null at the end
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

  /** Marks the next batch of all resources as changed, so that they are written again. @returns the batch, in order */
  async doubtAll(tx: EntityManager, after: ResourceKey, limit: number, now: Date): Promise<ResourceKey[]> {
    return this.database.isDistributed
      ? doubtOnCitus(this.database, tx, after, limit, now)
      : tx.query<ResourceKey[]>(doubtSql, [after.accountId, after.issuerId, after.id, limit, now]);
  }
}
