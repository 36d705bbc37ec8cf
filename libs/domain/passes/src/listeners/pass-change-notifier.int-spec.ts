import type { DiscoveryService } from '@nestjs/core';
import { Listens } from '@passwright/core';
import { Database } from '@passwright/database';
import { testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { PassChangeNotifier } from './pass-change-notifier.service.js';
import { PassListener } from './pass.listener.js';

const pass = { accountId: 'acc_1', serialNumber: 's1' };
const nothing = () => Promise.resolve();

let dataSource: DataSource;
let database: Database;

beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  database = new Database(dataSource);
});
afterAll(() => dataSource.destroy());

type Call = (tx: EntityManager) => Promise<unknown>;

/** Returns a notifier whose listeners make these calls. */
function notifierOf(...calls: readonly Call[]): PassChangeNotifier {
  const instances = calls.map((call) => {
    @Listens(PassListener)
    class Scripted extends PassListener {
      override passesChanged = (tx: EntityManager) => call(tx).then(() => undefined);
      override templateChanged = nothing;
    }
    return new Scripted();
  });
  const getProviders = () => instances.map((instance) => ({ instance }));
  return new PassChangeNotifier({ getProviders } as unknown as DiscoveryService);
}

it.each<[string, Call]>([
  ['of its transaction', (tx) => tx.transaction(nothing)],
  ['of the ambient transaction', () => database.transaction(nothing)],
])('a listener gets an error for a nested transaction %s, and the outer transaction stays usable', async (_, nest) => {
  const notifier = notifierOf(nest, (tx) => tx.query('SELECT'));
  const outcome = await database.inOneTransaction(async () =>
    database.transaction(async (tx) => {
      const error = await notifier.passChanged(tx, pass).then(nothing, (thrown: Error) => thrown.message);
      return [error, await tx.transaction(() => tx.query('SELECT 1 AS one'))];
    }),
  );
  expect(outcome).toEqual([expect.stringContaining('must not begin a nested transaction'), [{ one: 1 }]]);
});

it('a nested transaction is rejected until the last of several simultaneous calls ends', async () => {
  await database.transaction(async (tx) => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const slow = notifierOf(() => answered).passChanged(tx, pass);
    await notifierOf(nothing).passChanged(tx, pass);
    await expect(tx.transaction(nothing)).rejects.toThrow('must not begin a nested transaction');
    answer();
    await slow;
    await tx.transaction(nothing);
  });
});
