import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { MailRejected } from '@passwright/core';
import { Database } from '@passwright/database';
import { TemplatesService } from '@passwright/templates';
import { PassDistributionOptions } from '../pass-distribution.options.js';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { MailLimitsCron } from './mail-limits.cron.js';
import { MailsRetentionCron } from './mails-retention.cron.js';
import { nthLastToSql } from './mail-limits.repository.js';
import { PassMailQueued } from './pass-mails.jobs.js';
import { mostAttempts, PassMailsHandlers } from './pass-mails.handlers.js';
import { beginSql, nthLastSql, PassMailsRepository } from './pass-mails.repository.js';
import { PassMailsService } from './pass-mails.service.js';

const running = () => ({ signal: new AbortController().signal });
const to = 'ada@example.com';
let app: TestApp;
let account: TestAccount;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
  await account.template('offer', { title: 'Autumn <sale>', issuerName: 'Harbour Hall' });
  await account.post('offer/ada', { metadata: { secret: 'hush' } }).expect(200);
});
afterEach(() => {
  jest.restoreAllMocks();
  app.mailer.sent.length = 0;
});

const countSql = 'SELECT count(*)::integer AS count FROM pass_mail WHERE account_id = $1';
const db = () => app.get(Database).reads;
const send = (body: object = {}, path = 'offer/ada') => account.post(`${path}/send`, { to, ...body });
const mails = async (path = 'offer/ada') => (await account.get(`${path}/mails`).expect(200)).body.data;

/** Returns the account's queued jobs. */
async function queued(): Promise<PassMailQueued['payload'][]> {
  const rows = await db().query<{ payload: PassMailQueued['payload'] }[]>(
    `SELECT job.payload FROM graphile_worker._private_jobs job
     JOIN graphile_worker._private_tasks task ON task.id = job.task_id
     WHERE task.identifier = $1 AND job.payload ->> 'accountId' = $2 ORDER BY job.id`,
    [PassMailQueued.task, account.id],
  );
  return rows.map(({ payload }) => payload);
}

/** Runs each of the account's jobs once. @returns the error of each job, or null */
async function deliver(): Promise<(Error | null)[]> {
  const failures: (Error | null)[] = [];
  for (const payload of await queued()) {
    const [result] = await Promise.allSettled([app.get(PassMailsHandlers).deliver(payload, running())]);
    failures.push(result.status === 'rejected' ? (result.reason as Error) : null);
  }
  return failures;
}

const statusesOf = (responses: readonly { status: number }[]) => responses.map(({ status }) => status).sort();
const quiet = () => jest.spyOn(Logger.prototype, 'warn').mockImplementation();

