import { connect } from '../connect.js';
import { testDatabase } from '../test-database.js';
import { vacuumed } from './vacuumed.js';

it('`vacuumed` waits for transactions that may still see old rows of a table or its partitions', async () => {
  const { url } = await testDatabase();
  const [client, other] = [await connect(url, 'spec'), await connect(url, 'spec')];
  let vacuums = 0;
  const query = async (sql: string, values?: unknown[]) => {
    if (sql.startsWith('VACUUM') && ++vacuums === 3) await other.query('COMMIT');
    return (await client.query<object>(sql, values)).rows;
  };
  try {
    await client.query('CREATE TABLE vacuumed_parts (n int) PARTITION BY RANGE (n)');
    await client.query('CREATE TABLE vacuumed_part PARTITION OF vacuumed_parts FOR VALUES FROM (0) TO (100)');
    await client.query('CREATE TABLE vacuumed_plain (n int)');
    await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await other.query('SELECT 1');
    for (const table of ['vacuumed_parts', 'vacuumed_plain']) await client.query(`INSERT INTO ${table} VALUES (1)`);
    await vacuumed({ query }, 'vacuumed_parts', 'vacuumed_plain');
    expect(vacuums).toBeGreaterThanOrEqual(3);
    const pages = await query(
      `SELECT relname, relallvisible::int AS seen FROM pg_class WHERE relname IN ('vacuumed_part', 'vacuumed_plain') ORDER BY 1`,
    );
    expect(pages).toEqual([
      { relname: 'vacuumed_part', seen: 1 },
      { relname: 'vacuumed_plain', seen: 1 },
    ]);
  } finally {
    await client.query('DROP TABLE IF EXISTS vacuumed_parts, vacuumed_plain');
    await Promise.all([client.end(), other.end()]);
  }
});
