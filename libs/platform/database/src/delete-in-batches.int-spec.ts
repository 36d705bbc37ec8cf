import { Test, type TestingModule } from '@nestjs/testing';
import { testDatabase } from '@passwright/testing';
import { Database } from './database.js';
import { DatabaseModule } from './database.module.js';
import { deleteInBatches, deleteSome } from './delete-in-batches.js';

let node: TestingModule;
let database: Database;

beforeAll(async () => {
  const { url } = await testDatabase();
  node = await Test.createTestingModule({ imports: [DatabaseModule.forRoot({ url, poolSize: 2 })] }).compile();
  database = node.get(Database);
  await database.reads.query(`
    CREATE TABLE old_thing (account_id text, id integer, PRIMARY KEY (account_id, id));
    INSERT INTO old_thing SELECT 'a', n FROM generate_series(1, 5000) n`);
});
afterAll(async () => {
  await database.reads.query('DROP TABLE old_thing');
  await node.close();
});

it('deleteInBatches deletes only old rows, 2,000 per transaction, and skips rows that another transaction has locked', async () => {
  const old = { table: 'old_thing', key: ['account_id', 'id'], condition: 'old.id <= $1', values: [4500] };
  const counts: number[] = [];
  await database.transaction(async (tx) => {
    await tx.query('SELECT FROM old_thing WHERE id = 17 FOR UPDATE');
    await deleteInBatches(database, async (other, limit) => {
      const count = await deleteSome(database, other, old, limit);
      counts.push(count);
      return count;
    });
  });
  expect(counts).toEqual([2000, 2000, 499]);
  expect(await database.reads.query('SELECT count(*)::int AS rows FROM old_thing')).toEqual([{ rows: 501 }]);
});
