import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '@passwright/database';
import { aPass } from '../content/pass.fixtures.js';
import { TestApp } from '../test-app.fixtures.js';
import { PassesRepository } from './passes.repository.js';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

it('a patch that meets a deadlock over its code takes the code if the other transaction rolls back', async () => {
  const account = await app.account();
  const template = await account.template('offer');
  await account.post('offer', { id: 'ada', code: 'old' }).expect(201);
  const [database, repository] = [app.get(Database), app.get(PassesRepository)];
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let attempts = 0;
  let patched: Promise<number> = Promise.resolve(0);
  const rolledBack = database.transaction(async (tx) => {
    const insert = (code: string) => repository.insertNew(tx, [aPass(template, { id: code, code })]);
    // A second attempt means that Postgres ended this transaction instead of the patch.
    if (attempts++ > 0) throw new Error('rolled back');
    await insert('new');
    patched = account.patch('offer/ada', { code: 'new' }).then(({ status }) => status);
    while ((await database.reads.query<unknown[]>(waiting)).length === 0) await pause(5);
    // Postgres ends the patch, which has waited longer. This statement then finds the code taken.
    await insert('old');
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await patched).toBe(200);
  expect((await account.get('offer/ada')).body.pass.code).toBe('new');
});
