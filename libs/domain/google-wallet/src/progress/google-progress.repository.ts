import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { NOTIFICATIONS_PER_DAY } from '../messages/notification-limit.js';
import { isFull } from '../sync/google-resource-statements.js';
import type { GoogleResourceRow } from '../sync/google-resource.entity.js';

export type Progress = Pick<
  GoogleResourceRow,
  'sentHash' | 'sentAt' | 'dueAt' | 'rejected' | 'problem' | 'saves' | 'removals'
>;

/** The facts that decide whether a message reaches the holders of a pass at Google. */
export interface GoogleReach {
  /** True if at least one holder has saved the pass. */
  readonly isInstalled: boolean;
  /** True if Google has the object, so that messages are sent. */
  readonly isAtGoogle: boolean;
  /** True if too many messages wait for Google. The service then sends no further message. */
  readonly isFull: boolean;
  /** True if the pass may have another notification in these 24 hours. */
  readonly mayNotify: boolean;
}

/** A count of the passes that holders have saved at Google. */
export interface HeldCount {
  readonly count: number;
  /** True if counting stopped at its limit, so that there may be more. */
  readonly isAtLeast: boolean;
}

/** Counts of the objects of one template under one issuer. */
export interface ObjectCounts {
  readonly total: number;
  readonly waiting: number;
  readonly rejected: number;
  readonly installed: number;
  readonly problem: string | null;
}

/** Reads the sync state at Google. */
@Injectable()
export class GoogleProgressRepository {
  constructor(private readonly database: Database) {}

  async find(accountId: string, issuerId: string, id: string): Promise<Progress | null> {
    const [row] = await this.database.reads.query<Progress[]>(
      `SELECT sent_hash AS "sentHash", sent_at AS "sentAt", due_at AS "dueAt", refused AS rejected, problem, saves, removals
       FROM google_resource WHERE account_id = $1 AND issuer_id = $2 AND id = $3`,
      [accountId, issuerId, id],
    );
    return row ?? null;
  }

  async countObjects(accountId: string, templateId: string, issuerId: string): Promise<ObjectCounts> {
    const [row] = await this.database.reads.query<ObjectCounts[]>(countSql, [accountId, templateId, issuerId]);
    return row as ObjectCounts;
  }

  /** Returns how a message would reach the holders of each pass that is or was at Google. */
  reach(
    accountId: string,
    serialNumbers: readonly string[],
    at: Date,
    tx = this.database.reads,
  ): Promise<(GoogleReach & { readonly serialNumber: string })[]> {
    return tx.query(reachSql, [accountId, serialNumbers, at]);
  }

  async countHeld(accountId: string, templateId: string, most: number): Promise<HeldCount> {
    const rows = await this.database.reads.query<[HeldCount]>(countHeldSql, [accountId, templateId, most]);
    return rows[0];
  }

  async lockOfPasses(tx: EntityManager, accountId: string, serialNumbers: readonly string[]): Promise<void> {
    await tx.query(lockOfPassesSql, [accountId, serialNumbers]);
  }

  /** Deletes the messages and the last error of a pass's object. */
  async eraseTraces(tx: EntityManager, accountId: string, serialNumber: string): Promise<void> {
    await tx.query(eraseTracesSql, [accountId, serialNumber]);
  }

  exportOfPass(accountId: string, serialNumber: string): Promise<object[]> {
    return this.database.reads.query<object[]>(exportOfPassSql, [accountId, serialNumber]);
  }
}

/** Counts the objects of a template. Reads all rows of the template, so use it only for pages that people open. */
export const countSql = `
  SELECT count(*)::int AS total,
    (count(*) FILTER (WHERE due_at IS NOT NULL AND NOT refused))::int AS waiting,
    (count(*) FILTER (WHERE refused))::int AS rejected,
    (count(*) FILTER (WHERE saves > removals))::int AS installed,
    min(problem) FILTER (WHERE refused) AS problem
  FROM google_resource
  WHERE account_id = $1 AND template_id = $2 AND issuer_id = $3 AND serial_number IS NOT NULL`;

/** Reads how a message would reach the holders of passes. Counts waiting messages as notifications. */
const reachSql = `
  SELECT r.serial_number AS "serialNumber", bool_or(r.saves > r.removals) AS "isInstalled",
    bool_or(r.sent_hash IS NOT NULL) AS "isAtGoogle",
    bool_or(${isFull('r.messages')}) AS "isFull",
    max(used.count) < ${NOTIFICATIONS_PER_DAY} AS "mayNotify"
  FROM unnest($2::text[]) AS k(serial_number)
  JOIN google_resource r ON r.account_id = $1 AND r.serial_number = k.serial_number
  CROSS JOIN LATERAL (
    SELECT count(*) FROM jsonb_array_elements(r.messages) AS m(one)
    WHERE NOT m.one ? 'addedAt'
      OR m.one ->> 'notified' = 'true' AND (m.one ->> 'addedAt')::timestamptz > $3::timestamptz - interval '24 hours'
  ) AS used
  GROUP BY r.serial_number`;

/**
 * Counts the passes of a template that holders have saved. The subquery applies the limit before the filter, because no
 * index covers the filter.
 */
const countHeldSql = `
  SELECT (count(*) FILTER (WHERE saves > removals))::int AS count, count(*) >= $3 AS "isAtLeast" FROM (
    SELECT saves, removals FROM google_resource
    WHERE account_id = $1 AND template_id = $2 AND serial_number IS NOT NULL LIMIT $3
  ) AS seen`;

const lockOfPassesSql = `
  SELECT FROM google_resource WHERE account_id = $1 AND serial_number = ANY ($2::text[])
  ORDER BY id, issuer_id FOR NO KEY UPDATE`;

const eraseTracesSql = `
  UPDATE google_resource SET problem = NULL, problem_status = NULL, messages = NULL, message = NULL
  WHERE account_id = $1 AND serial_number = $2`;

const exportOfPassSql = `
  SELECT issuer_id || '.' || id AS "objectId", sent_at AS "sentAt", saves, removals, created_at AS "createdAt",
    COALESCE(messages, '[]') AS messages
  FROM google_resource WHERE account_id = $1 AND serial_number = $2 ORDER BY issuer_id, id`;
