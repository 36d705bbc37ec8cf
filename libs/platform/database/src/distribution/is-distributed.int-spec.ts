import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { isDistributed } from './is-distributed.js';

let dataSource: DataSource;
beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url }).initialize();
});
afterAll(() => dataSource.destroy());

it('tables count as distributed only once Citus lists them, even if its extension exists', async () => {
  if (process.env.TEST_CITUS_WORKERS) return expect(await isDistributed(dataSource, null)).toBe(true);
  expect(await isDistributed(dataSource, null)).toBe(false);
  // Stands in for the catalog of Citus, because this server lacks the extension.
  await dataSource.query('CREATE TABLE pg_dist_partition (logicalrelid regclass)');
  expect(await isDistributed(dataSource, null)).toBe(false);
  await dataSource.query(`INSERT INTO pg_dist_partition VALUES ('incarnation')`);
  expect(await isDistributed(dataSource, null)).toBe(true);
  expect(await isDistributed(dataSource, 'public')).toBe(true);
  expect(await isDistributed(dataSource, 'another')).toBe(false);
});
