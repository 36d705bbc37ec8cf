import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MailRejected } from '@passwright/core';
import { Database } from '@passwright/database';
import { Pass, PassesService } from '@passwright/passes';
import { takeTemplate } from '@passwright/templates';
import type { RenderField } from '@passwright/wallet-renderers';
import { MemberChangesService } from '../members/member-changes.service.js';
import type { Member } from '../members/member.entity.js';
import { DueMembersRepository, expiredSql, pageSql, toRemindSql } from './due-members.repository.js';
import { DueMembersService } from './due-members.service.js';
import { MemberReminded } from './reminders.jobs.js';
import { remindersPerMinute, start, TimeWorld } from './reminders.fixtures.js';

let world: TimeWorld;
let accountId: string;

beforeAll(async () => (world = await TimeWorld.start(2)));
afterAll(() => world.stop());
beforeEach(async () => {
  world.clock.set(start);
  world.mailer.sent.length = 0;
  accountId = await world.account();
});
afterEach(async () => {
  jest.restoreAllMocks();
  // Make the remaining members not due, because they would disturb the next test.
  await world.db.query('UPDATE member SET due_at = NULL WHERE account_id = $1', [accountId]);
});

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(start.getTime() + days * dayMs);
const bothNodes = () => Promise.all([world.runDue(0), world.runDue(1)]);
const at = (date: Date) => world.clock.set(date);
const translate = (language: string | null, translations: object) =>
  world.db.query('UPDATE template SET language = $2, translations = $3 WHERE account_id = $1', [
    ...[accountId, language],
    JSON.stringify(translations),
  ]);

async function termOf(member: Member) {
  const { remindersSent, dueAt } = await world.read(member);
  return { remindersSent, dueAt };
}

/** Lists the members with an audit event of this kind. */
async function audited(action: string): Promise<string[]> {
  const rows = await world.db.query<{ id: string }[]>(
    `SELECT target_id AS id FROM audit_event WHERE account_id = $1 AND action = $2 AND actor_kind = 'system' ORDER BY id`,
    [accountId, action],
  );
  return rows.map(({ id }) => id);
}

it.each(['expireMany', 'settle'] as const)(
  'a timed change that waits for a template change gets a later time than the template change: %s',
  async (method) => {
    const member = await world.member(accountId, inDays(1));
    at(inDays(2));
    const dueMembers = world.get(DueMembersService);
    const change = world.get(Database).transaction(async (tx) => {
      await takeTemplate(tx, accountId, member.templateId);
      const expiry = method === 'settle' ? dueMembers.settle(member) : dueMembers.expireMany([member]);
      await waitsForLock();
      at(inDays(3));
      return { expiry };
    });
    const { expiry } = await change;
    await expiry;
    expect(await world.read(member)).toMatchObject({ status: 'expired', updatedAt: inDays(3) });
  },
);

/** Resolves when a transaction of this database waits for an advisory lock. */
async function waitsForLock(): Promise<void> {
  const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  while ((await world.db.query<unknown[]>(sql)).length === 0) await pause(10);
}

