import { Database } from '@passwright/database';
import { PassesRepository, PassExpiryCron } from '@passwright/passes/testing';
import { lockWaitsSql } from '@passwright/testing';
import { issued, Phone, plainTemplate } from '../phone.fixtures.js';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let database: Database;
let account: TestAccount;
let serial: string;

beforeAll(async () => {
  app = await TestApp.start();
  database = app.get(Database);
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await plainTemplate(app, account);
  await issued(app, account, 'offer/ada');
  serial = await issued(app, account, 'offer/bob');
});

/** Waits until `count` transactions wait for a lock, or until `orElse` returns true. */
async function waiting(count: number, orElse: () => boolean): Promise<void> {
  while (!orElse() && (await database.reads.query<unknown[]>(lockWaitsSql)).length < count);
}

/** Finds the sessions that wait for a transaction. */
const blockedSql = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';

const later: [what: string, begin: () => Promise<unknown>][] = [
  [
    'a change of a pass',
    () => account.patch('offer/bob', { code: 'NEW' }).then(({ status }) => expect(status).toBe(200)),
  ],
  ['an issue', () => account.post('offer/eve', {}).then(({ status }) => expect(status).toBe(409))],
  ['a registration', () => new Phone(app).register(serial).then(({ status }) => expect(status).toBe(201))],
  [
    'an expiry',
    async () => {
      const expiresAt = new Date(app.clock.now().getTime() - 1000);
      await database.reads.query('UPDATE pass SET expires_at = $2 WHERE account_id = $1', [account.id, expiresAt]);
      await app.get(PassExpiryCron).expire({ signal: new AbortController().signal });
    },
  ],
];

it.each(later)(
  'a template change waits for earlier transactions, and %s that begins later waits for the template change',
  async (_, begin) => {
    const order: string[] = [];
    let archiving: Promise<unknown> | undefined;
    let other: Promise<unknown> | undefined;
    await database.transaction(async (writer) => {
      // Delays the template change after it has acquired its lock.
      await writer.query('SELECT FROM template WHERE account_id = $1 FOR NO KEY UPDATE', [account.id]);
      await database.transaction(async (tx) => {
        // Every change of a pass takes this lock first.
        await app.get(PassesRepository).lock(tx, { accountId: account.id, templateId: 'offer', passId: 'none' });
        archiving = account.archive('offer').then(() => order.push('template'));
        await waiting(1, () => order.length > 0);
        other = begin().then(() => order.push('other'));
        await waiting(2, () => order.length > 0);
        expect(order).toEqual([]);
      });
      while ((await writer.query<unknown[]>(blockedSql)).length === 0);
      await waiting(2, () => order.length > 0);
      expect(order).toEqual([]);
    });
    await Promise.all([archiving, other]);
    expect(order.sort()).toEqual(['other', 'template']);
  },
);
