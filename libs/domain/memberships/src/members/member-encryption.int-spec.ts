import { AccountKey, PersonalData } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { HoldersRepository } from '../privacy/holders.repository.js';
import { running, TimeWorld } from '../reminders/reminders.fixtures.js';
import { MembersEncryptionCron } from './members-encryption.cron.js';
import { MemberChangesService } from './member-changes.service.js';
import { MembersQuery } from './member-list.dto.js';
import { MembersRepository } from './members.repository.js';
import { MembersService } from './members.service.js';

let world: TimeWorld;
beforeAll(async () => (world = await TimeWorld.start()));
afterAll(() => world.stop());

const ada = { email: 'Ada.Lovelace@example.com', name: 'Ada Løvelace-Byron', data: { tier: 'gold' } };
const requested = { ...ada, status: 'active', expiresAt: null } as const;

const create = (accountId: string, changes: object = {}) =>
  world.get(Database).transaction(async (tx) => {
    const [member] = await world.get(MembersService).createMany(tx, accountId, [{ ...requested, ...changes }]);
    return member!;
  });

const search = async (accountId: string, filters: object) => {
  const query = Object.assign(new MembersQuery(), filters);
  const { data } = await world.get(MembersService).list(accountId, query);
  return data.map(({ member }) => member.name);
};

/**
 * Returns all rows as text. Random ciphertext may contain any short word, so look for short words only with non-letters
 * around them.
 */
const stored = async (accountId: string) => {
  const [row] = await world.db.query<{ all: string }[]>(
    `SELECT (SELECT string_agg(m::text, '') FROM member m WHERE account_id = $1)
       || (SELECT string_agg(k::text, '') FROM encryption_key k WHERE account_id = $1) AS all`,
    [accountId],
  );
  return row!.all;
};

it('the service does not store any part of the name, e-mail or data unencrypted', async () => {
  const accountId = await world.account();
  await create(accountId);
  expect(await stored(accountId)).not.toMatch(/lovelace|l.velace|byron|example|\Wgold\W/i);
});

it('the encryption of many members with long names yields to the event loop', async () => {
  const accountId = await world.account();
  const words = ['a', 'b', 'c'].map((letter) => letter.repeat(64)).join(' ');
  const members = Array.from({ length: 50 }, (_, index) => ({
    ...requested,
    name: words,
    email: `m${index}@example.com`,
  }));
  const tokensOfTurn = new Map<number, number>();
  let turn = 0;
  let ticker = setImmediate(function tick() {
    turn += 1;
    ticker = setImmediate(tick);
  });
  const tokenOf = Object.getOwnPropertyDescriptor(AccountKey.prototype, 'tokenOf')!.value as AccountKey['tokenOf'];
  const spy = jest.spyOn(AccountKey.prototype, 'tokenOf').mockImplementation(function (this: AccountKey, beginning) {
    tokensOfTurn.set(turn, (tokensOfTurn.get(turn) ?? 0) + 1);
    return tokenOf.call(this, beginning);
  });
  await world.get(Database).transaction((tx) => world.get(MembersService).createMany(tx, accountId, members));
  clearImmediate(ticker);
  spy.mockRestore();
  const perMember = [...tokensOfTurn.values()].reduce((sum, count) => sum + count, 0) / members.length;
  expect(perMember).toBeGreaterThan(190);
  expect(Math.max(...tokensOfTurn.values())).toBeLessThanOrEqual(10 * perMember + 20);
});

it('a member has the original data when it is read by id, by e-mail or by pass', async () => {
  const accountId = await world.account();
  const member = await create(accountId);
  expect(await world.read(member)).toMatchObject(ada);
  const holders = world.get(HoldersRepository);
  expect(await holders.findByEmail(accountId, 'ADA.lovelace@EXAMPLE.com')).toMatchObject(ada);
  expect(await holders.findByPass(member)).toMatchObject(ada);
  expect(JSON.stringify(await world.read(member))).not.toContain('personal');
});

