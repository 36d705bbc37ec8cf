import type { TestingModule } from '@nestjs/testing';
import { Database } from '@passwright/database';
import { lockWaitsSql } from '@passwright/testing';
import type { EntityManager } from 'typeorm';
import { anAccount, imagesModule } from '../images.fixtures.js';
import { ImageLeasesRepository } from './image-leases.repository.js';

let testing: TestingModule;
let database: Database;
let leases: ImageLeasesRepository;
let accountId: string;
let keys: readonly [string, string];

const ended = new Date('2026-11-20T10:00:00.000Z');
const now = new Date('2026-11-20T10:00:01.000Z');
const later = new Date('2026-11-20T10:15:00.000Z');

beforeAll(async () => {
  testing = await imagesModule();
  database = testing.get(Database);
  leases = testing.get(ImageLeasesRepository);
});
afterAll(() => testing.close());
beforeEach(async () => {
  accountId = await anAccount(testing);
  keys = [`images/${accountId}/a.png`, `images/${accountId}/b.png`];
});

const take = (key: string, until: Date) => leases.take(accountId, [key], until, true);

async function lockWaits(): Promise<void> {
  while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await new Promise(setImmediate);
}

it.each<[string, (tx: EntityManager) => Promise<void>]>([
  ['the end of a deletion', (tx) => leases.endDeletion(tx, accountId, keys)],
  ['the end of the leases of uploads', (tx) => leases.endUploads(tx, accountId, keys, now)],
])('%s locks images in the order in which requests lease them', async (_, end) => {
  const [first, second] = keys;
  // Without ORDER BY, a sequential scan would first lock the row that was stored first, which is the wrong order.
  await take(second, ended);
  await take(first, ended);
  const lock = (tx: EntityManager, key: string) =>
    tx.query('SELECT FROM image_hold WHERE account_id = $1 AND key = $2 FOR UPDATE NOWAIT', [accountId, key]);
  let ending: Promise<void> = Promise.resolve();
  const taking = database.transaction(async (tx) => {
    await lock(tx, first);
    ending = database.transaction(async (other) => {
      await other.query('SET LOCAL enable_indexscan = off');
      await end(other);
    });
    await lockWaits();
    await lock(tx, second);
  });
  await taking.finally(() => ending);
  expect(await database.reads.query('SELECT FROM image_hold WHERE account_id = $1', [accountId])).toEqual([]);
});

it('the service keeps the lease of an upload if a request has just renewed the lease', async () => {
  const [key] = keys;
  await take(key, ended);
  await take(key, later);
  await database.transaction((tx) => leases.endUploads(tx, accountId, [key], now));
  expect(await leases.listEnded(later, 1000)).toContainEqual({ accountId, key, upload: true });
});
