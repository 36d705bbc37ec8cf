import { Client } from 'pg';
import { lockWaitsSql } from './lock-waits.js';
import { testDatabase } from '../test-database.js';

it('lockWaitsSql returns a row for each transaction that waits for a lock', async () => {
  const { url } = await testDatabase();
  const [holder, ...others] = Array.from({ length: 3 }, () => new Client({ connectionString: url })) as [
    Client,
    Client,
  ];
  await Promise.all([holder, ...others].map((client) => client.connect()));
  const waiting = async () => (await holder.query(lockWaitsSql)).rowCount;
  await holder.query('SELECT pg_advisory_lock(1)');
  expect(await waiting()).toBe(0);
  const locks: Promise<unknown>[] = [];
  for (const client of others) {
    locks.push(client.query('SELECT pg_advisory_xact_lock(1)'));
    while ((await waiting()) !== locks.length);
  }
  await holder.query('SELECT pg_advisory_unlock(1)');
  await Promise.all(locks);
  expect(await waiting()).toBe(0);
  await Promise.all([holder, ...others].map((client) => client.end()));
});
