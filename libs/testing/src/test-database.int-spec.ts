import { Client } from 'pg';
import { emptyDatabase, migratedDatabase, testDatabase } from './test-database.js';

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const countTables = `SELECT count(*)::int AS tables FROM information_schema.tables WHERE table_schema = 'public'`;

it('testDatabase returns one migrated database for each spec file, even to concurrent calls', async () => {
  const databases = await Promise.all([testDatabase(), testDatabase(), testDatabase()]);
  const urls = new Set(databases.map(({ url }) => url));
  expect(urls.size).toBe(1);
  const [first] = databases;
  expect((await query(first?.url ?? '', countTables))[0]).not.toEqual({ tables: 0 });
});

it('migratedDatabase returns a new migrated database at each call', async () => {
  const [one, other] = await Promise.all([migratedDatabase(), migratedDatabase()]);
  await query(one.url, `INSERT INTO account (id, name, created_at) VALUES ('a', 'A', now())`);
  expect(await query(other.url, 'SELECT FROM account')).toEqual([]);
  await Promise.all([one.drop(), other.drop()]);
});

it('emptyDatabase returns a new database at each call, and can drop it despite open connections', async () => {
  const [one, other] = await Promise.all([emptyDatabase(), emptyDatabase()]);
  expect(one.url).not.toBe(other.url);
  expect(await query(one.url, countTables)).toEqual([{ tables: 0 }]);
  const left = new Client({ connectionString: one.url });
  left.on('error', () => undefined);
  await left.connect();
  await Promise.all([one.drop(), other.drop()]);
  await expect(query(one.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
  await left.end().catch(() => undefined);
});