describe('every minute', () => {
  it('two nodes together send each reminder once and expire the member once, and update the pass each time', async () => {
    const members = await world.members(accountId, 12, inDays(60));
    const [member] = members;
    const expected = [
      [30, 'month', 'Ends on 19 January 2027'],
      [53, 'week', 'Last day: 19 January 2027'],
      [59, 'day', 'Ends on 19 January 2027'],
    ] as const;
    expect((await world.pass(member!)).notice).toBe('Until 19 January 2027');
    for (const [day, key, notice] of expected) {
      at(new Date(inDays(day).getTime() - 1));
      await bothNodes();
      expect(await world.jobs(MemberReminded, accountId)).toEqual([]);
      at(inDays(day));
      await bothNodes();
      await bothNodes();
      const jobs = await world.jobs(MemberReminded, accountId);
      expect(jobs.map(({ memberId }) => memberId).sort((one, other) => one - other)).toEqual(
        members.map(({ id }) => id),
      );
      expect(jobs[0]).toEqual({ accountId, memberId: jobs[0]!.memberId, key, expiresAt: inDays(60).toISOString() });
      expect((await world.read(member!)).remindersSent[key]).toBe(inDays(day).toISOString());
      expect(await world.pass(member!)).toMatchObject({ notice, voided: false });
      await world.deliver(accountId);
    }
    expect(world.mailer.sent).toHaveLength(36);

    at(inDays(60));
    await bothNodes();
    await bothNodes();
    const version = members[0]!.version + 4;
    expect(await world.read(member!)).toMatchObject({ status: 'expired', dueAt: null, version });
    expect(await world.pass(member!)).toMatchObject({ voided: true, version: 5 });
    expect((await audited('member.expired')).sort()).toEqual(members.map(({ id }) => String(id)).sort());
    expect(await world.jobs(MemberReminded, accountId)).toEqual([]);
  });

  it('a member locked by another transaction is skipped, and processed a minute later', async () => {
    const member = await world.member(accountId, inDays(60));
    at(inDays(30));
    await world.get(Database).transaction(async (tx) => {
      await tx.query('SELECT FROM member WHERE account_id = $1 FOR UPDATE', [accountId]);
      await world.runDue();
    });
    expect((await world.read(member)).remindersSent).toEqual({});
    await world.runDue();
    expect((await world.read(member)).remindersSent).toEqual({ month: inDays(30).toISOString() });
  });

  it('a killed transaction changes nothing and delays no other member, and the next run repeats the work', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const [member, other] = await world.members(accountId, 2, inDays(60));
    at(inDays(60));
    await world.get(Database).transaction(async (tx) => {
      // Lock the pass, which is written last: a transaction that waits for it has written everything else.
      await tx.query('SELECT FROM pass WHERE account_id = $1 AND id = $2 FOR UPDATE', [accountId, member!.passId]);
      const run = world.runDue();
      // Kill the transaction that handles all members together, and then the transaction that handles a single member.
      await killed(tx, await killed(tx));
      await run;
    });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('2 members expire one by one'));
    expect(error).toHaveBeenCalledWith(expect.stringContaining(`Member ${member!.id} of ${accountId} is put off`));
    expect(await world.read(member!)).toMatchObject({ status: 'active', version: member!.version });
    expect(await audited('member.expired')).toEqual([String(other!.id)]);
    world.clock.advance(300);
    await bothNodes();
    expect(await world.read(member!)).toMatchObject({ status: 'expired', version: member!.version + 1 });
    expect(await world.pass(member!)).toMatchObject({ voided: true });
    expect(await audited('member.expired')).toHaveLength(2);
  });

  it('members that expire together get the same result as if each member expired alone', async () => {
    const otherId = await world.account();
    const members = await world.members(accountId, 150, inDays(60));
    const [held, deleted, suspended, cancelled] = members;
    const other = await world.member(otherId, inDays(60));
    await world.hold(held!);
    await world.setStatus(suspended!, 'suspended');
    await world.setStatus(cancelled!, 'cancelled');
    await world.db.query('DELETE FROM pass WHERE account_id = $1 AND id = $2', [accountId, deleted!.passId]);
    at(inDays(60));
    await bothNodes();
    const rows = await world.db.query(
      `SELECT m.status, m.version, m.due_at, p.voided_at, p.version AS pass_version, count(*)::int
       FROM member m LEFT JOIN pass p ON p.account_id = m.account_id AND p.id = m.pass_id
       WHERE m.account_id = ANY ($1) GROUP BY 1, 2, 3, 4, 5 ORDER BY 6 DESC, 1 DESC`,
      [[accountId, otherId]],
    );
    const expired = { status: 'expired', version: 2, due_at: null, voided_at: inDays(60), pass_version: 2 };
    expect(rows).toEqual([
      { ...expired, count: 149 },
      { ...expired, voided_at: null, pass_version: null, count: 1 },
      { ...expired, status: 'cancelled', version: 1, voided_at: null, pass_version: 1, count: 1 },
    ]);
    expect(await audited('member.expired')).toHaveLength(149);
    const { serialNumber } = await world.db.findOneByOrFail(Pass, { accountId, id: held!.passId });
    expect(await world.tasks(accountId)).toEqual([['passes.changed', { accountId, serialNumber }]]);
    const counters =
      'SELECT account_id AS id, sum(active)::int AS active FROM active_pass GROUP BY 1 HAVING account_id = $1';
    expect(await world.db.query(counters, [accountId])).toEqual([{ id: accountId, active: 1 }]);
    expect(await world.pass(other)).toMatchObject({ voided: true });
  });

  it('a suspended member does not get reminders, but expires', async () => {
    const member = await world.member(accountId, inDays(60));
    await world.setStatus(member, 'suspended');
    at(inDays(31));
    await world.runDue();
    expect(await termOf(member)).toEqual({ remindersSent: {}, dueAt: inDays(60) });
    at(inDays(60));
    await world.runDue();
    expect((await world.read(member)).status).toBe('expired');
    expect(await world.jobs(MemberReminded, accountId)).toEqual([]);
  });

  it('a renewal clears the sent reminders, and the member gets all reminders again before the new end', async () => {
    const member = await world.member(accountId, inDays(60));
    at(inDays(30));
    await world.runDue();
    await world.get(MemberChangesService).renew(accountId, member.id, inDays(100).toISOString());
    expect((await world.pass(member)).notice).toBe('Until 28 February 2027');
    await world.deliver(accountId);
    expect(world.mailer.sent).toEqual([]);
    at(inDays(69));
    await bothNodes();
    expect(await termOf(member)).toEqual({ remindersSent: {}, dueAt: inDays(70) });
    at(inDays(70));
    await bothNodes();
    await world.deliver(accountId);
    expect(world.mailer.sent.map(({ subject }) => subject)).toEqual([
      'Harbour Hall: your membership ends on 28 February 2027',
    ]);
  });

  it('the notice on the pass and the reminder at Google are in the language of the pass', async () => {
    const member = await world.member(accountId, inDays(60));
    await world.db.query(`UPDATE pass SET language = 'de-AT' WHERE account_id = $1`, [accountId]);
    await world.atGoogle(accountId);
    at(inDays(30));
    await world.runDue();
    expect((await world.pass(member)).notice).toBe('Endet am 19. Januar 2027');
    const message = { header: 'Membership', body: 'Endet am 19. Januar 2027' };
    expect(await world.messagesAtGoogle(member)).toMatchObject([message]);
  });

  it('the notice is in the language of the template and in each of its translations', async () => {
    await translate('de', { fr: { title: 'Club d’aviron' }, sv: { title: 'Roddklubb' } });
    const member = await world.member(accountId, inDays(60));
    const issued = 'Bis 19. Januar 2027';
    expect(await world.noticesOn(member, ['de', 'fr', 'sv'])).toEqual([issued, 'Jusqu’au 19 janvier 2027', issued]);
    at(inDays(30));
    await world.runDue();
    const reminded = 'Endet am 19. Januar 2027';
    expect(await world.noticesOn(member, ['de', 'fr'])).toEqual([reminded, 'Prend fin le 19 janvier 2027']);
  });

  it('a pass whose holder’s language is known also has the notice in the language of the template', async () => {
    await translate(null, { de: { title: 'Ruderclub' } });
    const member = await world.member(accountId, inDays(60));
    await world.db.query(`UPDATE pass SET language = 'de' WHERE account_id = $1`, [accountId]);
    at(inDays(30));
    await world.runDue();
    const shown = ['Endet am 19. Januar 2027', 'Ends on 19 January 2027'];
    expect(await world.noticesOn(member, ['de', 'en'])).toEqual(shown);
  });

  it('a request that repeats the notice of a pass unchanged keeps the translations of the notice', async () => {
    await translate('de', { fr: { title: 'Club d’aviron' } });
    const member = await world.member(accountId, inDays(60));
    const { version } = await world.pass(member);
    const notice = { key: 'membership', label: 'Membership', value: 'Bis 19. Januar 2027' };
    const patch = (fields: RenderField[]) => world.get(PassesService).patch(member, { fields: [...fields] });
    await patch([notice]);
    expect((await world.pass(member)).version).toBe(version);
    await patch([notice, { key: 'locker', label: 'Spind', value: '7' }]);
    expect(await world.noticesOn(member, ['fr'])).toEqual(['Jusqu’au 19 janvier 2027']);
  });

  it('the reminder at Google is in each language of the template', async () => {
    await translate('de', { fr: { title: 'Club d’aviron' } });
    const member = await world.member(accountId, inDays(60));
    await world.atGoogle(accountId);
    at(inDays(30));
    await world.runDue();
    expect(await world.messagesAtGoogle(member)).toMatchObject([
      {
        body: 'Endet am 19. Januar 2027',
        localizedBody: {
          defaultValue: { language: 'de', value: 'Endet am 19. Januar 2027' },
          translatedValues: [{ language: 'fr', value: 'Prend fin le 19 janvier 2027' }],
        },
      },
    ]);
  });

  it.each([
    ['four other front fields', { fields: ['a', 'b', 'c', 'd'], backFields: [] }],
    ['the key of the notice on its back', { fields: [], backFields: ['membership'] }],
  ])('a pass without room for the notice gets no reminder at Google: %s', async (_, keys) => {
    const member = await world.member(accountId, inDays(60));
    const fieldsOf = (names: string[]) => JSON.stringify(names.map((key) => ({ key, label: key, value: '1' })));
    const sql = 'UPDATE pass SET fields = $2, back_fields = $3 WHERE account_id = $1';
    await world.db.query(sql, [accountId, fieldsOf(keys.fields), fieldsOf(keys.backFields)]);
    await world.atGoogle(accountId);
    at(inDays(30));
    await world.runDue();
    expect((await world.read(member)).remindersSent).toEqual({ month: inDays(30).toISOString() });
    expect(await world.messagesAtGoogle(member)).toBeNull();
  });

  it('a member who missed several reminders gets one mail, and an expired member gets none', async () => {
    const ended = await world.member(accountId, inDays(32));
    const late = await world.member(accountId, inDays(34));
    // The membership ends on day 34. On day 33, its reminder of seven days was missed, and its reminder of one day is
    // due.
    at(inDays(33));
    await bothNodes();
    expect((await world.read(ended)).status).toBe('expired');
    expect((await world.read(ended)).remindersSent).toEqual({});
    expect((await world.read(late)).remindersSent).toEqual({ day: inDays(33).toISOString() });
    await world.deliver(accountId);
    expect(world.mailer.sent.map(({ to }) => to)).toEqual([late.email]);
  });

  it('the service processes a backlog of expiries first, and limits the number of reminders per minute', async () => {
    await world.members(accountId, remindersPerMinute + 10, inDays(60));
    const ended = await world.members(accountId, remindersPerMinute + 5, inDays(40));
    at(inDays(41));
    await world.runDue();
    expect(await audited('member.expired')).toHaveLength(ended.length);
    expect(await world.jobs(MemberReminded, accountId)).toHaveLength(remindersPerMinute);
    await world.runDue();
    expect(await world.jobs(MemberReminded, accountId)).toHaveLength(remindersPerMinute + 10);
  });

  it('the service counts the days before an expiry in the time zone of the settings, even across clock changes', async () => {
    accountId = await world.account({ timeZone: 'America/New_York' });
    // Both times are midnight in New York. Its clocks change between them, on 14 March 2027.
    const expiresAt = new Date('2027-04-05T04:00:00.000Z');
    const member = await world.member(accountId, expiresAt);
    expect(member.dueAt).toEqual(new Date('2027-03-06T05:00:00.000Z'));
    at(member.dueAt!);
    await world.runDue();
    expect((await world.pass(member)).notice).toBe('Ends on 4 April 2027');
    await world.deliver(accountId);
    expect(world.mailer.sent[0]?.subject).toBe('Harbour Hall: your membership ends on 4 April 2027');
  });

  it('a pass that expires together with its member notifies wallets once', async () => {
    const member = await world.member(accountId, inDays(60));
    at(inDays(60));
    const noted = `UPDATE pass SET expired_at = expires_at, version = version + 1, updated_at = expires_at WHERE account_id = $1`;
    await world.db.query(noted, [accountId]);
    const { updatedAt } = await world.pass(member);
    await world.runDue();
    expect(await world.pass(member)).toMatchObject({ voided: true, updatedAt });
  });
});

