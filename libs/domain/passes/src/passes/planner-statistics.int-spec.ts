import { Database } from '@passwright/database';
import { requestedContent } from '../content/pass-content.js';
import { TestApp } from '../test-app.fixtures.js';
import { NewPassesService } from './new-passes.service.js';
import { PassesService } from './passes.service.js';

/** Skips the test if PARTITIONS is set, because the service leaves partitions to autovacuum. */
const itWithoutPartitions = process.env.PARTITIONS ? it.skip : it;

let app: TestApp;
beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());

itWithoutPartitions(
  'a young database looks passes up by their primary key before autovacuum has analyzed it',
  async () => {
    const database = app.get(Database);
    await database.reads.query('ALTER TABLE pass SET (autovacuum_enabled = off)');
    const account = await app.account();
    await account.template('offer');
    const address = { accountId: account.id, templateId: 'offer' };
    const requested = Array.from({ length: 1000 }, () => ({ request: {}, content: requestedContent({}) }));
    const insert = () => database.transaction((tx) => app.get(NewPassesService).insertAll(tx, address, requested));
    const [one] = (await insert()).inserted.values();
    const lookUp = jest.spyOn(database, 'lookUp');
    await app.get(PassesService).get({ ...address, passId: one?.pass.id ?? '' });
    const [, sql, values] = lookUp.mock.calls.find(([name]) => name === 'pass') ?? [];
    const planned = async () => JSON.stringify(await database.reads.query(`EXPLAIN ${sql}`, [...(values ?? [])]));
    expect(await planned()).not.toContain('pass_pkey');

    await insert();
    while (!(await planned()).includes('pass_pkey'));
  },
);
