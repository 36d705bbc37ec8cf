import { BillingService } from '@passwright/billing';
import { AppError } from '@passwright/core';
import { Database } from '@passwright/database';
import fc from 'fast-check';
import { Member } from '../members/member.entity.js';
import { TimeWorld } from '../reminders/reminders.fixtures.js';
import { MemberImportService } from './member-import.service.js';

let world: TimeWorld;

beforeAll(async () => {
  world = await TimeWorld.start();
});
afterAll(() => world.stop());

const lineOf = (name: string) =>
  ({ email: `${name}@example.com`, name, status: 'pending', expiresAt: null, data: {} }) as const;

async function accountWith(maxPassCreations: number): Promise<string> {
  const accountId = await world.account();
  await world.get(BillingService).set(accountId, { maxPassCreations });
  return accountId;
}

/** Imports members by name. @returns for each line `created`, `existing` or its error */
async function imported(accountId: string, names: readonly string[], existing: 'error' | 'skip' = 'skip') {
  const outcomes = await world.get(MemberImportService).import(accountId, names.map(lineOf), { existing });
  return outcomes.map((outcome) => {
    if (outcome instanceof Error) return outcome instanceof AppError ? outcome.code : outcome.message;
    return outcome.existing ? 'existing' : 'created';
  });
}

it('a line with the address of an existing member returns that member, even after the limit is reached', async () => {
  const accountId = await accountWith(2);
  await imported(accountId, ['ada', 'grace']);
  const names = ['ada', 'new', 'grace', 'newer'];
  expect(await imported(accountId, names)).toEqual(['existing', 'limit_exceeded', 'existing', 'limit_exceeded']);
  expect(await imported(accountId, names, 'error')).toEqual([
    ...['member_exists', 'limit_exceeded'],
    ...['member_exists', 'limit_exceeded'],
  ]);
});

it('the number of lines reported as created equals the number of new members, whichever transaction fails', async () => {
  const names = fc.array(fc.constantFrom(...'abcdefghijkl'), { minLength: 1, maxLength: 20 });
  const limits = fc.integer({ min: 1, max: 12 });
  const failures = fc.integer({ min: 1, max: 14 });
  const errors = fc.constantFrom(
    new Error('defect'),
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
  );
  await fc.assert(
    fc.asyncProperty(names, limits, failures, errors, async (some, limit, failing, error) => {
      const accountId = await accountWith(limit);
      const database = world.get(Database);
      const transaction = database.transaction.bind(database);
      let begun = 0;
      const spy = jest
        .spyOn(database, 'transaction')
        .mockImplementation((work) => (++begun === failing ? Promise.reject(error) : transaction(work)));
      const outcomes = await imported(accountId, some).catch((): string[] => []);
      spy.mockRestore();
      const count = await database.reads.countBy(Member, { accountId });
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(count);
    }),
    { numRuns: 40 },
  );
});
