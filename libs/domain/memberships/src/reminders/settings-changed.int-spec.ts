import { Database } from '@passwright/database';
import { ManagedPassesService, type Pass } from '@passwright/passes';
import { type MembershipTemplateRequest, TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { addressOf } from '../members/member-passes.service.js';
import type { Member } from '../members/member.entity.js';
import type { Reminder } from '../settings/membership-settings.entity.js';
import { MembershipSettingsChanged } from '../settings/settings.jobs.js';
import { SettingsService } from '../settings/settings.service.js';
import { DueMembersRepository } from './due-members.repository.js';
import { SettingsChangedHandlers } from './settings-changed.handlers.js';
import { MembersLeftToFollow } from './reminders.jobs.js';
import { aClub, running, start, TimeWorld } from './reminders.fixtures.js';

let world: TimeWorld;
let accountId: string;

beforeAll(async () => (world = await TimeWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  world.clock.set(start);
  accountId = await world.account();
});
afterEach(async () => {
  // Make the remaining members not due, because they would disturb the next test.
  await world.db.query('UPDATE member SET due_at = NULL WHERE account_id = $1', [accountId]);
});

const inDays = (days: number) => new Date(start.getTime() + days * 86_400_000);
const at = (days: number) => world.clock.set(inDays(days));
const month = { key: 'month', daysBefore: 30 };
const week = { key: 'week', daysBefore: 7 };
const day = { key: 'day', daysBefore: 1 };

function put(reminders: Reminder[], noticeLabel = 'Membership', timeZone = 'UTC'): Promise<unknown> {
  return world.get(SettingsService).put(accountId, { templateId: 'club', reminders, noticeLabel, timeZone }, null);
}

/** Runs the jobs queued since the settings were changed. */
async function follow(): Promise<void> {
  const jobs = await world.jobs(MembershipSettingsChanged, accountId);
  await world.db.query("DELETE FROM graphile_worker._private_jobs WHERE payload ->> 'accountId' = $1", [accountId]);
  for (const job of jobs) await world.get(SettingsChangedHandlers).settingsChanged(job, running());
}

const sent = async (member: Member) => Object.keys((await world.read(member)).remindersSent).sort();

it('new settings change the due times of members, but do not send reminders whose time has already passed', async () => {
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

it('a member who was never reminded does not get a late reminder after a change of the settings', async () => {
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

it('a reminder that is due at the moment of a change of the settings is sent once', async () => {
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

it('a reminder that becomes due before the update of members is sent, even if the settings change again', async () => {
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

it('a postponed reminder is still sent after a change of the settings', async () => {
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

it('a reminder that a wrong clock postponed by 400 days is sent once the clock is right', async () => {
  const member = await world.member(accountId, inDays(60));
  at(30);
  const until = new Date(inDays(30).getTime() + 400 * 86_400_000);
  const now = world.clock.now();
  await world.get(Database).transaction((tx) => world.get(DueMembersRepository).putOff(tx, member, now, until));
  await world.runDue();
  expect(await sent(member)).toEqual(['month']);
});

/** Returns the name on a member's pass, without changing the pass. */
async function nameOn(member: Member): Promise<string | null> {
  let name: string | null = null;
  const same = ({ primaryValue, expiresAt, voidedAt, fields }: Pass) => {
    name = primaryValue;
    return { primaryValue: primaryValue ?? '', expiresAt, voided: voidedAt !== null, fields };
  };
  const change = (tx: EntityManager) =>
    world.get(ManagedPassesService).change(tx, addressOf(member), same, world.clock.now());
  await world.get(Database).transaction(change);
  return name;
}

it.each([
  ['label', 'Until', 'UTC'],
  ['time zone', 'Membership', 'Asia/Tokyo'],
])('a change of the %s updates passes, except those of cancelled members', async (_, label, timeZone) => {
  const [one, cancelled] = await world.members(accountId, 2, inDays(60));
  await world.setStatus(cancelled!, 'cancelled');
  // An update of the pass would overwrite this value.
  await world.db.query("UPDATE pass SET primary_value = 'Eve', personal = NULL WHERE account_id = $1", [accountId]);
  const names = async () => [await nameOn(one!), await nameOn(cancelled!)];
  await put([week]);
  await follow();
  expect([(await world.read(one!)).dueAt, await names()]).toEqual([inDays(53), ['Eve', 'Eve']]);
  await put([week], label, timeZone);
  // Change the settings again before the job updates the passes. The second change must not replace that job.
  await put([day], label, timeZone);
  await follow();
  expect([(await world.read(one!)).dueAt, await names()]).toEqual([inDays(59), ['Ada Lovelace', 'Eve']]);
});

it('an aborted update of members leaves the remaining members to another job', async () => {
  const stopped = new AbortController();
  stopped.abort();
  await world.get(SettingsChangedHandlers).follow({ accountId, afterId: 3, passes: true }, running(stopped.signal));
  expect(await world.jobs(MembersLeftToFollow, accountId)).toEqual([{ accountId, afterId: 3, passes: true }]);
});

it('a language that is added to a template is also added to the notices on its passes', async () => {
  const member = await world.member(accountId, inDays(60));
  const save = (language: string, translations: Record<string, Record<string, string>>) => {
    const { type, title, issuerName, foregroundColor, backgroundColor, primaryLabel } = aClub;
    const request = { type, title, issuerName, foregroundColor, backgroundColor, primaryLabel, language, translations };
    return world.get(TemplatesService).upsert(accountId, 'club', request as MembershipTemplateRequest, null);
  };
  await save('en', { de: { title: 'Ruderclub' } });
  await follow();
  expect(await world.noticesOn(member, ['en', 'de'])).toEqual(['Until 19 January 2027', 'Bis 19. Januar 2027']);
  const { version } = await world.pass(member);
  await save('en', { de: { title: 'Ruderverein' } });
  expect(await world.jobs(MembershipSettingsChanged, accountId)).toEqual([]);
  await save('fr', { de: { title: 'Ruderverein' } });
  await follow();
  expect((await world.pass(member)).notice).toBe('Jusqu’au 19 janvier 2027');
  expect((await world.pass(member)).version).toBe(version + 1);
});
