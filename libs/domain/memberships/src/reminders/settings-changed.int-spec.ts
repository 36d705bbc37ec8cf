import { Database } from '@passwright/database';
import { DependentPasses, type Pass } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import { addressOf } from '../members/member-passes.service.js';
import type { Member } from '../members/member.entity.js';
import type { Reminder } from '../settings/membership-settings.entity.js';
import { MembershipSettingsChanged } from '../settings/settings.jobs.js';
import { SettingsService } from '../settings/settings.service.js';
import { DueMembersRepository } from './due-members.repository.js';
import { SettingsChangedHandlers } from './settings-changed.handlers.js';
import { MembersLeftToFollow } from './reminders.jobs.js';
import { running, start, TimeWorld } from './reminders.fixtures.js';

let world: TimeWorld;
let accountId: string;

beforeAll(async () => (world = await TimeWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  world.clock.set(start);
  accountId = await world.account();
});
afterEach(async () => {
  // Whoever is left would be due in the next test too.
  await world.db.query('UPDATE member SET due_at = NULL WHERE account_id = $1', [accountId]);
});

const inDays = (days: number) => new Date(start.getTime() + days * 86_400_000);
const at = (days: number) => world.clock.set(inDays(days));
const month = { key: 'month', daysBefore: 30 };
const week = { key: 'week', daysBefore: 7 };
const day = { key: 'day', daysBefore: 1 };

function put(reminders: Reminder[], noticeLabel = 'Membership'): Promise<unknown> {
  return world.get(SettingsService).put(accountId, { templateId: 'club', reminders, noticeLabel }, null);
}

/** What waits in the queue since settings were changed. */
async function follow(): Promise<void> {
  const jobs = await world.jobs(MembershipSettingsChanged, accountId);
  await world.db.query("DELETE FROM graphile_worker._private_jobs WHERE payload ->> 'accountId' = $1", [accountId]);
  for (const job of jobs) await world.get(SettingsChangedHandlers).settingsChanged(job, running());
}

const sent = async (member: Member) => Object.keys((await world.read(member)).remindersSent).sort();

it('members are due by the new ones; what these would have sent before is not sent late', async () => {
  const members = await world.members(accountId, 60, inDays(60));
  at(55);
  for (let run = 0; run < 3; run += 1) await world.runDue();
  await put([
    { key: 'ten', daysBefore: 10 },
    { key: 'three', daysBefore: 3 },
  ]);
  await follow();
  for (const member of members) expect((await world.read(member)).dueAt).toEqual(inDays(57));
  at(57);
  for (let run = 0; run < 3; run += 1) await world.runDue();
  expect(await sent(members[0]!)).toEqual(['three', 'week']);
});

it('also of who was never reminded, before they follow or after, nothing is sent late', async () => {
  await put([day]);
  await follow();
  const member = await world.member(accountId, inDays(60));
  at(58.5);
  await put([{ key: 'ten', daysBefore: 10 }]);
  at(59);
  await world.runDue();
  await follow();
  await world.runDue();
  expect([await sent(member), (await world.read(member)).dueAt]).toEqual([[], inDays(60)]);
});

it('a reminder that was to be sent just then is not lost, and none is sent again', async () => {
  const member = await world.member(accountId, inDays(60));
  at(30);
  await put([month]);
  await follow();
  await world.runDue();
  expect((await world.read(member)).remindersSent).toEqual({ month: inDays(30).toISOString() });
  at(31);
  await put([{ key: 'month', daysBefore: 20 }]);
  await follow();
  expect((await world.read(member)).dueAt).toEqual(inDays(60));
});

it('a reminder whose time comes between the change and the following is sent, whatever else is changed meanwhile', async () => {
  const member = await world.member(accountId, inDays(60));
  at(19);
  const early = { key: 'early', daysBefore: 40 };
  await put([early, month]);
  at(20);
  await put([early, month], 'Until');
  await follow();
  await world.runDue();
  expect(await sent(member)).toEqual(['early']);
});

it('a reminder that is put off is not lost', async () => {
  const member = await world.member(accountId, inDays(60));
  at(30);
  const [now, until] = [world.clock.now(), new Date(inDays(30).getTime() + 300_000)];
  await world.get(Database).transaction((tx) => world.get(DueMembersRepository).putOff(tx, member, now, until));
  world.clock.advance(60);
  await put([month, day]);
  await follow();
  await world.runDue();
  expect(await sent(member)).toEqual([]);
  world.clock.set(until);
  await world.runDue();
  expect(await sent(member)).toEqual(['month']);
});

it('a reminder that a wrong clock has put off for 400 days is sent once the clock is right', async () => {
  const member = await world.member(accountId, inDays(60));
  at(30);
  const until = new Date(inDays(30).getTime() + 400 * 86_400_000);
  const now = world.clock.now();
  await world.get(Database).transaction((tx) => world.get(DueMembersRepository).putOff(tx, member, now, until));
  await world.runDue();
  expect(await sent(member)).toEqual(['month']);
});

/** The name that a member's pass shows, which this leaves as it is. */
async function nameOn(member: Member): Promise<string | null> {
  let name: string | null = null;
  const same = ({ primaryValue, expiresAt, voidedAt, fields }: Pass) => {
    name = primaryValue;
    return { primaryValue: primaryValue ?? '', expiresAt, voided: voidedAt !== null, fields };
  };
  const change = (tx: EntityManager) =>
    world.get(DependentPasses).change(tx, addressOf(member), same, world.clock.now());
  await world.get(Database).transaction(change);
  return name;
}

it('passes follow when the label or the zone has changed, and then of who is a member or may become one', async () => {
  const [one, cancelled] = await world.members(accountId, 2, inDays(60));
  await world.setStatus(cancelled!, 'cancelled');
  // What is written over as soon as a pass follows.
  await world.db.query("UPDATE pass SET primary_value = 'Eve', personal = NULL WHERE account_id = $1", [accountId]);
  const names = async () => [await nameOn(one!), await nameOn(cancelled!)];
  await put([week]);
  await follow();
  expect([(await world.read(one!)).dueAt, await names()]).toEqual([inDays(53), ['Eve', 'Eve']]);
  await put([week], 'Until');
  // Comes before the passes have followed, and does not take their place.
  await put([day], 'Until');
  await follow();
  expect([(await world.read(one!)).dueAt, await names()]).toEqual([inDays(59), ['Ada Lovelace', 'Eve']]);
});

it('stops when it is told to, and leaves the rest to a job of its own', async () => {
  const stopped = new AbortController();
  stopped.abort();
  await world.get(SettingsChangedHandlers).follow({ accountId, afterId: 3, passes: true }, running(stopped.signal));
  expect(await world.jobs(MembersLeftToFollow, accountId)).toEqual([{ accountId, afterId: 3, passes: true }]);
});
