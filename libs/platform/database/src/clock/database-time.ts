const sql = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms';

/** Reads the time of the database server, in milliseconds. */
export async function databaseTime(pool: {
  query(query: { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}): Promise<number> {
  const { rows } = await pool.query({ name: 'database-time', text: sql, values: [] });
  const [row] = rows as { ms: number }[];
  if (!row) throw new Error('The server returned no time');
  return row.ms;
}
