import type { TestingModule } from '@nestjs/testing';
import { randomId } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { templatesModule } from '../templates.fixtures.js';
import { shareTemplate, shareTemplates, takeTemplate } from './template-lock.js';

let nest: TestingModule;
let database: Database;
let accountId: string;

beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
  database = nest.get(Database);
});
beforeEach(() => (accountId = `acc_${randomId()}`));
afterAll(() => nest.close());

/** Lists the advisory locks of the transaction. */
const locksOf = (tx: EntityManager) =>
  tx.query<{ mode: string }[]>(
    `SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted`,
  );

it('shareTemplate and shareTemplates take the same lock on a template', async () => {
  await database.transaction(async (tx) => {
    await shareTemplate(tx, accountId, 'a');
    expect(await locksOf(tx)).toEqual([{ mode: 'ShareLock' }]);
    await shareTemplates(tx, [{ accountId, templateId: 'a' }]);
    expect(await locksOf(tx)).toEqual([{ mode: 'ShareLock' }]);
    await shareTemplates(
      tx,
      ['b', 'a', 'b'].map((templateId) => ({ accountId, templateId })),
    );
    expect(await locksOf(tx)).toEqual([{ mode: 'ShareLock' }, { mode: 'ShareLock' }]);
  });
});

it('a connection plans each statement for shared locks only once', async () => {
  await database.transaction(async (tx) => {
    await shareTemplate(tx, accountId, 'a');
    await shareTemplates(tx, [{ accountId, templateId: 'b' }]);
    const sql = `SELECT name FROM pg_prepared_statements WHERE name LIKE 'share-template%' ORDER BY name`;
    expect(await tx.query(sql)).toEqual([{ name: 'share-template' }, { name: 'share-templates' }]);
  });
});

it('a connection can take a shared lock even after an earlier attempt has failed', async () => {
  await database.transaction(async (waiting) => {
    await database.transaction(async (changing) => {
      await takeTemplate(changing, accountId, 'a');
      const wait = waiting.transaction(async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = '10ms'`);
        await shareTemplate(tx, accountId, 'a');
        await locksOf(tx);
      });
      await expect(wait).rejects.toMatchObject({ driverError: { code: '55P03' } });
    });
    await shareTemplate(waiting, accountId, 'a');
    expect(await locksOf(waiting)).toEqual([{ mode: 'ShareLock' }]);
  });
});
