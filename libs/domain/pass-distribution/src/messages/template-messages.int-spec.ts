import { Database } from '@passwright/database';
import { PassMessagesService } from '@passwright/passes';
import { TestApp } from '../test-app.fixtures.js';
import { MessagesCron } from './messages.cron.js';
import { MessagesWorld, running } from './messages.fixtures.js';
import { MessagesHandlers } from './messages.handlers.js';
import { MessagesRepository } from './messages.repository.js';
import * as sender from './message-sender.service.js';

let app: TestApp;
let world: MessagesWorld;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  world = await MessagesWorld.of(app);
});
afterEach(() => jest.restoreAllMocks());

const message = { text: 'Doors open at six.' };
const plan = async (body: object = {}) =>
  (await world.post('templates/offer/messages', { ...message, ...body }).expect(201)).body;
const dryRun = async (filter?: object) =>
  (await world.post('templates/offer/messages/dry-run', { ...message, filter }).expect(200)).body;
const ids = async (id: string) => {
  const { body } = await world.get(`messages/${id}/recipients?limit=100`).expect(200);
  return body.data.map(({ passId }: { passId: string }) => passId).sort();
};

/** Issues one pass for each reason why a pass gets or does not get a message. */
async function everyKind(): Promise<void> {
  await world.onPhone(await world.issue('apple', { expiry: '2026-12-31T00:00:00Z' }));
  await world.atGoogle(await world.issue('google', { fields: [{ key: 'tier', label: 'Tier', value: 'gold' }] }));
  const both = await world.issue('both', { fields: [{ key: 'tier', label: 'Tier', value: 'silver' }] });
  await world.onPhone(both);
  await world.atGoogle(both);
  await world.issue('web');
  await world.onPhone(await world.issue('void', { voided: true }));
  await world.issue('old', { expiry: '2026-11-20T09:00:00.000Z' });
}

it('400 validation_failed for a key in the filter of a message with more code points than the document allows', async () => {
  const withKey = (key: string) =>
    world.post('templates/offer/messages', { ...message, filter: { fields: [{ key, value: 'gold' }] } });
  const { body } = await withKey('a\ufe0f'.repeat(51)).expect(400);
  expect(body.message).toBe('filter.fields[0].key must be shorter than or equal to 100 characters');
  await withKey('a\ufe0f'.repeat(50)).expect(201);
});

it('429 rate_limited for another message while 100 messages are unsent', async () => {
  await world.issue('web');
  const sendAt = '2026-12-01T10:00:00.000Z';
  const { id } = await plan({ sendAt });
  // On a busy machine, ninety-nine simultaneous requests would wait too long for a connection.
  for (let n = 1; n < 100; n++) await plan({ sendAt });
  const { body } = await world.post('templates/offer/messages', message).expect(429);
  expect(body).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('cancel some') });
  await world.post(`messages/${id}/cancel`).expect(200);
  await plan({ sendAt });
});

