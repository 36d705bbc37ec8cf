import { BillingService } from '@passwright/billing';
import { AppError } from '@passwright/core';
import { Database } from '@passwright/database';
import { Template } from '@passwright/templates';
import { PassesService } from '../passes/passes.service.js';
import { type TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassBatchesService, type PassLine } from './pass-batches.service.js';

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
afterEach(() => jest.restoreAllMocks());

const ids = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);
async function checked(lines: object[]): Promise<PassLine[]> {
  const read = await app.get(PassBatchesService).read(account.id, 'offer', lines);
  return read.filter((line): line is PassLine => !(line instanceof AppError));
}
async function issued(lines: PassLine[], existing: 'error' | 'skip' = 'error') {
  const outcomes = await app.get(PassBatchesService).issue(account.id, 'offer', lines, { existing });
  return outcomes.map((outcome) =>
    outcome instanceof AppError ? outcome.code : `${outcome.id}${outcome.existing ? ' existing' : ''}`,
  );
}
const issueAll = async (lines: object[], existing?: 'error' | 'skip') => issued(await checked(lines), existing);

describe('a batch of a thousand lines', () => {
  it('a batch is issued in one transaction', async () => {
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    expect(await issueAll(ids(1000).map((id) => ({ id })))).toEqual(ids(1000));
    expect(transactions).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['error', 'pass_exists', 'pass_exists'],
    ['skip', 'p0 existing', 'p999 existing'],
  ] as const)(
    'a batch with existing=%s finds all existing passes in one transaction',
    async (existing, first, last) => {
      await issueAll(ids(1000).map((id) => ({ id })));
      const [transactions, alone] = [
        jest.spyOn(app.get(Database), 'transaction'),
        jest.spyOn(app.get(PassesService), 'create'),
      ];
      const outcomes = await issueAll(
        [...ids(1000), 'new'].map((id) => ({ id })),
        existing,
      );
      expect([outcomes[0], outcomes[999], outcomes[1000]]).toEqual([first, last, 'new']);
      expect(transactions).toHaveBeenCalledTimes(1);
      expect(alone).not.toHaveBeenCalled();
    },
  );

  it('a batch above the limit issues the first passes up to the limit, in few transactions', async () => {
    await app.get(BillingService).set(account.id, { maxPassCreations: 637 });
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    expect(await issueAll(ids(1000).map((id) => ({ id })))).toEqual([
      ...ids(637),
      ...Array<string>(363).fill('limit_exceeded'),
    ]);
    expect(transactions.mock.calls.length).toBeLessThan(30);
  });
});

it('a batch rejects lines that the template no longer allows since they were checked', async () => {
  const field = (key: string) => ({ key, label: 'L', value: 'V' });
  const lines = await checked([{ id: 'a', fields: ['a', 'b'].map(field) }, { id: 'b' }]);
  const changes = { fields: ['c', 'd', 'e'].map(field), revision: 2 };
  await app.get(Database).reads.update(Template, { accountId: account.id, id: 'offer' }, changes);
  expect(await issued(lines)).toEqual(['validation_failed', 'b']);
});