describe('sending a pass by e-mail', () => {
  it('202 for a queued mail, which the service sends once and only to the given address', async () => {
    const { body } = await send({ message: 'See you!\n<b>Ada</b>' }).expect(202);
    expect(body).toEqual({
      id: expect.stringMatching(/^\w{22}$/),
      to,
      subject: 'Your pass from Harbour Hall: Autumn <sale>',
      status: 'queued',
      attempts: 0,
      problem: null,
      createdAt: '2026-11-20T10:00:00.000Z',
      sentAt: null,
    });
    expect(app.mailer.sent).toEqual([]);
    app.clock.advance(2);
    expect(await deliver()).toEqual([null]);
    expect(await deliver()).toEqual([null]);

    expect(app.mailer.sent).toEqual([
      {
        id: `pass-mail:${body.id}`,
        to,
        fromName: 'Harbour Hall',
        subject: 'Your pass from Harbour Hall: Autumn <sale>',
        text: expect.stringContaining(`http://passes.example/p/${account.id}/offer/ada`),
        html: expect.stringContaining(`href="http://passes.example/p/${account.id}/offer/ada"`),
      },
    ]);
    const { html, text } = app.mailer.sent[0]!;
    expect(html).toContain('&lt;b&gt;Ada&lt;/b&gt;');
    expect(html).toMatch(new RegExp(`<img src="http://passes.example/images/${account.id}/[0-9a-f]{64}\\.png"`));
    expect(html + text).not.toContain('hush');
    expect(await mails()).toEqual([{ ...body, status: 'sent', attempts: 1, sentAt: '2026-11-20T10:00:02.000Z' }]);
    const [{ message }] = await db().query('SELECT message FROM pass_mail WHERE id = $1', [body.id]);
    expect(message).toBeNull();
  });

  it('the mail contains the state of the pass at the time of sending, in the requested language', async () => {
    await send({ lang: 'de', subject: 'Bis morgen' }).expect(202);
    await account.patch('offer/ada', { expiry: '2026-12-24T17:00:00.000Z' }).expect(200);
    await deliver();
    expect(app.mailer.sent[0]).toMatchObject({ subject: 'Bis morgen', text: expect.stringContaining('24. Dezember') });
  });

  it('the service rejects mails with several e-mail addresses, long texts or an unsupported language', async () => {
    for (const body of [
      { to: undefined },
      { to: 'a@example.com,b@example.com' },
      { to: 'Ada <ada@example.com>' },
      { to: 'ada@example.com\nBcc: eve@example.com' },
      { to: `${'a'.repeat(250)}@example.com` },
      { subject: 'two\nlines' },
      { subject: ' ' },
      { subject: 'x'.repeat(151) },
      { message: 'x'.repeat(1001) },
      { lang: 'tlh' },
      { cc: 'eve@example.com' },
      { replyTo: 'a@example.com,b@example.com' },
      { replyTo: 'Ada <ada@example.com>' },
    ]) {
      await send(body).expect(400, /validation_failed/);
    }
    expect(await queued()).toEqual([]);
    await send({ subject: '🎟'.repeat(150), message: '\u2028x', lang: null }).expect(202);
  });

  it('the service sends one mail for repeated requests with the same Idempotency-Key', async () => {
    const first = await send().set('Idempotency-Key', 'k').expect(202);
    const again = await send().set('Idempotency-Key', 'k').expect(202);
    expect(again.text).toBe(first.text);
    expect(await queued()).toHaveLength(1);
    expect(await mails()).toHaveLength(1);
    await send({ subject: 'Other' })
      .set('Idempotency-Key', 'k')
      .expect(409, /idempotency_key_reused/);
  });

  it('a mail and its job are stored in one transaction, so that a rollback removes both', async () => {
    const address = { accountId: account.id, templateId: 'offer', passId: 'ada' };
    const rolledBack = app.get(Database).inOneTransaction(async () => {
      await app.get(PassMailsService).send(address, { to });
      expect([await queued(), await db().query(countSql, [account.id])]).toEqual([[expect.anything()], [{ count: 1 }]]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect([await queued(), await db().query(countSql, [account.id])]).toEqual([[], [{ count: 0 }]]);
  });

  it('404 pass_not_found for an unknown pass and for a pass of another account', async () => {
    await send({}, 'offer/none').expect(404, /pass_not_found/);
    await send({}, 'none/ada').expect(404, /pass_not_found/);
    account = await app.account();
    await send().expect(404, /pass_not_found/);
    await account.get('offer/ada/mails').expect(404, /pass_not_found/);
  });

  it('409 invalid_transition for a pass that is void, redeemed or expired, but not for one that is not valid yet', async () => {
    await account.post('offer/late', { expiry: '2026-11-20T11:00:00.000Z' }).expect(200);
    await account.post('offer/soon', { validFrom: '2026-11-21T11:00:00.000Z' }).expect(200);
    await account.post('offer/used', {}).expect(200);
    await account.post('offer/ada/void').expect(200);
    await account.post('offer/used/redeem').expect(200);
    app.clock.advance(3600);
    const rejected = async (path: string) => {
      const { body } = await send({}, path).expect(409);
      expect(body.code).toBe('invalid_transition');
      return body.message;
    };
    expect(await rejected('offer/ada')).toContain('was voided at 2026-11-20T10:00:00.000Z');
    expect(await rejected('offer/used')).toContain('was redeemed at');
    expect(await rejected('offer/late')).toContain('expired at 2026-11-20T11:00:00.000Z');
    await send({}, 'offer/soon').expect(202);
  });

  it('409 template_archived for a pass of an archived template', async () => {
    await account.archive('offer');
    await send().expect(409, /template_archived/);
  });

  it('429 rate_limited for the eleventh mail about a pass within an hour, even when requests are simultaneous', async () => {
    await send().expect(202);
    app.clock.advance(600);
    const responses = await Promise.all(Array.from({ length: 11 }, (_, n) => send({ to: `${n}@example.com` })));
    expect(statusesOf(responses)).toEqual([...Array<number>(9).fill(202), 429, 429]);
    const rejected = await send().expect(429, /rate_limited/);
    expect(rejected.headers['retry-after']).toBe('3000');
    await account.post('offer/other', {}).expect(200);
    await send({}, 'offer/other').expect(202);
    app.clock.advance(2999);
    await send().expect(429);
    app.clock.advance(1);
    await send().expect(202);
  });

  it('429 rate_limited for the sixth mail to one e-mail address within an hour, for all passes and spellings together', async () => {
    for (let n = 0; n < 8; n++) await account.post(`offer/p${n}`, {}).expect(200);
    await send({}, 'offer/p0').expect(202);
    app.clock.advance(600);
    const responses = await Promise.all(
      Array.from({ length: 7 }, (_, n) => send({ to: n % 2 ? to : 'Ada@EXAMPLE.com' }, `offer/p${n + 1}`)),
    );
    expect(statusesOf(responses)).toEqual([202, 202, 202, 202, 429, 429, 429]);
    for (let n = 0; n < 8; n++) await account.delete(`offer/p${n}`).expect(204);
    const rejected = await send().expect(429, /rate_limited/);
    expect(rejected.headers['retry-after']).toBe('3000');
    expect(rejected.text).not.toContain('ada@');
    await send({ to: 'bob@example.com' }).expect(202);
    app.clock.advance(3000);
    await send().expect(202);
    account = await app.account();
    await account.template('offer');
    await account.post('offer/ada', {}).expect(200);
    await send().expect(202);
  });

  it('429 rate_limited for mails over the daily limit of an account, even when requests are simultaneous', async () => {
    Object.assign(app.get(PassDistributionOptions), { mailsPerDay: 3 });
    try {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const name of names) await account.post(`offer/${name}`, {}).expect(200);
      const sendAll = () => Promise.all(names.map((name) => send({ to: `${name}@example.com` }, `offer/${name}`)));
      expect(statusesOf(await sendAll())).toEqual([202, 202, 202, 429, 429, 429]);
      for (const name of names.slice(1)) await account.delete(`offer/${name}`).expect(204);
      const rejected = await send({}, 'offer/a').expect(429, /rate_limited/);
      expect(rejected.headers['retry-after']).toBe(String(14 * 3600));
      expect(await db().query(countSql.replace('pass_mail', 'pass_mail_recipient'), [account.id])).toEqual([
        { count: 3 },
      ]);
      app.clock.set('2026-11-21T00:00:00.000Z');
      for (const n of [1, 2, 3]) await send({ to: `${n}@example.com` }, 'offer/a').expect(202);
      await send({}, 'offer/a').expect(429);
      Object.assign(app.get(PassDistributionOptions), { mailsPerDay: 0 });
      await send({}, 'offer/a').expect(202);
    } finally {
      Object.assign(app.get(PassDistributionOptions), { mailsPerDay: undefined });
    }
  });

  it('mails that were sent while the clock was 400 days ahead do not count towards the limits', async () => {
    Object.assign(app.get(PassDistributionOptions), { mailsPerDay: 5 });
    try {
      for (const days of [400, -400]) {
        app.clock.advance(days * 86_400);
        for (let n = 0; n < 5; n++) await send().expect(202);
      }
      await send().expect(429, /rate_limited/);
    } finally {
      Object.assign(app.get(PassDistributionOptions), { mailsPerDay: undefined });
    }
  });

  it('429 rate_limited for mails over the daily limit of one founder’s accounts, even in simultaneous requests', async () => {
    Object.assign(app.get(PassDistributionOptions), { mailsPerDay: 3 });
    try {
      const [second, stranger] = [await app.account(), await app.account()];
      const uid = `usr_${account.id}`;
      await db().query(`INSERT INTO app_user (uid, email, name, created_at) VALUES ($1, $1, '', now())`, [uid]);
      for (const { id } of [account, second]) {
        await db().query('UPDATE account SET founder = $2 WHERE id = $1', [id, uid]);
        await db().query(
          'INSERT INTO account_member (account_id, uid, is_admin, created_at) VALUES ($1, $2, true, now())',
          [id, uid],
        );
      }
      for (const each of [second, stranger]) await each.template('offer');
      for (const each of [account, second, stranger]) await each.post('offer/ada', {}).expect(200);
      const sendFrom = (from: typeof account, n: number) => from.post('offer/ada/send', { to: `${n}@example.com` });
      const responses = await Promise.all([1, 2, 3, 4].flatMap((n) => [sendFrom(account, n), sendFrom(second, n)]));
      expect(statusesOf(responses)).toEqual([202, 202, 202, 429, 429, 429, 429, 429]);
      await sendFrom(stranger, 1).expect(202);
      app.clock.set('2026-11-21T00:00:00.000Z');
      await sendFrom(second, 1).expect(202);
    } finally {
      Object.assign(app.get(PassDistributionOptions), { mailsPerDay: undefined });
    }
  });

  it('the table of mail limits stores the recipient only as a hash, and only for an hour', async () => {
    await send().expect(202);
    const storedMails = () =>
      db().query<{ recipientHash: Buffer }[]>(
        'SELECT recipient_hash AS "recipientHash" FROM pass_mail_recipient WHERE account_id = $1',
        [account.id],
      );
    const [{ recipientHash } = { recipientHash: Buffer.alloc(0) }] = await storedMails();
    expect(recipientHash).toHaveLength(32);
    expect(recipientHash).not.toEqual(createHash('sha256').update(to).digest());
    app.clock.advance(3600);
    await app.get(MailLimitsCron).deleteRecipients();
    expect(await storedMails()).toHaveLength(1);
    app.clock.advance(1);
    await app.get(MailLimitsCron).deleteRecipients();
    expect(await storedMails()).toEqual([]);
  });

  it('the service deletes a mail 400 days after it was requested', async () => {
    await send().expect(202);
    const storedMails = () => db().query<unknown[]>('SELECT id FROM pass_mail WHERE account_id = $1', [account.id]);
    app.clock.advance(400 * 86_400);
    await app.get(MailsRetentionCron).deleteOld();
    expect(await storedMails()).toHaveLength(1);
    app.clock.advance(1);
    await app.get(MailsRetentionCron).deleteOld();
    expect(await storedMails()).toEqual([]);
  });

  it('the mail has the requested reply address, which the service deletes after sending, like the message', async () => {
    await send({ replyTo: 'box.office@example.net' }).expect(202);
    await deliver();
    expect(app.mailer.sent[0]).toMatchObject({ to, replyTo: 'box.office@example.net' });
    const rows = await db().query('SELECT reply_to, message FROM pass_mail WHERE account_id = $1', [account.id]);
    expect(rows).toEqual([{ reply_to: null, message: null }]);
  });

  it('the service stores a mail encrypted, deletes its message after sending, and deletes the key with the mail', async () => {
    const words = { replyTo: 'box.office@example.net', subject: 'See you', message: 'Bring a friend' };
    await send(words).expect(202);
    const stored = async () => {
      const rows = await db().query<{ mail: string; words: boolean; keys: string }[]>(
        `SELECT m::text AS mail, personal_message IS NOT NULL AS words,
           (SELECT count(*) FROM encryption_key k WHERE k.account_id = $1 AND id = 'mail:' || m.id) AS keys
         FROM pass_mail m WHERE account_id = $1`,
        [account.id],
      );
      return rows[0]!;
    };
    expect(await stored()).toMatchObject({ words: true, keys: '1' });
    await deliver();
    expect(app.mailer.sent[0]).toMatchObject({ to, replyTo: words.replyTo, subject: words.subject });
    expect(await stored()).toMatchObject({ words: false, keys: '1' });
    expect((await stored()).mail).not.toMatch(/ada@|box\.office|See you|friend/);
    expect(await mails()).toMatchObject([{ to, subject: words.subject }]);
    await account.delete('offer/ada').expect(204);
    const keys = `SELECT FROM encryption_key WHERE account_id = $1 AND id LIKE 'mail:%'`;
    expect(await db().query(keys, [account.id])).toEqual([]);
  });
});

describe('a mail that the mail server does not accept', () => {
  it('the service sends a rejected mail again, and hides details of the mail server from the account', async () => {
    await send().expect(202);
    app.mailer.failNext(new Error('ECONNREFUSED 10.0.0.7:25'));
    expect(await deliver()).toEqual([expect.objectContaining({ message: 'ECONNREFUSED 10.0.0.7:25' })]);
    expect(await mails()).toMatchObject([
      { status: 'queued', attempts: 1, problem: 'The mail server has not taken it.', sentAt: null },
    ]);
    expect(await deliver()).toEqual([null]);
    expect(await mails()).toMatchObject([{ status: 'sent', attempts: 2, problem: null }]);
  });

  it('a permanently rejected mail fails immediately, and the log does not contain the recipient’s address', async () => {
    const warn = quiet();
    await send().expect(202);
    app.mailer.failNext(new MailRejected('the mail server responds “550 unknown”'));
    expect(await deliver()).toEqual([null]);
    expect(await deliver()).toEqual([null]);
    expect(await mails()).toMatchObject([
      { status: 'failed', attempts: 1, problem: 'The mail is rejected: the mail server responds “550 unknown”' },
    ]);
    expect(app.mailer.sent).toEqual([]);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([expect.stringContaining('550 unknown')]);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('ada@');
  });

  it('a mail fails after 12 attempts', async () => {
    const warn = quiet();
    await send().expect(202);
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      app.mailer.failNext(new Error('421 try again later'));
      const [failure] = await deliver();
      expect(failure === null).toBe(attempt === mostAttempts);
    }
    expect(await mails()).toMatchObject([
      { status: 'failed', attempts: 12, problem: 'The mail server has not taken it.' },
    ]);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([expect.stringContaining('421 try again later')]);
  });

  it('a mail that cannot be rendered fails, and the reason says that the service had an error', async () => {
    const warn = quiet();
    await send().expect(202);
    jest.spyOn(app.get(TemplatesService), 'get').mockRejectedValue(new Error('the database is away'));
    for (let attempt = 1; attempt <= mostAttempts; attempt++) await deliver();
    expect(await mails()).toMatchObject([
      { status: 'failed', attempts: 12, problem: 'It could not be made, by an error of the service.' },
    ]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('the database is away')]]);
  });

  it('a mail fails after 12 attempts, even if the process was killed during each attempt', async () => {
    quiet();
    const { body } = await send().expect(202);
    await db().query('UPDATE pass_mail SET attempts = 12 WHERE id = $1', [body.id]);
    expect(await deliver()).toEqual([null]);
    expect(await mails()).toMatchObject([{ status: 'failed', problem: expect.stringContaining('interrupted') }]);
    expect(app.mailer.sent).toEqual([]);
  });

  it('the service sends a mail again under the same id if the process was killed', async () => {
    await send().expect(202);
    await deliver();
    await db().query(`UPDATE pass_mail SET status = 'queued', sent_at = NULL WHERE account_id = $1`, [account.id]);
    await deliver();
    expect(app.mailer.sent).toHaveLength(2);
    expect(app.mailer.sent[1]?.id).toBe(app.mailer.sent[0]?.id);
    expect(await mails()).toMatchObject([{ status: 'sent', attempts: 2 }]);
  });
});