describe('the limit of messages to many passes in 24 hours', () => {
  const send = (template = 'offer') => world.post(`templates/${template}/messages`, message);
  /** Stores copies of a message with different ids. */
  const copy = (id: string, copies: number) => {
    const sql = `INSERT INTO message SELECT (copy).* FROM (
        SELECT jsonb_populate_record(m, jsonb_build_object('id', 'msg_' || lpad(n::text, 22, '0'))) AS copy
        FROM message m, generate_series(1, $3::int) n WHERE m.account_id = $1 AND m.id = $2) AS copies`;
    return app.get(Database).reads.query(sql, [world.account.id, id, copies]);
  };

  it('429 rate_limited for the 101st message of a template in 24 hours, with Retry-After', async () => {
    const { id } = await plan();
    await world.sendDue();
    await copy(id, 98);
    app.clock.advance(60);
    await send().expect(201);
    const { body, headers } = await send().expect(429);
    expect(body).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('A template can have 100') });
    expect(headers['retry-after']).toBe(String(24 * 3600 - 60));
    await world.issue('ada');
    await world.post('pass/offer/ada/messages', message).expect(201);
    await world.account.template('event');
    await send('event').expect(201);
    app.clock.advance(24 * 3600 - 60);
    await send().expect(201);
  });

  it('429 rate_limited for the 101st message of a template, even if one of them was cancelled while it was sent', async () => {
    jest.replaceProperty(sender.pageLimits, 'passesAtOnce', 1);
    for (const id of ['ada', 'bob']) await world.issue(id);
    const { id } = await plan();
    const page = { accountId: world.account.id, messageId: id };
    while ((await world.message(id)).status === 'scheduled') {
      await app.get(MessagesHandlers).due(page, running(AbortSignal.abort()));
    }
    const { body } = await world.post(`messages/${id}/cancel`).expect(200);
    expect(body).toMatchObject({ status: 'cancelled', progress: { sent: 1 } });
    await copy(id, 98);
    await send().expect(201);
    await send().expect(429);
  });

  it('429 rate_limited for more than 1,000 messages of an account, including cancelled messages', async () => {
    const { id } = await plan({ sendAt: '2026-12-01T10:00:00.000Z' });
    await world.post(`messages/${id}/cancel`).expect(200);
    await copy(id, 998);
    await send().expect(201);
    await world.account.template('event');
    const { headers } = await send('event').expect(429);
    expect(headers['retry-after']).toBe(String(24 * 3600));
  });
});

it('400 validation_failed for a message to many passes with translations of more than 4,000 bytes', async () => {
  const translations = (length: number) => ({ de: { text: '€'.repeat(400) }, fr: { text: 'x'.repeat(length) } });
  const long = Object.fromEntries(
    ['it', 'es', 'pl', 'nl', 'pt'].map((language) => [language, { text: 'x'.repeat(450) }]),
  );
  const send = (more: object) =>
    world.post('templates/offer/messages', { ...message, translations: { ...translations(450), ...more } });
  expect((await send(long).expect(400)).body).toMatchObject({
    code: 'validation_failed',
    message: 'translations must be at most 4000 bytes in a message to many passes',
  });
  await send({}).expect(201);
});

describe('the dry run of a message', () => {
  it('the dry run counts holders by wallet and skipped passes by reason, and does not send or store a message', async () => {
    await everyKind();
    expect(await dryRun()).toEqual({
      passes: 6,
      sent: 4,
      walletA: 2,
      walletB: 2,
      none: 1,
      walletBOutcomes: [{ outcome: 'notified', passes: 2 }],
      skipped: expect.arrayContaining([
        { reason: 'voided', passes: 1 },
        { reason: 'expired', passes: 1 },
      ]),
      sendAt: '2026-11-20T10:00:00.000Z',
    });
    expect((await world.get('messages').expect(200)).body.data).toEqual([]);
    expect(await world.shown('apple')).toBeNull();
  });

  it.each([
    ['fields', { fields: [{ key: 'tier', value: 'gold' }] }, ['google']],
    ['an expiry before a time', { expiresBefore: '2027-01-01T00:00:00Z' }, ['apple']],
    ['an expiry at or after a time', { expiresFrom: '2027-01-01T00:00:00Z' }, []],
    ['Apple Wallet', { wallets: ['walletA'] }, ['apple', 'both']],
    ['the wallet "none"', { wallets: ['none'] }, ['web']],
    ['states', { states: ['voided', 'expired'] }, ['old', 'void']],
  ])('a message with a filter by %s reaches the passes that the dry run counts', async (_, filter, expected) => {
    await everyKind();
    const forecast = await dryRun(filter);
    expect(forecast.sent).toBe(expected.length);
    const { id } = await plan({ filter });
    await world.sendDue();
    app.clock.advance(120);
    await world.sendDue();
    expect(await ids(id)).toEqual(expected);
    const { sendAt: _sendAt, walletBOutcomes: _forecast, ...counts } = forecast;
    const { walletBOutcomes: _outcomes, ...progress } = (await world.message(id)).progress;
    expect(progress).toEqual(counts);
  });

  it('the dry run of a planned message uses the states of passes at the time of sending', async () => {
    await world.issue('ends', { expiry: '2026-11-20T12:00:00.000Z' });
    await world.issue('begins', { validFrom: '2026-11-20T12:00:00.000Z' });
    const planned = { ...message, sendAt: '2026-11-21T10:00:00.000Z', filter: { states: ['valid'] } };
    const { body: forecast } = await world.post('templates/offer/messages/dry-run', planned).expect(200);
    const { id } = await plan(planned);
    await world.sendDue();
    app.clock.set(planned.sendAt);
    await world.sendDue();
    expect(await ids(id)).toEqual(['begins']);
    const { sendAt, ...counts } = forecast;
    expect(sendAt).toBe(planned.sendAt);
    expect((await world.message(id)).progress).toEqual(counts);
  });

  it('a filter by a field also finds the passes that inherit the template’s value', async () => {
    await world.account.template('offer', { id: 'tiers', fields: [{ key: 'tier', label: 'Tier', value: 'blue' }] });
    await world.account.post('tiers/plain', {}).expect(200);
    await world.account.post('tiers/own', { fields: [{ key: 'tier', label: 'Tier', value: 'gold' }] }).expect(200);
    const filter = { fields: [{ key: 'tier', value: 'blue' }] };
    const { id } = (await world.post('templates/tiers/messages', { ...message, filter }).expect(201)).body;
    await world.sendDue();
    expect(await ids(id)).toEqual(['plain']);
  });
});