it.each([
  ['a', 2],
  ['ad', 1],
  ['LOVE', 1],
  ['ada byron', 1],
  ['bob', 1],
  ['example com', 2],
  ['adam', 0],
  ['yron', 0],
])('a search for q=%s finds the same number of encrypted and unencrypted members: %i', async (q, count) => {
  for (const accountId of [await world.account(), await world.accountInClear()]) {
    await create(accountId);
    await create(accountId, { email: 'bob@abc.example.com', name: 'Bob' });
    expect(await search(accountId, { q })).toHaveLength(count);
    expect(await search(accountId, { q, email: ada.email })).toHaveLength(Math.min(count, q === 'bob' ? 0 : 1));
  }
});

it('409 member_exists for the e-mail of another member, even if only one of them is encrypted', async () => {
  const encrypted = await world.account();
  await create(encrypted);
  const half = await world.accountInClear();
  await create(half);
  await world.encrypt(half, null);
  for (const accountId of [encrypted, half]) {
    const { id } = await create(accountId, { email: 'bob@example.com' });
    const again = { ...requested, email: ada.email.toUpperCase() };
    await expect(create(accountId, again)).rejects.toMatchObject({ code: 'member_exists' });
    const patch = world.get(MemberChangesService).patch(accountId, id, { email: ada.email }, null);
    await expect(patch).rejects.toMatchObject({ code: 'member_exists' });
  }
});

it('the service does not write the columns of unchanged properties, so that triggers detect only real changes', async () => {
  const accountId = await world.account();
  const columns = () =>
    world.db.query<object[]>('SELECT email, name, data FROM member WHERE account_id = $1', [accountId]);
  const { id } = await create(accountId);
  const [before] = await columns();
  await world.get(MemberChangesService).suspend(accountId, id);
  expect(await columns()).toEqual([before]);
  await world.get(MemberChangesService).patch(accountId, id, { name: 'Ada King' }, null);
  expect(await columns()).toEqual([{ ...before, name: expect.not.stringContaining((before as typeof ada).name) }]);
  expect(await search(accountId, { q: 'king' })).toEqual(['Ada King']);
  expect(await search(accountId, { q: 'byron' })).toEqual([]);
});

it('a restored member stays unreadable if the stored key belongs to another member with the same id', async () => {
  const accountId = await world.account();
  const member = await create(accountId);
  const row = () => world.db.query<object[]>('SELECT m::text FROM member m WHERE account_id = $1', [accountId]);
  await world.db.query(`UPDATE encryption_key SET salt = sha256('another') WHERE account_id = $1 AND id = $2`, [
    accountId,
    `member:${member.id}`,
  ]);
  const before = await row();
  expect(await world.read(member)).toMatchObject({ email: '', name: '', data: {} });
  const patch = world.get(MemberChangesService).patch(accountId, member.id, { name: 'Ada King' }, null);
  await expect(patch).rejects.toMatchObject({ statusCode: 503 });
  expect(await row()).toEqual(before);
});

it('an old copy of a deleted member is unreadable, because the member’s key was deleted with the member', async () => {
  const accountId = await world.account();
  const member = await create(accountId);
  const backup = await world.db.query<{ row: string }[]>('SELECT m::text AS row FROM member m WHERE account_id = $1', [
    accountId,
  ]);
  await world.get(MemberChangesService).delete(accountId, member.id);
  expect(
    await world.db.query('SELECT FROM encryption_key WHERE account_id = $1 AND salt IS NOT NULL', [accountId]),
  ).toEqual([]);
  await world.db.query('INSERT INTO member SELECT ($1::text::member).*', [backup[0]!.row]);
  expect(await world.read(member)).toMatchObject({ email: '', name: '', data: {} });
});

it.each([
  ['is damaged', `'\\x0100'`],
  // The id of the master key begins at the third byte.
  ['is encrypted under a missing master key', 'set_byte(wrapped, 2, 88)'],
])('503 not_ready for a member whose account key %s', async (_, wrapped) => {
  const accountId = await world.account();
  const member = await create(accountId);
  await world.db.query(`UPDATE encryption_key SET wrapped = ${wrapped} WHERE account_id = $1 AND id = 'root'`, [
    accountId,
  ]);
  const other = await TimeWorld.start();
  await expect(other.read(member)).rejects.toMatchObject({ statusCode: 503, code: 'not_ready' });
  await other.stop();
});

