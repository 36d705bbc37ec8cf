import type { EntityManager } from 'typeorm';

/**
 * Locks the row of the database's incarnation, which a restore or promotion replaces, until `tx` ends.
 * @returns false if the incarnation is no longer `id`
 */
export async function lockIncarnation(tx: EntityManager, id: string): Promise<boolean> {
  const rows = await tx.query<unknown[]>('SELECT FROM incarnation WHERE id = $1 FOR KEY SHARE', [id]);
  return rows.length > 0;
}
