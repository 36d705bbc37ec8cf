import { Database } from '@passwright/database';
import { TimeWorld } from '../reminders/reminders.fixtures.js';
import { MemberChangesService } from './member-changes.service.js';

let world: TimeWorld;
beforeAll(async () => (world = await TimeWorld.start()));
afterAll(() => world.stop());

/** SQL that counts the updates of members in this transaction, and how many of them stayed in their database page. */
const countsSql = `SELECT sum(n_tup_upd)::int AS updated, sum(n_tup_hot_upd)::int AS hot
  FROM pg_stat_xact_user_tables WHERE relname = 'member'`;

it('an update of an encrypted member stays in its database page, because indexed columns do not change', async () => {
  const accountId = await world.account();
  await world.members(accountId, 250, null);
  const counts = await world.get(Database).inOneTransaction(async (begin) => {
    const tx = await begin();
    const count = async () => (await tx.query<[{ updated: number; hot: number }]>(countsSql))[0];
    const before = await count();
    // Use members on different database pages, because an uncommitted update leaves no room for another one on its
    // page.
    for (const id of [25, 75, 125, 175, 225]) {
      await world.get(MemberChangesService).patch(accountId, id, { data: { tier: 'gold' } }, null);
    }
    const after = await count();
    return { updated: after.updated - before.updated, hot: after.hot - before.hot };
  });
  expect(counts).toEqual({ updated: 5, hot: 5 });
});

it('the service finds unencrypted members through an index', async () => {
  const sql = `EXPLAIN SELECT FROM member
    WHERE account_id = 'acc' AND id > 0 AND personal IS NULL AND email LIKE '%@%' ORDER BY id LIMIT 100`;
  const plan = await world.get(Database).transaction(async (tx) => {
    await tx.query('ANALYZE member');
    await tx.query('SET LOCAL enable_seqscan = off');
    return tx.query<{ 'QUERY PLAN': string }[]>(sql);
  });
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('member_in_clear_idx');
});