it('the service deletes all keys of an account in one call', async () => {
  const accountId = await world.account();
  const member = await create(accountId);
  const keys = world.get(PersonalData);
  await world.get(Database).transaction((tx) => keys.deleteKeysOf(tx, accountId));
  expect(await world.db.query('SELECT FROM encryption_key WHERE account_id = $1', [accountId])).toEqual([]);
  expect(await world.read(member)).toMatchObject({ email: '', name: '', data: {} });
});

describe('unencrypted members', () => {
  const encrypt = (signal?: AbortSignal) => world.get(MembersEncryptionCron).run(running(signal));
  const inClear = async (accountId: string) => {
    const rows = await world.db.query<object[]>('SELECT FROM member WHERE account_id = $1 AND personal IS NULL', [
      accountId,
    ]);
    return rows.length;
  };
  const versions = (accountId: string) =>
    world.db.query('SELECT id, version, updated_at, xmin FROM member WHERE account_id = $1 ORDER BY id', [accountId]);

  it('the background job encrypts members in batches, keeps them readable, and skips locked members', async () => {
    const accountId = await world.accountInClear();
    await world.members(accountId, 230, null);
    await create(accountId);
    await world.encrypt(accountId, null);
    const held = await world.get(Database).transaction(async (tx) => {
      await tx.query('SELECT FROM member WHERE account_id = $1 AND id > 150 FOR UPDATE', [accountId]);
      await encrypt();
      return inClear(accountId);
    });
    expect(held).toBe(81);
    expect(await search(accountId, { q: 'byron' })).toEqual([ada.name]);
    expect(await search(accountId, { q: 'lovelace', limit: 100 })).toHaveLength(100);
    expect(await search(accountId, { email: ada.email })).toEqual([ada.name]);
    await encrypt();
    expect(await inClear(accountId)).toBe(0);
    expect(await search(accountId, { q: 'byron' })).toEqual([ada.name]);
    expect(await stored(accountId)).not.toMatch(/lovelace|example|\W(byron|gold)\W/i);
    const before = await versions(accountId);
    await encrypt();
    expect(await versions(accountId)).toEqual(before);
  });

  it('the background job encrypts each member once, with one key, even if the process is killed in a batch', async () => {
    const accountId = await world.accountInClear();
    await world.members(accountId, 250, null);
    await world.encrypt(accountId, null);
    const repository = world.get(MembersRepository);
    const whole = repository.encrypt.bind(repository);
    let batches = 0;
    const spy = jest.spyOn(repository, 'encrypt').mockImplementation(async (tx, members) => {
      await whole(tx, members);
      // Terminate the connection, as if the process were killed.
      if (++batches === 2) await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    await expect(encrypt()).rejects.toThrow();
    spy.mockRestore();
    const keys = () =>
      world.db.query<object[]>(`SELECT FROM encryption_key WHERE account_id = $1 AND id LIKE 'member:%'`, [accountId]);
    expect([await inClear(accountId), (await keys()).length]).toEqual([150, 100]);

    const next = await TimeWorld.start();
    await next.get(MembersEncryptionCron).run(running());
    await next.stop();
    expect([await inClear(accountId), (await keys()).length]).toEqual([0, 250]);
    expect(await search(accountId, { q: 'lovelace', limit: 100 })).toHaveLength(100);
    expect(await stored(accountId)).not.toMatch(/lovelace|example|\W(byron|gold)\W/i);
  });

  it('the background job does not change the version of a member or record an event', async () => {
    const accountId = await world.accountInClear();
    await world.db.query(
      `INSERT INTO webhook (account_id, id, secret, created_at, updated_at) VALUES ($1, 'whk_1', '', now(), now())`,
      [accountId],
    );
    const { id } = await create(accountId);
    await world.encrypt(accountId, null);
    await encrypt();
    expect(await inClear(accountId)).toBe(0);
    const events = () =>
      world.db.query('SELECT type FROM webhook_event WHERE account_id = $1 ORDER BY id', [accountId]);
    expect(await events()).not.toContainEqual({ type: 'member.changed' });
    expect((await world.read({ accountId, id })).version).toBe(1);
    await world.get(MemberChangesService).patch(accountId, id, { name: 'Ada King' }, null);
    const [event] = await world.db.query<{ data: object }[]>(
      `SELECT data FROM webhook_event WHERE account_id = $1 AND type = 'member.changed'`,
      [accountId],
    );
    expect(event?.data).toMatchObject({ changed: ['name'] });
  });
});
