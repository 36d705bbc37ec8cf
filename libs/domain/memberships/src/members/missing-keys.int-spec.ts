import { PersonalData } from '@passwright/accounts';
import { TimeWorld } from '../reminders/reminders.fixtures.js';
import { MemberChangesService } from './member-changes.service.js';
import type { Member } from './member.entity.js';
import { MembersService } from './members.service.js';

/** Two nodes. `before` has cached the keys; `after` has not. */
let before: TimeWorld;
let after: TimeWorld;
beforeAll(async () => (before = await TimeWorld.start()));
beforeEach(async () => (after = await TimeWorld.start()));
afterEach(() => after.stop());
afterAll(() => before.stop());

interface Key {
  readonly row: string;
}
/** Removes keys, as if only a part of a backup had been restored. @returns a function that puts the keys back */
async function withoutKeys(accountId: string, ids = '%'): Promise<() => Promise<unknown>> {
  const keys = await before.db.query<Key[]>(
    'SELECT k::text AS row FROM encryption_key k WHERE account_id = $1 AND id LIKE $2',
    [accountId, ids],
  );
  await before.db.query('DELETE FROM encryption_key WHERE account_id = $1 AND id LIKE $2', [accountId, ids]);
  return () =>
    before.db.query('INSERT INTO encryption_key SELECT (row::encryption_key).* FROM unnest($1::text[]) AS row', [
      keys.map(({ row }) => row),
    ]);
}

const nameOnPass = async ({ accountId, passId }: Member) => {
  const rows = await before.db.query<{ name: string }[]>(
    'SELECT primary_value || encode(personal, $3) AS name FROM pass WHERE account_id = $1 AND id = $2',
    [accountId, passId, 'hex'],
  );
  return rows[0]?.name;
};

describe.each([['%'], ['member:%']])('a member for whom the keys with ids like "%s" are missing', (ids) => {
  it('a change of status while keys are missing does not damage the encrypted data of the member and the pass', async () => {
    const accountId = await before.account();
    const member = await before.member(accountId, null);
    const [shown, all] = [await nameOnPass(member), await before.read(member)];
    const putBack = await withoutKeys(accountId, ids);
    await after.get(MemberChangesService).suspend(accountId, member.id);
    await after
      .get(MemberChangesService)
      .renew(accountId, member.id, null)
      .catch(() => undefined);
    expect(await nameOnPass(member)).toBe(shown);
    await putBack();
    const { email, name, data } = await before.read(member);
    expect({ email, name, data }).toEqual({ email: all.email, name: all.name, data: all.data });
  });

  it('503 not_ready for new personal data of a member whose keys are missing', async () => {
    const accountId = await before.account();
    const { id } = await before.member(accountId, null);
    await withoutKeys(accountId, ids);
    for (const patch of [{ name: 'Ada King' }, { email: 'ada@example.com' }, { data: { tier: 'gold' } }]) {
      const patched = after.get(MemberChangesService).patch(accountId, id, patch, null);
      await expect(patched).rejects.toMatchObject({ statusCode: 503, code: 'not_ready' });
    }
  });
});

describe('an account whose key is missing', () => {
  it('503 not_ready for a new member of an account whose key is missing, without creating a new key', async () => {
    const accountId = await before.account();
    await before.member(accountId, null);
    await withoutKeys(accountId);
    await after.encrypt(accountId, null);
    expect(await after.get(PersonalData).find(accountId)).toBeNull();
    const request = { email: 'bob@example.com', name: 'Bob' } as never;
    const created = after.get(MembersService).create(accountId, request);
    await expect(created).rejects.toMatchObject({ statusCode: 503, code: 'not_ready' });
  });
});