describe('a planned message', () => {
  it('the service prepares passes on phones when a message is planned, and sends the message at its time', async () => {
    await everyKind();
    const sendAt = '2026-11-21T10:00:00.000Z';
    const { id } = await plan({ sendAt });
    await world.sendDue();
    expect(await world.shown('apple')).toEqual([]);
    expect(await world.shown('web')).toBeNull();
    app.clock.set('2026-11-21T09:59:59.999Z');
    await app.get(MessagesCron).look();
    await world.sendDue();
    expect(await world.message(id)).toMatchObject({ status: 'scheduled', sendAt, progress: { sent: 0 } });
    app.clock.set(sendAt);
    await world.sendDue();
    expect(await world.message(id)).toMatchObject({ status: 'sent', startedAt: sendAt, finishedAt: sendAt });
    expect(await world.shown('apple')).toEqual([message.text]);
    expect(await world.shown('web')).toEqual([message.text]);
  });

  it('a pass that is added to a phone later is prepared ten minutes before a planned message', async () => {
    await world.onPhone(await world.issue('early'));
    const sendAt = '2026-11-21T10:00:00.000Z';
    const { id } = await plan({ sendAt });
    await world.sendDue();
    await world.onPhone(await world.issue('late'));
    expect(await world.shown('late')).toBeNull();
    app.clock.set('2026-11-21T09:50:00.000Z');
    await world.sendDue();
    expect(await world.shown('late')).toEqual([]);
    app.clock.set(sendAt);
    await world.sendDue();
    expect(await world.message(id)).toMatchObject({ status: 'sent', startedAt: sendAt, progress: { sent: 2 } });
    expect(await world.shown('late')).toEqual([message.text]);
  });

  it('a planned message is sent exactly at its time if phones have fetched the prepared passes in time', async () => {
    await world.onPhone(await world.issue('ada'));
    const times = ['2026-11-20T10:11:00.000Z', '2026-11-20T10:30:00.000Z'];
    const planned = await Promise.all(times.map((sendAt) => plan({ sendAt })));
    await world.sendDue();
    for (const at of times) {
      app.clock.set(at);
      await world.sendDue();
    }
    const started = await Promise.all(planned.map(async ({ id }) => (await world.message(id)).startedAt));
    expect(started).toEqual(times);
  });

  it('the service sends a paused message only after it is resumed, and never sends a cancelled message', async () => {
    await world.issue('ada');
    const sendAt = '2026-11-20T11:00:00.000Z';
    const [resumed, cancelled] = [await plan({ sendAt }), await plan({ sendAt })];
    expect((await world.post(`messages/${resumed.id}/pause`).expect(200)).body.status).toBe('paused');
    expect((await world.post(`messages/${cancelled.id}/cancel`).expect(200)).body.status).toBe('cancelled');
    app.clock.set(sendAt);
    await world.sendDue();
    expect(await world.shown('ada')).toBeNull();
    expect((await world.post(`messages/${resumed.id}/resume`).expect(200)).body.status).toBe('scheduled');
    await world.sendDue();
    expect(await world.shown('ada')).toEqual([message.text]);
    const { body } = await world.post(`messages/${resumed.id}/cancel`).expect(409);
    expect(body.code).toBe('invalid_transition');
  });

  it('the service lists messages by template and status, newest first', async () => {
    await world.issue('ada');
    const first = await plan();
    app.clock.advance(1);
    const second = await plan({ sendAt: '2026-11-21T10:00:00Z' });
    await world.sendDue();
    const listed = async (query: string) =>
      (await world.get(`messages${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);
    expect(await listed('')).toEqual([second.id, first.id]);
    expect(await listed('?status=sent')).toEqual([first.id]);
    expect(await listed('?templateId=none')).toEqual([]);
  });
});

describe('a message to more passes than one transaction processes', () => {
  beforeEach(async () => {
    jest.replaceProperty(sender.pageLimits, 'passesAtOnce', 3);
    for (let n = 0; n < 10; n += 1) await world.issue(`p${n}`);
  });

  it('each pass gets the message once, even if processes crash before or after a commit', async () => {
    const passes = app.get(PassMessagesService);
    const show = passes.show.bind(passes);
    let calls = 0;
    jest.spyOn(passes, 'show').mockImplementation(async (...args) => {
      await show(...args);
      calls += 1;
      if (calls % 2 === 1) throw new Error('The process ended before the commit');
    });
    const { id } = await plan();
    const due = () =>
      app
        .get(MessagesHandlers)
        // The aborted signal ends the job after each page, as if the process was stopped.
        .due({ accountId: world.account.id, messageId: id }, running(AbortSignal.abort()));
    for (let n = 0; n < 30; n += 1) {
      await due().catch(() => undefined);
      // The service retries a failed page after a minute.
      app.clock.advance(60);
    }
    expect(await world.message(id)).toMatchObject({ status: 'sent', progress: { passes: 10, sent: 10 } });
    for (let n = 0; n < 10; n += 1) expect(await world.shown(`p${n}`)).toEqual([message.text]);
    expect(calls).toBeGreaterThan(4);
  });

  it('one job sends all due messages of an account, and no messages of another account', async () => {
    const other = await MessagesWorld.of(app);
    await other.issue('bob');
    const theirs = (await other.post('templates/offer/messages', message).expect(201)).body;
    const [one, two] = [await plan(), await plan()];
    const found = await app.get(MessagesRepository).due(app.clock.now(), 1000);
    const accounts = [world.account.id, other.account.id];
    expect(found.map(({ accountId }) => accountId).filter((id) => accounts.includes(id))).toHaveLength(2);
    const sent: string[] = [];
    const passes = app.get(PassMessagesService);
    const show = passes.show.bind(passes);
    jest.spyOn(passes, 'show').mockImplementation(async (tx, accountId, serials, shown, more) => {
      sent.push(shown.id);
      await show(tx, accountId, serials, shown, more);
    });
    await app.get(MessagesHandlers).due({ accountId: world.account.id, messageId: one.id }, running());
    expect(await world.message(two.id)).toMatchObject({ status: 'sent', progress: { sent: 10 } });
    expect(sent[0]).not.toBe(sent[1]);
    expect(sent.slice(2, 4)).toEqual(sent.slice(0, 2));
    expect(await other.message(theirs.id)).toMatchObject({ status: 'scheduled' });
  });

  it('a message with failing batches does not delay other messages, and continues a minute after the error', async () => {
    const [poison, sound] = [await plan(), await plan()];
    const audience = app.get(sender.MessageSender);
    const advance = audience.advance.bind(audience);
    const failing = jest.spyOn(audience, 'advance').mockImplementation((tx, template, row) => {
      return row.id === poison.id ? Promise.reject(new Error('canceling statement')) : advance(tx, template, row);
    });
    const due = () => app.get(MessagesHandlers).due({ accountId: world.account.id, messageId: poison.id }, running());
    await expect(due()).rejects.toThrow('canceling statement');
    expect(await world.message(sound.id)).toMatchObject({ status: 'sent', progress: { sent: 10 } });
    expect(await world.message(poison.id)).toMatchObject({ status: 'scheduled' });
    failing.mockRestore();
    app.clock.advance(60);
    await due();
    expect(await world.message(poison.id)).toMatchObject({ status: 'sent', progress: { sent: 10 } });
  });

  it('a message that was paused during a failing batch stays paused', async () => {
    const { id } = await plan();
    jest.spyOn(app.get(sender.MessageSender), 'advance').mockRejectedValue(new Error('canceling statement'));
    const repository = app.get(MessagesRepository);
    const found = await repository.dueOf([world.account.id], app.clock.now());
    jest.spyOn(repository, 'dueOf').mockResolvedValueOnce(found);
    await world.post(`messages/${id}/pause`).expect(200);
    const due = app.get(MessagesHandlers).due({ accountId: world.account.id, messageId: id }, running());
    await expect(due).rejects.toThrow('canceling statement');
    app.clock.advance(3600);
    expect((await repository.due(app.clock.now(), 1000)).map((one) => one.id)).not.toContain(id);
  });

  it('all accounts of one founder share one job, which alternates between their messages', async () => {
    const { reads } = app.get(Database);
    const accounts = [await app.account(), await app.account()];
    const accountIds = accounts.map(({ id }) => id);
    const founder = `founder-${accountIds.join()}`;
    const user = `INSERT INTO app_user (uid, email, name, created_at) VALUES ($1, $1, '', now())`;
    await reads.query(user, [founder]);
    const member = `INSERT INTO account_member (account_id, uid, is_admin, created_at)
      SELECT unnest($2::text[]), $1, true, now()`;
    await reads.query(member, [founder, accountIds]);
    await reads.query('UPDATE account SET founder = $1 WHERE id = ANY($2)', [founder, accountIds]);
    const worlds = accounts.map((account) => new MessagesWorld(app, account));
    const messages: string[] = [];
    for (const each of worlds) {
      await each.account.template('offer');
      await each.issue('ada');
      messages.push((await each.post('templates/offer/messages', message).expect(201)).body.id as string);
    }
    const jobs = await reads.query<{ payload: { accountId: string; messageId: string } }[]>(
      `SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'messageId' = ANY($1)`,
      [messages],
    );
    expect(jobs).toHaveLength(1);
    await app.get(MessagesHandlers).due(jobs[0]!.payload, running());
    for (const [at, each] of worlds.entries()) {
      expect(await each.message(messages[at]!)).toMatchObject({ status: 'sent', progress: { sent: 1 } });
    }
  });

  it('each pass gets a message once, even if several jobs send the message simultaneously', async () => {
    const { id } = await plan();
    const due = () => app.get(MessagesHandlers).due({ accountId: world.account.id, messageId: id }, running());
    await Promise.all([due(), due(), due()]);
    expect((await world.message(id)).progress).toMatchObject({ passes: 10, sent: 10 });
    for (let n = 0; n < 10; n += 1) expect(await world.shown(`p${n}`)).toEqual([message.text]);
  });

  it('a message that was paused between two batches continues with the next pass', async () => {
    const { id } = await plan();
    const due = (signal: AbortSignal) =>
      app.get(MessagesHandlers).due({ accountId: world.account.id, messageId: id }, running(signal));
    // Send four batches of preparation and one batch of messages.
    for (let n = 0; n < 5; n += 1) await due(AbortSignal.abort());
    expect((await world.post(`messages/${id}/pause`).expect(200)).body).toMatchObject({ progress: { sent: 3 } });
    await due(new AbortController().signal);
    expect((await world.message(id)).progress.sent).toBe(3);
    await world.post(`messages/${id}/resume`).expect(200);
    await due(new AbortController().signal);
    expect(await world.message(id)).toMatchObject({ status: 'sent', progress: { sent: 10 } });
    for (let n = 0; n < 10; n += 1) expect(await world.shown(`p${n}`)).toEqual([message.text]);
  });
});
