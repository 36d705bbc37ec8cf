import { PersonalData } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { lockWaitsSql } from '@passwright/testing';
import { running, TimeWorld } from '../reminders/reminders.fixtures.js';
import { MembersEncryptionCron } from './members-encryption.cron.js';
import { MembersQuery } from './member-list.dto.js';
import { MembersService } from './members.service.js';

/** Two nodes on one database: `clear` does not encrypt (PERSONAL_DATA=clear), and `encrypting` does. */
let clear: TimeWorld;
let encrypting: TimeWorld;
beforeAll(async () => {
  clear = await TimeWorld.start(1, false);
  encrypting = await TimeWorld.start();
});
afterAll(() => Promise.all([clear, encrypting].map((each) => each.stop())));

const clara = { email: 'clara@example.com', name: 'Clara' };
const create = (on: TimeWorld, accountId: string, changes: object = {}) =>
  on.get(MembersService).create(accountId, { ...clara, ...changes });
const search = async (accountId: string) => {
  const { data } = await encrypting
    .get(MembersService)
    .list(accountId, Object.assign(new MembersQuery(), { q: 'clara' }));
  return data.length;
};
const inClear = async (accountId: string) => {
  const sql = 'SELECT FROM member WHERE account_id = $1 AND personal IS NULL';
  return (await clear.db.query<unknown[]>(sql, [accountId])).length;
};
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);
/** Resolves when another transaction waits for one of our locks, or when `work` has ended. */
async function waits(work: Promise<unknown>): Promise<void> {
  let ended = false;
  void work.then(() => (ended = true));
  while (!ended && (await clear.db.query<unknown[]>(lockWaitsSql)).length === 0) await new Promise(setImmediate);
}
const encrypt = () => encrypting.get(MembersEncryptionCron).run(running());

it('a node that creates no keys still encrypts new members of an encrypted account, and rejects duplicates', async () => {
  const accountId = await encrypting.account();
  await create(clear, accountId);
  expect(await inClear(accountId)).toBe(0);
  const again = create(encrypting, accountId, { email: 'CLARA@example.com' });
  await expect(again).rejects.toMatchObject({ code: 'member_exists' });
  expect(await search(accountId)).toBe(1);
});

it('409 member_exists for one of two members who get the same e-mail while the account gets its key', async () => {
  const accountId = await clear.accountInClear();
  const member = await clear.member(accountId, null);
  let outcome: Promise<unknown> | undefined;
  await clear.get(Database).transaction(async (tx) => {
    await clear.rename(tx, member, clara.email);
    await encrypting.encrypt(accountId, null);
    outcome = outcomeOf(create(encrypting, accountId));
    await waits(outcome);
  });
  expect(await outcome).toMatchObject({ code: 'member_exists' });
});

it('the background encryption waits for an unencrypted member whose transaction is still open', async () => {
  const accountId = await clear.accountInClear();
  let encrypted: Promise<unknown> | undefined;
  await clear.get(Database).transaction(async (tx) => {
    const requested = { ...clara, status: 'active', expiresAt: null, data: {} } as const;
    await clear.get(MembersService).createMany(tx, accountId, [requested]);
    await encrypting.encrypt(accountId, null);
    encrypted = outcomeOf(encrypt());
    await waits(encrypted);
  });
  await encrypted;
  await encrypt();
  expect(await inClear(accountId)).toBe(0);
});

it('a member that a node of an older version writes unencrypted is encrypted later', async () => {
  const accountId = await encrypting.account();
  const { member } = await create(encrypting, accountId);
  await clear.db.query(
    `UPDATE member SET personal = NULL, email = $2, name = 'Clara', data = '{}' WHERE account_id = $1`,
    [accountId, clara.email],
  );
  const other = await TimeWorld.start();
  const found = async () => (await other.get(PersonalData).find(accountId))?.isComplete;
  expect(await found()).toBe(false);
  await encrypt();
  expect(await inClear(accountId)).toBe(0);
  expect(await encrypting.read(member)).toMatchObject(clara);
  await other.stop();
});
