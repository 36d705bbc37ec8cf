import { setTimeout as pause } from 'node:timers/promises';
import { AccountData } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { TemplatesService } from '@passwright/templates';
import { lockWaitsSql } from '@passwright/testing';
import type { EntityManager } from 'typeorm';
import { requestedContent } from '../content/pass-content.js';
import { type TestAccount, TestApp } from '../test-app.fixtures.js';
import { NewPassesService } from './new-passes.service.js';

/** More passes than a deletion turns into tombstones at once. */
const MANY = 1001;

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('offer');
});

/** Issues passes with the ids `p0`, `p1` and so on. */
async function issue(tx: EntityManager, count: number): Promise<void> {
  const address = { accountId: account.id, templateId: 'offer' };
  const content = requestedContent({});
  const requested = Array.from({ length: count }, (_, n) => ({ request: { id: `p${n}` }, content }));
  for (let at = 0; at < count; at += 1000)
    await app.get(NewPassesService).insertAll(tx, address, requested.slice(at, at + 1000));
}
const count = async (table: string) =>
  (await app.get(Database).reads.query<unknown[]>(`SELECT FROM ${table} WHERE account_id = $1`, [account.id])).length;

/** Runs all steps of a deletion that are not deletions of whole tables. */
async function erase(): Promise<void> {
  for (const step of app.get(AccountData).parts.flatMap(({ steps }) => steps))
    if ('run' in step) await step.run(account.id, () => undefined);
}

/** Runs `erase` while a transaction is open, which commits once the deletion waits for it or has ended. */
async function eraseDuring(work: (tx: EntityManager) => Promise<unknown>): Promise<void> {
  const database = app.get(Database);
  let erasing: Promise<void> | undefined;
  await database.transaction(async (tx) => {
    await work(tx);
    let isOver = false;
    erasing ??= erase().finally(() => (isOver = true));
    // Avoid an unhandled rejection while the transaction is still open.
    erasing.catch(() => undefined);
    while (!isOver && (await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
  });
  await erasing;
}

it('an account deletion turns every pass into a tombstone, even if another transaction deletes one meanwhile', async () => {
  await app.get(Database).transaction((tx) => issue(tx, MANY));
  await eraseDuring((tx) => tx.query(`DELETE FROM pass WHERE account_id = $1 AND id = 'p0'`, [account.id]));
  expect([await count('pass'), await count('deleted_pass')]).toEqual([0, MANY - 1]);
});

it('an account deletion leaves no pass that a transaction issues during the deletion', async () => {
  await eraseDuring((tx) => issue(tx, 1));
  expect([await count('pass'), await count('deleted_pass')]).toEqual([0, 1]);
  await expect(app.get(TemplatesService).get(account.id, 'offer')).resolves.toMatchObject({ title: '-' });
  await account.post('offer', { id: 'late' }).expect(409);
});
