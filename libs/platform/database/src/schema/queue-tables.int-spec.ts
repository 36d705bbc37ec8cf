import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testDatabase } from '@passwright/testing';
import { Client } from 'pg';
import { checkQueueTables, queueTables } from './queue-tables.js';

/** The versions of graphile-worker with which this spec has passed. Before you add a version, run the spec with it. */
const supported = ['0.17.3'];

const queue = queueTables(null);

let client: Client;
beforeAll(async () => {
  const { url } = await testDatabase();
  client = new Client({ connectionString: url });
  await client.connect();
});
afterAll(() => client.end());

it('the installed version of graphile-worker is one of the supported versions', () => {
  const path = join(require.resolve('graphile-worker'), '../../package.json');
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  expect(supported).toContain(version);
});

it('the tables of this version have every column that the service uses', async () => {
  await expect(checkQueueTables(client, queue)).resolves.toBeUndefined();
});

it('the check names each column that another version of the queue has dropped or renamed', async () => {
  await client.query('BEGIN');
  await client.query(`ALTER TABLE ${queue.jobs} RENAME COLUMN locked_by TO claimed_by`);
  await client.query(`ALTER TABLE ${queue.crontabs} DROP COLUMN known_since`);
  await expect(checkQueueTables(client, queue)).rejects.toThrow(
    `The queue has no ${queue.jobs}.locked_by, ${queue.crontabs}.known_since: this version`,
  );
  await client.query('ROLLBACK');
});
