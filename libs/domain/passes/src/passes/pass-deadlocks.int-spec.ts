import { setTimeout as pause } from 'node:timers/promises';
import { AgentPlansService, ApiKeysService } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { lockWaitsSql } from '@passwright/testing';
import { aPass } from '../content/pass.fixtures.js';
import { type TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassesRepository } from './passes.repository.js';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

it('a patch that deadlocks over its new code gets the code if the other transaction rolls back', async () => {
  const account = await app.account();
  const template = await account.template('offer');
  await account.post('offer', { id: 'ada', code: 'old' }).expect(201);
  const [database, repository] = [app.get(Database), app.get(PassesRepository)];
  let attempts = 0;
  let patched: Promise<number> = Promise.resolve(0);
  const rolledBack = database.transaction(async (tx) => {
    const insert = (code: string) => repository.insertNew(tx, [aPass(template, { id: code, code })]);
    // Fail on a second attempt: Postgres should have aborted the patch instead of this transaction.
    if (attempts++ > 0) throw new Error('rolled back');
    await insert('new');
    patched = account.patch('offer/ada', { code: 'new' }).then(({ status }) => status);
    while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
    // Postgres aborts the patch, which has waited longer. This statement then finds that the code is taken.
    await insert('old');
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await patched).toBe(200);
  expect((await account.get('offer/ada')).body.pass.code).toBe('new');
});

describe('statements that lock several plans of agents', () => {
  let account: TestAccount;
  let keyId: string;
  beforeEach(async () => {
    account = await app.account();
    const caller = { kind: 'user', id: 'ada', accountId: account.id, scopes: ['passes:write'] } as const;
    keyId = (await app.get(ApiKeysService).create(caller, { name: 'Agent', supervised: true })).id;
  });

  /** Stores an agent's plan with this id. */
  async function plan(templateId: string, passId: string, callHash: string, id: string): Promise<void> {
    const call = { accountId: account.id, keyId, tool: 'updatePass', callHash: Buffer.from(callHash) };
    const shown = { does: 'Change a pass.', templateId, passId, changed: [], changes: {} };
    const expiresAt = new Date(app.clock.now().getTime() + 3_600_000);
    await app.get(AgentPlansService).store(call, shown, expiresAt, () => Promise.resolve(true));
    const setId = 'UPDATE agent_plan SET id = $3 WHERE account_id = $1 AND call_hash = $2';
    await app.get(Database).reads.query(setId, [account.id, call.callHash, id]);
  }

  /** Checks that `run` locks the plan `first` before the plan `later`. */
  async function expectOrder(first: string, later: string, run: () => PromiseLike<unknown>): Promise<void> {
    const database = app.get(Database);
    let running: PromiseLike<unknown> | undefined;
    const locking = database.transaction(async (tx) => {
      const lock = (callHash: string) =>
        tx.query('SELECT FROM agent_plan WHERE account_id = $1 AND call_hash = $2 FOR UPDATE NOWAIT', [
          account.id,
          Buffer.from(callHash),
        ]);
      await lock(first);
      running ??= Promise.resolve(run());
      while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await pause(5);
      await lock(later);
    });
    await locking.finally(() => running);
    expect(await database.reads.query('SELECT FROM agent_plan WHERE account_id = $1', [account.id])).toEqual([]);
  }

  it.each([
    ['the deletion of a pass', () => account.delete('offer/ada').expect(204)],
    ['the revocation of a key', () => app.get(ApiKeysService).revoke(account.id, keyId)],
  ])('%s locks the agents’ plans for one pass in the order of their ids', async (_, run) => {
    await account.template('offer');
    await account.post('offer', { id: 'ada' }).expect(201);
    // Store the ids in another order than their sort order.
    await plan('offer', 'ada', 'a', '2');
    await plan('offer', 'ada', 'b', '1');
    await expectOrder('b', 'a', run);
  });

  it('the revocation of a key locks the plans for several passes in the same order as the deletion of passes', async () => {
    for (const id of ['offer', 'offer-2']) {
      await account.template('offer', { id });
      await account.post(id, { id: 'ada' }).expect(201);
    }
    await plan('offer', 'ada', 'a', '1');
    await plan('offer-2', 'ada', 'b', '2');
    await expectOrder('b', 'a', () => app.get(ApiKeysService).revoke(account.id, keyId));
  });
});
