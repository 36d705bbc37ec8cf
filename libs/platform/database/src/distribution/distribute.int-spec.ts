import { testDatabase } from '@passwright/testing';
import { Client } from 'pg';
import { distribute, DistributionFailed } from './distribute.js';

it('distribute rejects a database without the extension, and says how to create the extension', async () => {
  const { url } = await testDatabase();
  const error: unknown = await distribute(url).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(DistributionFailed);
  expect((error as Error).message).toContain('Run CREATE EXTENSION citus in it, here and on each worker');
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT FROM pg_proc WHERE proname LIKE '%by_rows'`);
  await client.end();
  expect(rows).toEqual([]);
});