it.each<[string, () => unknown, string]>([
  ['become void', () => account.post('offer/ada/void').expect(200), 'was voided at'],
  ['been redeemed', () => account.post('offer/ada/redeem').expect(200), 'was redeemed at'],
  ['expired', () => app.clock.advance(3600), 'expired at'],
])('the service does not send a mail if its pass has %s in the meantime', async (_, end, problem) => {
  quiet();
  await account.patch('offer/ada', { expiry: '2026-11-20T11:00:00.000Z' }).expect(200);
  await send().expect(202);
  await end();
  expect(await deliver()).toEqual([null]);
  expect(app.mailer.sent).toEqual([]);
  expect(await mails()).toMatchObject([{ status: 'failed', problem: expect.stringContaining(problem) }]);
});

it('the service does not send a mail about a deleted pass, and deletes the mail', async () => {
  await send().expect(202);
  await account.delete('offer/ada').expect(204);
  expect(await deliver()).toEqual([null]);
  expect(app.mailer.sent).toEqual([]);
  expect(await db().query('SELECT FROM pass_mail WHERE account_id = $1', [account.id])).toEqual([]);
});

it('the service does not start to send a mail while the process shuts down', async () => {
  await send().expect(202);
  const [payload] = await queued();
  const signal = AbortSignal.abort(new Error('The process stops'));
  await expect(app.get(PassMailsHandlers).deliver(payload!, { signal })).rejects.toThrow('The process stops');
  expect(await mails()).toMatchObject([{ attempts: 0 }]);
});