describe('the reminder mail', () => {
  it.each([
    [null, 'Harbour Hall: Ihre Mitgliedschaft endet am 19. Januar 2027'],
    ['nl', 'Harbour Hall: je lidmaatschap eindigt op 19 januari 2027'],
  ])(
    'the mail for a German template to a holder with the language %s has the subject %j',
    async (language, subject) => {
      await translate('de', {});
      const member = await world.member(accountId, inDays(60));
      await world.db.query('UPDATE pass SET language = $2 WHERE account_id = $1', [accountId, language]);
      at(inDays(30));
      await world.runDue();
      await world.deliver(member.accountId);
      expect(world.mailer.sent.map((mail) => mail.subject)).toEqual([subject]);
    },
  );

  const remindedOne = async () => {
    const member = await world.member(accountId, inDays(60));
    at(inDays(30));
    await world.runDue();
    return member;
  };

  it('the mail comes from the issuer, goes to the member’s current e-mail address, and has the same id in each attempt', async () => {
    const member = await remindedOne();
    await world.get(Database).transaction((tx) => world.rename(tx, member, 'new@example.com'));
    world.mailer.failNext();
    await expect(world.deliver(accountId)).rejects.toThrow();
    await world.deliver(accountId);
    const webUrl = `https://passes.example/p/${accountId}/club/${member.passId}`;
    const [mail, ...more] = world.mailer.sent;
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      id: `member-reminder:${accountId}/${member.id}/month/${inDays(60).toISOString()}`,
      to: 'new@example.com',
      fromName: 'Harbour Hall',
      subject: 'Harbour Hall: your membership ends on 19 January 2027',
    });
    expect(mail?.text).toContain(webUrl);
    const [{ code }] = await world.db.query('SELECT code FROM pass WHERE account_id = $1', [accountId]);
    expect(mail!.text + mail!.html).not.toContain(code);
  });

  it.each([
    ['the member was suspended', "UPDATE member SET status = 'suspended' WHERE account_id = $1"],
    [
      'the member was renewed',
      `UPDATE member SET expires_at = '2028-01-19T10:00:00Z', reminders_sent = '{}' WHERE account_id = $1`,
    ],
    ['the member was deleted', 'DELETE FROM member WHERE account_id = $1'],
    [
      'the member got a later reminder',
      `UPDATE member SET reminders_sent = reminders_sent || '{"week":"2027-01-12T10:00:00.000Z"}' WHERE account_id = $1`,
    ],
    ['the pass became void', 'UPDATE pass SET voided_at = now() WHERE account_id = $1'],
    ['the pass was deleted', 'DELETE FROM pass WHERE account_id = $1'],
    ['the template was archived', 'UPDATE template SET archived_at = now() WHERE account_id = $1'],
  ])('the mail is not sent if %s in the meantime', async (_, change) => {
    await remindedOne();
    await world.db.query(change, [accountId]);
    await world.deliver(accountId);
    expect(world.mailer.sent).toEqual([]);
  });

  it('the mail is not sent after the membership has ended', async () => {
    await remindedOne();
    at(inDays(60));
    await world.deliver(accountId);
    expect(world.mailer.sent).toEqual([]);
  });

  it('a permanently rejected mail is not sent again, and the audit trail records the rejection', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const member = await remindedOne();
    world.mailer.failNext(new MailRejected('the server does not know the recipient'));
    await world.deliver(accountId);
    expect(world.mailer.sent).toEqual([]);
    expect(await audited('member.reminder_refused')).toEqual([String(member.id)]);
  });

  it('a test account sends reminders only to its own users, and the audit trail records the unsent ones', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    await world.db.query('UPDATE account SET is_test = true WHERE id = $1', [accountId]);
    const member = await remindedOne();
    await world.deliver(accountId);
    expect(world.mailer.sent).toEqual([]);
    expect(await audited('member.reminder_refused')).toEqual([String(member.id)]);
  });
});

