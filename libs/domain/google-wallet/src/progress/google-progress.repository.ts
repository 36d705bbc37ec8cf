import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { GoogleResourceRow } from '../sync/google-resource.entity.js';

/** The state of a class or an object: not requested yet, current, waiting to be sent, or rejected by Google. */
export type GoogleState = 'none' | 'current' | 'waiting' | 'refused';

export type Progress = Pick<
  GoogleResourceRow,
  'sentHash' | 'sentAt' | 'dueAt' | 'refused' | 'problem' | 'saves' | 'removals'
>;

/** Counts of the objects of one template under one issuer. */
export interface ObjectCounts {
  readonly total: number;
  readonly waiting: number;
  readonly refused: number;
  readonly installed: number;
  readonly problem: string | null;
}

/** Reads the sync state at Google. */
@Injectable()
export class GoogleProgressRepository {
  constructor(private readonly database: Database) {}

  async find(accountId: string, issuerId: string, id: string): Promise<Progress | null> {
    const [row] = await this.database.reads.query<Progress[]>(
      `SELECT sent_hash AS "sentHash", sent_at AS "sentAt", due_at AS "dueAt", refused, problem, saves, removals
       FROM google_resource WHERE account_id = $1 AND issuer_id = $2 AND id = $3`,
      [accountId, issuerId, id],
    );
    return row ?? null;
  }

  async countObjects(accountId: string, templateId: string, issuerId: string): Promise<ObjectCounts> {
    const [row] = await this.database.reads.query<ObjectCounts[]>(countSql, [accountId, templateId, issuerId]);
    return row as ObjectCounts;
  }

  async held(accountId: string, serialNumbers: readonly string[], tx = this.database.reads): Promise<string[]> {
    const rows = await tx.query<{ serial_number: string }[]>(heldSql, [accountId, serialNumbers]);
    return rows.map(({ serial_number }) => serial_number);
  }

  async countHeld(accountId: string, templateId: string, most: number): Promise<number> {
    const rows = await this.database.reads.query<[{ held: number }]>(countHeldSql, [accountId, templateId, most]);
    return rows[0].held;
  }

  /** Clears the last error of a pass's object. */
  async eraseProblem(tx: EntityManager, accountId: string, serialNumber: string): Promise<void> {
    await tx.query(eraseProblemSql, [accountId, serialNumber]);
  }

  exportOfPass(accountId: string, serialNumber: string): Promise<object[]> {
    return this.database.reads.query<object[]>(exportOfPassSql, [accountId, serialNumber]);
  }
}

/** Reads all rows of the template, so it is only for views that people open, not for every request. */
export const countSql = `
  SELECT count(*)::int AS total,
    (count(*) FILTER (WHERE due_at IS NOT NULL AND NOT refused))::int AS waiting,
    (count(*) FILTER (WHERE refused))::int AS refused,
    (count(*) FILTER (WHERE saves > removals))::int AS installed,
    min(problem) FILTER (WHERE refused) AS problem
  FROM google_resource
  WHERE account_id = $1 AND template_id = $2 AND issuer_id = $3 AND serial_number IS NOT NULL`;

export const heldSql = `
  SELECT k.serial_number FROM unnest($2::text[]) AS k(serial_number)
  WHERE EXISTS (
    SELECT FROM google_resource r
    WHERE r.account_id = $1 AND r.serial_number = k.serial_number AND r.saves > r.removals
  )`;

const countHeldSql = `
  SELECT count(*)::int AS held FROM (
    SELECT FROM google_resource WHERE account_id = $1 AND template_id = $2 AND serial_number IS NOT NULL AND saves > removals
    LIMIT $3
  ) AS found`;

const eraseProblemSql =
  'UPDATE google_resource SET problem = NULL, problem_status = NULL WHERE account_id = $1 AND serial_number = $2';

const exportOfPassSql = `
  SELECT issuer_id || '.' || id AS "objectId", sent_at AS "sentAt", saves, removals, created_at AS "createdAt"
  FROM google_resource WHERE account_id = $1 AND serial_number = $2 ORDER BY issuer_id, id`;

export function googleState(row: Progress | null): GoogleState {
  if (!row) return 'none';
  if (row.refused) return 'refused';
  if (row.dueAt !== null) return 'waiting';
  return row.sentHash ? 'current' : 'none';
}