describe('the list of mails about a pass', () => {
  it('the service lists only the mails about the requested pass, newest first, page by page', async () => {
    await account.post('offer/other', {}).expect(200);
    await send({}, 'offer/other').expect(202);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      // The first two mails get the same time.
      if (n < 2) app.clock.advance(1);
      ids.push((await send().expect(202)).body.id);
    }
    const first = await account.get('offer/ada/mails?limit=2').expect(200);
    const second = await account.get(`offer/ada/mails?limit=2&cursor=${first.body.nextCursor}`).expect(200);
    const seen = [...first.body.data, ...second.body.data].map(({ id }) => id);
    expect(seen).toEqual([...ids.slice(1).sort().reverse(), ids[0]]);
    expect(second.body.nextCursor).toBeNull();
  });

  it('400 validation_failed for a cursor of another list', async () => {
    await account.get('offer/ada/mails?cursor=WyJhIiwiYiJd').expect(400, /validation_failed/);
  });
});

it('an index finds the mails of one pass in order, even among many mails', async () => {
  await db().query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
       metadata, version, created_at, updated_at)
     SELECT $1, 'offer', 'offer', 'p' || n, 'mail-' || n || $1, 'c' || n, '[]', '[]', '[]', '{}', 1, $2, $2
     FROM generate_series(1, 300) n`,
    [account.id, app.clock.now()],
  );
  await db().query(
    `INSERT INTO pass_mail (account_id, id, template_id, pass_id, recipient, lang, subject, status, created_at)
     SELECT $1, p || '-' || n, 'offer', 'p' || p, 'a@example.com', 'en', 's', 'sent', $2::timestamptz - n * interval '1 minute'
     FROM generate_series(1, 300) p, generate_series(1, 20) n`,
    [account.id, app.clock.now()],
  );
  await db().query(
    `INSERT INTO pass_mail_recipient SELECT $1, sha256((n % 1000)::text::bytea), $2, n::text FROM generate_series(1, 6000) n`,
    [account.id, app.clock.now()],
  );
  await db().query('ANALYZE pass_mail, pass_mail_recipient');
  const address = { accountId: account.id, templateId: 'offer', passId: 'p7' };
  const cursor = Buffer.from(JSON.stringify(['2026-11-20T09:50:00.000Z', 'x'.repeat(22)])).toString('base64url');
  const select = (at?: string) =>
    app.get(PassMailsRepository).select(address, { limit: 5, cursor: at }).getQueryAndParameters();
  const soon = new Date(app.clock.now().getTime() + 10_000);
  for (const [sql, values, index] of [
    [...select(), 'pass_mail_list_idx'],
    [...select(cursor), 'pass_mail_list_idx'],
    [nthLastSql, [account.id, 'offer', 'p7', 9, soon], 'pass_mail_list_idx'],
    [beginSql, [account.id, '7-1'], 'pass_mail_pkey'],
    [nthLastToSql, [account.id, createHash('sha256').update('7').digest(), 4, soon], 'pass_mail_recipient_pkey'],
  ] as const) {
    const plan = JSON.stringify(await db().query(`EXPLAIN (FORMAT JSON) ${sql}`, [...values]));
    expect(plan).toContain(`"Index Name":"${index}"`);
    // The table of keys has few rows here, so Postgres may scan it completely.
    expect(plan).not.toMatch(/"Node Type":"(Seq Scan|Sort)"(?![^{}]*"Relation Name":"encryption_key")/);
  }
});
