import { BillingService } from '@passwright/billing';
import { ConcurrencyLimiter } from '@passwright/core';
import { Database } from '@passwright/database';
import { TimeWorld } from '../reminders/reminders.fixtures.js';
import { SettingsService } from '../settings/settings.service.js';
import { MemberChangesService } from './member-changes.service.js';
import { MembersService } from './members.service.js';

/* The tests run two nodes on one database. */
let world: TimeWorld;
beforeAll(async () => {
  world = await TimeWorld.start(2);
});
afterAll(() => world.stop());

const inDays = (days: number) => new Date(world.clock.now().getTime() + days * 86_400_000);
const codeOf = (error: unknown) => (error as { code?: string }).code ?? String(error);
/**
 * Runs at most twenty requests at a time, because one key gets half of `width`. Without this limit, which a real node
 * also has, requests would wait too long for a connection.
 */
const limiter = new ConcurrencyLimiter({ width: 40, maxWaitingPerKey: 100, maxWaiting: 100, rejection: '' });
const inTurn = <T>(task: () => Promise<T>) => limiter.run('spec', task);
const numbers = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);

it('a member who is renewed at the moment of the expiry stays active, and the pass is valid', async () => {
  for (let round = 0; round < 20; round++) {
    const accountId = await world.account();
    const member = await world.member(accountId, inDays(1));
    world.clock.advance(86_400);
    const expiry = inDays(30).toISOString();
    const renewal = world.get(MemberChangesService, 1).renew(accountId, member.id, expiry);
    await Promise.all([world.runDue(0), renewal, world.runDue(1)]);
    expect(await world.read(member)).toMatchObject({ status: 'active', expiresAt: new Date(expiry) });
    expect(await world.pass(member)).toMatchObject({ voided: false });
  }
});

it('simultaneous new members get ids without gaps, even if a limit rejects some of them', async () => {
  const accountId = await world.account();
  await world.get(BillingService).set(accountId, { maxPassCreations: 200 });
  let made = 0;
  for (let round = 0; round < 6; round++) {
    const create = (n: number) =>
      inTurn(() => {
        const created = { email: `${round}-${n}@example.com`, name: 'Ada', status: 'active' } as const;
        return world.get(MembersService, n % 2).create(accountId, created);
      }).then(({ member }) => member.id, codeOf);
    const change = (node: number, work: (members: MemberChangesService) => Promise<unknown>) =>
      inTurn(() => work(world.get(MemberChangesService, node))).catch(codeOf);
    const others = numbers(1, made === 0 ? 0 : 10).flatMap((id) => [
      change(id % 2, (members) => members.suspend(accountId, id)),
      change((id + 1) % 2, (members) => members.activate(accountId, id)),
      change(id % 2, (members) => members.patch(accountId, id, { name: `Ada ${round}` }, null)),
    ]);
    const settings = world
      .get(SettingsService, 1)
      .put(accountId, { templateId: 'club', reminders: [{ key: `k${round}`, daysBefore: 7 }] }, null);
    const results = await Promise.all(numbers(0, 50).map(create));
    const changes = await Promise.all([...others, settings]);
    const ids = results.filter((result) => typeof result === 'number').sort((a, b) => a - b);
    expect(ids).toEqual(numbers(made + 1, Math.min(50, 200 - made)));
    expect(results.filter((result) => typeof result === 'string')).toEqual(
      new Array(50 - ids.length).fill('limit_exceeded'),
    );
    expect(changes.filter((result) => typeof result === 'string' && result !== 'invalid_transition')).toEqual([]);
    made += ids.length;
  }
  const disagreeing = await world.get(Database).reads.query<unknown[]>(
    `SELECT m.id FROM member m JOIN pass p ON p.account_id = m.account_id AND p.template_id = m.template_id AND p.id = m.pass_id
     WHERE m.account_id = $1 AND (m.status = 'active') = (p.voided_at IS NOT NULL)`,
    [accountId],
  );
  expect([made, disagreeing]).toEqual([200, []]);
});

it('409 member_exists for nine of ten simultaneous members with the same e-mail', async () => {
  const accountId = await world.account();
  const create = (n: number) =>
    world
      .get(MembersService, n % 2)
      .create(accountId, { email: 'ada@example.com', name: 'Ada' })
      .then(() => 'created', codeOf);
  const results = await Promise.all(numbers(0, 10).map(create));
  expect(results.sort()).toEqual(['created', ...new Array(9).fill('member_exists')]);
});
