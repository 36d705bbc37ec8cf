import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Runs every query on the table `incarnation_work`. */
@Injectable()
export class IncarnationWorkRepository {
  /** Makes repair listeners start over, unless they have begun since the last restore. */
  async begin(tx: EntityManager, incarnation: string, names: readonly string[]): Promise<void> {
    await tx.query(
      `INSERT INTO incarnation_work AS w (name, incarnation, position)
       SELECT name, $1, '{}' FROM unnest($2::text[]) AS name ORDER BY name
       ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation, position = excluded.position
       WHERE w.incarnation <> excluded.incarnation`,
      [incarnation, [...names]],
    );
  }

  /**
   * Locks the progress of a listener until the transaction ends.
   * @returns its position; null if it is done or belongs to an earlier restore
   */
  async lock(tx: EntityManager, incarnation: string, name: string): Promise<object | null> {
    const sql = 'SELECT position FROM incarnation_work WHERE name = $1 AND incarnation = $2 FOR UPDATE';
    const [row] = await tx.query<{ position: object | null }[]>(sql, [name, incarnation]);
    return row?.position ?? null;
  }

  async save(tx: EntityManager, name: string, position: object | null): Promise<void> {
    const value = position === null ? null : JSON.stringify(position);
    await tx.query('UPDATE incarnation_work SET position = $2 WHERE name = $1', [name, value]);
  }
}
