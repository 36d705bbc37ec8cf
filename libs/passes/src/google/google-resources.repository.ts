import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { shareTemplates } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { GoogleResourceRow, TimelyMessage } from './google-resource.entity.js';

/** Longer than any write takes, retries included. */
export const leaseMs = 60_000;

/** Names a resource among all. */
export type ResourceKey = Pick<GoogleResourceRow, 'accountId' | 'issuerId' | 'id'>;

/** What a row is made of when a link is first asked for. */
export type NewResource = ResourceKey & Pick<GoogleResourceRow, 'templateId' | 'type' | 'serialNumber'>;

/** A resource that this node alone may write until its lease ends. */
export type ClaimedResource = NewResource &
  Pick<GoogleResourceRow, 'sentHash' | 'changes' | 'failures' | 'message'> & { readonly leasedUntil: Date };

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
  constructor(private readonly database: Database) {}

  /**
   * Makes rows, due at once, of those that are not there yet. Their templates and passes are kept as they are until the
   * transaction ends: a change came before it and is seen by who writes them, or comes after it and finds the rows.
   */
  async insertNew(tx: EntityManager, resources: readonly NewResource[], now: Date): Promise<void> {
    await shareTemplates(tx, resources);
    const serials = resources.flatMap(({ accountId, serialNumber }) =>
      serialNumber ? [[accountId, serialNumber]] : [],
    );
    await tx.query(sharePassesSql, [serials.map(([accountId]) => accountId), serials.map(([, serial]) => serial)]);
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
  async claimNamed(
    { accountId, issuerId }: Omit<ResourceKey, 'id'>,
    ids: readonly string[],
    now: Date,
  ): Promise<ClaimedResource[]> {
    return this.database.transaction((tx) =>
      tx.query(claimNamedSql, [accountId, issuerId, ids, now, new Date(now.getTime() + leaseMs)]),
    );
  }

  /** Takes an account's resources that are due: classes first and alone, then single changes, then those of whole templates. */
  async claimDue(
    { accountId, issuerId }: Omit<ResourceKey, 'id'>,
    limit: number,
    now: Date,
  ): Promise<ClaimedResource[]> {
    return this.database.transaction((tx) =>
      tx.query(claimDueSql, [accountId, issuerId, limit, now, new Date(now.getTime() + leaseMs)]),
    );
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
    { accountId, serialNumber }: { readonly accountId: string; readonly serialNumber: string },
    message: TimelyMessage,
    now: Date,
  ): Promise<boolean> {
    const rows = await tx.query<unknown[]>(tellHoldersSql, [accountId, serialNumber, JSON.stringify(message), now]);
    return rows.length > 0;
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

const claimed = `
  r.account_id AS "accountId", r.issuer_id AS "issuerId", r.id, r.template_id AS "templateId", r.type,
  r.serial_number AS "serialNumber", r.sent_hash AS "sentHash", r.changes, r.failures, r.message, r.leased_until AS "leasedUntil"`;

const insertSql = `
  INSERT INTO google_resource
    (account_id, issuer_id, id, template_id, type, serial_number, priority, due_at, created_at)
  SELECT k.*, CASE WHEN k.serial_number IS NULL THEN 0 ELSE 1 END, $7::timestamptz, $7::timestamptz
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    AS k(account_id, issuer_id, id, template_id, type, serial_number)
  ORDER BY k.account_id, k.issuer_id, k.id
  ON CONFLICT (account_id, issuer_id, id) DO NOTHING`;

export const findSql = `
  SELECT account_id AS "accountId", issuer_id AS "issuerId", id, sent_hash AS "sentHash",
    leased_until AS "leasedUntil", due_at AS "dueAt", failures, refused
  FROM google_resource WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[])`;

const lease = (choice: string) => `
  WITH chosen AS MATERIALIZED (${choice} FOR NO KEY UPDATE SKIP LOCKED), leased AS (
    UPDATE google_resource r SET leased_until = $5 FROM chosen
    WHERE r.account_id = $1 AND r.issuer_id = $2 AND r.id = chosen.id
      -- Classes go first, and alone: what is of them waits until they are there.
      AND (chosen.priority = 0) = ((SELECT min(priority) FROM chosen) = 0)
    RETURNING ${claimed}
  )
  SELECT * FROM leased`;

export const claimNamedSql = lease(`
  SELECT id, priority FROM google_resource
  WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[]) AND (leased_until IS NULL OR leased_until <= $4)`);

export const claimDueSql = lease(`
  SELECT id, priority FROM google_resource
  WHERE account_id = $1 AND issuer_id = $2 AND due_at <= $4 AND (leased_until IS NULL OR leased_until <= $4)
  ORDER BY priority, due_at LIMIT $3`);

const settleSql = `
  WITH given AS (
    SELECT * FROM json_to_recordset($1::json) AS g("accountId" text, "issuerId" text, id text, changes int,
      "sentHash" text, failures int, problem text, "problemStatus" int, refused boolean, "dueAt" timestamptz, "messageId" text,
      "leasedUntil" timestamptz)
  ), locked AS MATERIALIZED (
    SELECT g.*, r.leased_until IS NOT DISTINCT FROM g."leasedUntil" AS held, r.changes = g.changes AS current
    FROM given g JOIN google_resource r
      ON r.account_id = g."accountId" AND r.issuer_id = g."issuerId" AND r.id = g.id
    ORDER BY g.id FOR NO KEY UPDATE OF r
  ), settled AS (UPDATE google_resource r SET
    sent_hash = CASE WHEN g.held THEN COALESCE(decode(g."sentHash", 'hex'), r.sent_hash) END,
    sent_at = CASE WHEN g."sentHash" IS NULL THEN r.sent_at ELSE $2::timestamptz END,
    failures = g.failures, problem = g.problem, problem_status = g."problemStatus",
    refused = g.refused AND g.current AND g.held,
    due_at = CASE WHEN g.current AND g.held THEN g."dueAt" ELSE LEAST(r.due_at, $2::timestamptz) END,
    message = CASE WHEN r.message ->> 'id' = g."messageId" THEN NULL ELSE r.message END,
    leased_until = CASE WHEN g.held THEN NULL ELSE r.leased_until END
  FROM locked g WHERE r.account_id = g."accountId" AND r.issuer_id = g."issuerId" AND r.id = g.id
  RETURNING r.due_at <= $2 AS is_due)
  SELECT COALESCE(bool_or(is_due), false) AS left FROM settled`;

export const accountsWaitingSql = `
  WITH RECURSIVE waiting AS (
    (SELECT account_id FROM google_resource WHERE account_id > $1 AND due_at IS NOT NULL ORDER BY account_id LIMIT 1)
    UNION ALL
    SELECT (SELECT r.account_id FROM google_resource r WHERE r.account_id > waiting.account_id AND r.due_at IS NOT NULL
      ORDER BY r.account_id LIMIT 1)
    FROM waiting WHERE waiting.account_id IS NOT NULL
  )
  SELECT account_id FROM waiting WHERE account_id IS NOT NULL LIMIT $2`;

export const dropLeftSql = `
  UPDATE google_resource SET due_at = NULL, refused = false, problem = NULL
  WHERE account_id = $1 AND (issuer_id < $2 OR issuer_id > $2) AND due_at IS NOT NULL`;

const sharePassesSql = `
  SELECT FROM pass p JOIN unnest($1::text[], $2::text[]) AS k(account_id, serial_number)
    ON p.account_id = k.account_id AND p.serial_number = k.serial_number
  ORDER BY p.account_id, p.serial_number FOR SHARE OF p`;

const marking = (priority: string, now: string) =>
  `changes = r.changes + 1, due_at = LEAST(r.due_at, ${now}::timestamptz), priority = ${priority}, refused = false, failures = 0`;

/** An empty hash is equal to none: it says that something is there, and not what. */
export const doubtSql = `
  WITH page AS MATERIALIZED (
    SELECT account_id, issuer_id, id FROM google_resource WHERE (account_id, issuer_id, id) > ($1, $2, $3)
    ORDER BY account_id, issuer_id, id LIMIT $4 FOR NO KEY UPDATE
  ), doubted AS (
    UPDATE google_resource r SET sent_hash = CASE WHEN r.sent_hash IS NULL THEN NULL ELSE ''::bytea END,
      ${marking('CASE WHEN r.serial_number IS NULL THEN 0 ELSE 2 END', '$5')}
    FROM page WHERE r.account_id = page.account_id AND r.issuer_id = page.issuer_id AND r.id = page.id
  )
  SELECT account_id AS "accountId", issuer_id AS "issuerId", id FROM page ORDER BY account_id, issuer_id, id`;

export const markPassesSql = `
  WITH held AS MATERIALIZED (
    SELECT r.account_id, r.issuer_id, r.id FROM google_resource r
    JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS k(account_id, serial_number)) AS k
      ON r.account_id = k.account_id AND r.serial_number = k.serial_number
    ORDER BY r.account_id, r.id, r.issuer_id FOR NO KEY UPDATE OF r
  ), marked AS (
    UPDATE google_resource r SET ${marking('1', '$3')} FROM held
    WHERE r.account_id = held.account_id AND r.issuer_id = held.issuer_id AND r.id = held.id RETURNING r.account_id
  )
  SELECT DISTINCT account_id FROM marked`;

export const tellHoldersSql = `
  WITH held AS MATERIALIZED (
    SELECT issuer_id, id FROM google_resource
    WHERE account_id = $1 AND serial_number = $2 AND sent_hash IS NOT NULL ORDER BY id, issuer_id FOR NO KEY UPDATE
  ), marked AS (
    UPDATE google_resource r SET message = $3::jsonb, ${marking('1', '$4')}
    FROM held WHERE r.account_id = $1 AND r.issuer_id = held.issuer_id AND r.id = held.id RETURNING r.id
  )
  SELECT id FROM marked`;

/** @param ofTemplate a condition. @param order of the columns that a page goes by, and of their parameters */
const markPage = (ofTemplate: string, order: string, after: string) => `
  WITH page AS MATERIALIZED (
    SELECT issuer_id, id FROM google_resource
    WHERE account_id = $1 ${ofTemplate} AND (${order}) > (${after}) ORDER BY ${order} LIMIT $4 FOR NO KEY UPDATE
  ), marked AS (
    -- What waits already as a single change stays one.
    UPDATE google_resource r SET
      ${marking('CASE WHEN r.serial_number IS NULL THEN 0 WHEN r.due_at IS NULL OR r.priority = 2 THEN 2 ELSE 1 END', '$5')}
    FROM page WHERE r.account_id = $1 AND r.issuer_id = page.issuer_id AND r.id = page.id RETURNING r.id, r.issuer_id
  )
  SELECT id, issuer_id AS "issuerId" FROM marked ORDER BY ${order}`;

export const markTemplateSql = markPage('AND template_id = $6', 'id, issuer_id', '$2, $3');
export const markAccountSql = markPage('', 'issuer_id, id', '$3, $2');
