import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { GoogleResourceRow } from './google-resource.entity.js';

/** Longer than any write takes, retries included. */
export const leaseMs = 60_000;

/** Names a resource among all. */
export type ResourceKey = Pick<GoogleResourceRow, 'accountId' | 'issuerId' | 'id'>;

/** What a row is made of when a link is first asked for. */
export type NewResource = ResourceKey & Pick<GoogleResourceRow, 'templateId' | 'type' | 'serialNumber'>;

/** A resource that this node alone may write until its lease ends. */
export type ClaimedResource = NewResource &
  Pick<GoogleResourceRow, 'sentHash' | 'changes' | 'failures'> & { readonly leasedUntil: Date };

/** How far a resource has come. */
export type ResourceState = ResourceKey & Pick<GoogleResourceRow, 'sentHash' | 'leasedUntil' | 'refused' | 'problem'>;

/** What became of a claimed resource. Without `sentHash` Google still holds what it held. */
export interface Settlement extends ResourceKey, Pick<ClaimedResource, 'changes' | 'leasedUntil'> {
  readonly sentHash: Buffer | null;
  readonly failures: number;
  readonly problem: string | null;
  readonly problemStatus: number | null;
  readonly refused: boolean;
  /** When to try again; null when it is done with, but for changes that came meanwhile. */
  readonly dueAt: Date | null;
}

/** How far a template's resources are marked: in the order of their ids. */
export type MarkPosition = Pick<GoogleResourceRow, 'id' | 'issuerId'>;

/** The queue of what is to be at Google: every query on the table `google_resource` that changes it. */
@Injectable()
export class GoogleResourcesRepository {
  constructor(private readonly database: Database) {}

  /** Makes rows, due at once, of those that are not there yet. */
  async insertNew(tx: EntityManager, resources: readonly NewResource[], now: Date): Promise<void> {
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

  /** Takes an account's resources that are due, classes before objects. */
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

  /** The accounts that have something due, in the order of their ids, from the first one after `after` on. */
  async accountsDue(after: string, now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.reads.query<{ account_id: string }[]>(accountsDueSql, [after, now, limit]);
    return rows.map(({ account_id }) => account_id);
  }

  /** Marks objects of passes as changed. @returns whether there are any */
  async markPasses(
    tx: EntityManager,
    accountIds: readonly string[],
    serialNumbers: readonly string[],
    now: Date,
  ): Promise<boolean> {
    const rows = await tx.query<unknown[]>(markPassesSql, [accountIds, serialNumbers, now]);
    return rows.length > 0;
  }

  /** Marks the class and the objects of a template, a page at a time. @returns the last of a full page; null at the end */
  async markTemplate(
    tx: EntityManager,
    template: { readonly accountId: string; readonly templateId: string },
    after: MarkPosition,
    limit: number,
    now: Date,
  ): Promise<{ marked: number; last: MarkPosition | null }> {
    const { accountId, templateId } = template;
    const values = [accountId, templateId, after.id, after.issuerId, limit, now];
    const rows = await tx.query<MarkPosition[]>(markTemplateSql, values);
    return { marked: rows.length, last: rows.length === limit ? (rows.at(-1) ?? null) : null };
  }
}

const claimed = `
  r.account_id AS "accountId", r.issuer_id AS "issuerId", r.id, r.template_id AS "templateId", r.type,
  r.serial_number AS "serialNumber", r.sent_hash AS "sentHash", r.changes, r.failures, r.leased_until AS "leasedUntil"`;

const insertSql = `
  INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, due_at, created_at)
  SELECT k.*, $7::timestamptz, $7::timestamptz
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    AS k(account_id, issuer_id, id, template_id, type, serial_number)
  ORDER BY k.account_id, k.issuer_id, k.id
  ON CONFLICT (account_id, issuer_id, id) DO NOTHING`;

export const findSql = `
  SELECT account_id AS "accountId", issuer_id AS "issuerId", id, sent_hash AS "sentHash",
    leased_until AS "leasedUntil", refused, problem
  FROM google_resource WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[])`;

const lease = (choice: string) => `
  WITH chosen AS MATERIALIZED (${choice} FOR NO KEY UPDATE SKIP LOCKED), leased AS (
    UPDATE google_resource r SET leased_until = $5 FROM chosen
    WHERE r.account_id = $1 AND r.issuer_id = $2 AND r.id = chosen.id RETURNING ${claimed}
  )
  SELECT * FROM leased`;

export const claimNamedSql = lease(`
  SELECT id FROM google_resource
  WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[]) AND (leased_until IS NULL OR leased_until <= $4)`);

export const claimDueSql = lease(`
  SELECT id FROM google_resource
  WHERE account_id = $1 AND issuer_id = $2 AND due_at <= $4 AND (leased_until IS NULL OR leased_until <= $4)
  ORDER BY due_at LIMIT $3`);

const settleSql = `
  WITH given AS (
    SELECT * FROM json_to_recordset($1::json) AS g("accountId" text, "issuerId" text, id text, changes int,
      "sentHash" text, failures int, problem text, "problemStatus" int, refused boolean, "dueAt" timestamptz,
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
    leased_until = CASE WHEN g.held THEN NULL ELSE r.leased_until END
  FROM locked g WHERE r.account_id = g."accountId" AND r.issuer_id = g."issuerId" AND r.id = g.id
  RETURNING r.due_at <= $2 AS is_due)
  SELECT COALESCE(bool_or(is_due), false) AS left FROM settled`;

export const accountsDueSql = `
  WITH RECURSIVE due AS (
    (SELECT account_id FROM google_resource WHERE account_id > $1 AND due_at <= $2 ORDER BY account_id LIMIT 1)
    UNION ALL
    SELECT (SELECT r.account_id FROM google_resource r WHERE r.account_id > due.account_id AND r.due_at <= $2
      ORDER BY r.account_id LIMIT 1)
    FROM due WHERE due.account_id IS NOT NULL
  )
  SELECT account_id FROM due WHERE account_id IS NOT NULL LIMIT $3`;

const marked = 'changes = r.changes + 1, due_at = LEAST(r.due_at, $@::timestamptz), refused = false, failures = 0';

export const markPassesSql = `
  WITH marked AS (
    UPDATE google_resource r SET ${marked.replace('$@', '$3')}
    FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS k(account_id, serial_number)
      ORDER BY account_id, serial_number) AS k
    WHERE r.account_id = k.account_id AND r.serial_number = k.serial_number RETURNING r.id
  )
  SELECT id FROM marked`;

export const markTemplateSql = `
  WITH page AS MATERIALIZED (
    SELECT issuer_id, id FROM google_resource
    WHERE account_id = $1 AND template_id = $2 AND (id, issuer_id) > ($3, $4)
    ORDER BY id, issuer_id LIMIT $5 FOR NO KEY UPDATE
  ), marked AS (
    UPDATE google_resource r SET ${marked.replace('$@', '$6')}
    FROM page WHERE r.account_id = $1 AND r.issuer_id = page.issuer_id AND r.id = page.id RETURNING r.id, r.issuer_id
  )
  SELECT id, issuer_id AS "issuerId" FROM marked ORDER BY id, issuer_id`;