it.each(['findExpired', 'findToRemind'] as const)(
  'the members that %s returns include those of a small account, although a large one has many that are due earlier',
  async (find) => {
    const small = await world.account();
    const expiry = inDays(find === 'findExpired' ? -1 : 1);
    await world.db.query(
      `INSERT INTO member (account_id, id, template_id, pass_id, email, name, status, data, expires_at, reminders_sent,
         reminded_until, due_at, search, version, created_at, updated_at)
       SELECT CASE WHEN n <= 50 THEN $1 ELSE $2 END, 1000 + n, 't', 'p' || n, n || '@example.com', 'Ada', 'active', '{}', $3,
         '{}', $4::timestamptz, $4::timestamptz - (100 - n) * interval '1 s', '', 1, $4, $4
       FROM generate_series(1, 53) n`,
      [accountId, small, expiry, start],
    );
    const found = await world.get(DueMembersRepository)[find](world.clock.now(), 10);
    await world.db.query('DELETE FROM member WHERE account_id = ANY($1) AND id > 1000', [[accountId, small]]);
    expect(found.filter(({ accountId: of }) => of === small).map(({ id }) => id)).toEqual([1051, 1052, 1053]);
    expect(found).toHaveLength(10);
  },
);

it('an index finds due members, at most 20,000 of which take turns, and the primary key finds those of an account', async () => {
  await world.db.query(
    `INSERT INTO member (account_id, id, template_id, pass_id, email, name, status, data, expires_at, reminders_sent,
       reminded_until, due_at, search, version, created_at, updated_at)
     SELECT $1, 1000 + n, 't', 'p' || n, n || '@example.com', 'Ada', 'active', '{}', $2::timestamptz + n * interval '1 hour', '{}',
       $2, $2::timestamptz + n * interval '1 hour', '', 1, $2, $2
     FROM generate_series(1, 20100) n`,
    [accountId, inDays(1000)],
  );
  await world.db.query('ANALYZE member');
  const plan = async (sql: string, values: unknown[], options = 'FORMAT JSON') =>
    JSON.stringify(await world.db.query(`EXPLAIN (${options}) ${sql}`, values));
  for (const sql of [expiredSql, toRemindSql]) {
    expect(await plan(sql, [inDays(1001), 1000])).toMatch(
      /"Index Name":"member_due_idx".*"Index Cond":"[^"]*expires_at/,
    );
  }
  expect(await plan(expiredSql, [inDays(2000), 1000], 'ANALYZE, FORMAT JSON')).toMatch(
    /"Node Type":"WindowAgg"[^{}]*"Actual Rows":20000[.,]/,
  );
  expect(await plan(pageSql, [accountId, 5000, 50])).toContain('"Index Name":"member_pkey"');
  await world.db.query('DELETE FROM member WHERE account_id = $1 AND id > 1000', [accountId]);
});

/**
 * Waits until a lock of `tx` blocks another transaction, and kills the connection of the blocked transaction.
 * @param before the process id of a connection to spare.
 * @returns the process id of the killed connection
 */
async function killed(tx: { query<T>(sql: string, values: unknown[]): Promise<T> }, before = 0): Promise<number> {
  for (;;) {
    const [row] = await tx.query<{ pid: number }[]>(
      // Within a transaction, pg_stat_activity would not show connections that open later.
      `SELECT pid, pg_terminate_backend(pid) FROM pg_locks
       WHERE NOT granted AND pid <> $1 AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
      [before],
    );
    if (row) return row.pid;
  }
}
