import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database.js';

/** The incarnation's row and the server it was read from. */
export interface SeenIncarnation {
  readonly id: string;
  /** The recorded server; null until a node has recorded it. */
  readonly server: string | null;
  readonly timeline: number | null;
  readonly beat: number;
  readonly here: { readonly server: string; readonly timeline: number };
  /** True if a transaction has started since the last heartbeat. */
  readonly hasMoved: boolean;
  /** Milliseconds by which the database's clock has been set back since its last heartbeats; 0 without a set-back. */
  readonly beatAheadMs: number;
}

interface Row {
  readonly id: string;
  readonly server: string | null;
  readonly timeline: string | null;
  readonly beat: string;
  readonly server_here: string;
  readonly timeline_here: string | null;
  readonly has_moved: boolean;
  readonly ahead_ms: number;
}

const seeSql = `
  SELECT i.id, i.server, i.timeline, i.beat, server_identity() AS server_here,
    CASE WHEN pg_is_in_recovery() THEN NULL ELSE wal_timeline() END AS timeline_here,
    pg_snapshot_xmax(pg_current_snapshot())::text::numeric > COALESCE(i.beaten_in::text::numeric, 0) + 1 AS has_moved,
    COALESCE(GREATEST(extract(epoch FROM i.beaten_at - clock_timestamp()) * 1000, 0), 0)::float8 AS ahead_ms
  FROM incarnation i`;

const beginSql = `
  UPDATE incarnation SET id = $1, server = $2, timeline = $3, beat = $4, reason = $5, begun_at = now(),
    beaten_in = pg_current_xact_id()`;

/** Runs every query on the table `incarnation`. */
@Injectable()
export class IncarnationRepository {
  constructor(private readonly database: Database) {}

  /** Reads the row of the incarnation. @returns null on a standby, which cannot be compared before its promotion */
  async see(): Promise<SeenIncarnation | null> {
    const [row] = await this.database.reads.query<Row[]>(seeSql);
    return toSeen(row);
  }

  /** Reads the row like `see`, and locks it, so that other nodes wait until the transaction ends. */
  async seeLocked(tx: EntityManager): Promise<SeenIncarnation | null> {
    const [row] = await tx.query<Row[]>(`${seeSql} FOR UPDATE OF i`);
    return toSeen(row);
  }

  /** Records the current server for this incarnation. */
  async adopt(tx: EntityManager, { server, timeline }: SeenIncarnation['here']): Promise<void> {
    await tx.query('UPDATE incarnation SET server = $1, timeline = $2', [server, timeline]);
  }

  /** Records a new incarnation, as after a restore or promotion of the database. */
  async begin(tx: EntityManager, id: string, { here }: SeenIncarnation, beat: number, reason: string): Promise<void> {
    await tx.query(beginSql, [id, here.server, here.timeline, beat, reason]);
  }

  /**
   * Increments the heartbeat, unless another node has done so first. @returns the new value; null if another node was
   * first
   */
  async beat(id: string, last: number): Promise<number | null> {
    const sql = `UPDATE incarnation
      SET beat = beat + 1, beaten_in = pg_current_xact_id(), beaten_at = GREATEST(beaten_at, statement_timestamp())
      WHERE id = $1 AND beat = $2 RETURNING beat`;
    const [rows] = await this.database.transaction((tx) => tx.query<[{ beat: string }[], number]>(sql, [id, last]));
    return rows[0] ? Number(rows[0].beat) : null;
  }

  /** Lowers recorded times that are in the database's future. */
  async lowerBeatTime(): Promise<void> {
    const sql = 'UPDATE incarnation SET beaten_at = statement_timestamp() WHERE beaten_at > statement_timestamp()';
    await this.database.transaction((tx) => tx.query(sql));
  }
}

function toSeen(row: Row | undefined): SeenIncarnation | null {
  if (!row) throw new Error('The table incarnation is empty: its one row has to be there');
  if (row.timeline_here === null) return null;
  return {
    id: row.id,
    server: row.server,
    timeline: row.timeline === null ? null : Number(row.timeline),
    beat: Number(row.beat),
    here: { server: row.server_here, timeline: Number(row.timeline_here) },
    hasMoved: row.has_moved,
    beatAheadMs: row.ahead_ms,
  };
}
