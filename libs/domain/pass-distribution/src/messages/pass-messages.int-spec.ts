import { Database } from '@passwright/database';
import { TestApp } from '../test-app.fixtures.js';
import { MessagesWorld } from './messages.fixtures.js';

let app: TestApp;
let world: MessagesWorld;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  world = await MessagesWorld.of(app);
});

const message = { title: 'Gate change', text: 'Use gate C.' };
const send = (body: object = message, pass = 'ada') => world.post(`pass/offer/${pass}/messages`, body);

describe('a message to the holder of one pass', () => {
  it('a message to a pass that is in no wallet is sent immediately, and appears on the page of the pass', async () => {
    await world.issue('ada');
    const { body } = await send().expect(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^msg_\w{22}$/),
      templateId: 'offer',
      passId: 'ada',
      ...message,
      topic: null,
      urgent: false,
      status: 'sent',
      sendAt: '2026-11-20T10:00:00.000Z',
      progress: { passes: 1, sent: 1, walletA: 0, walletB: 0, none: 1, walletBOutcomes: [], skipped: [] },
      finishedAt: '2026-11-20T10:00:00.000Z',
    });
    expect(await world.message(body.id)).toEqual(body);
    const page = await app.visit(`/p/${world.account.id}/offer/ada`).expect(200);
    expect(page.text).toContain('Use gate C.');
  });

  it('the service prepares a pass on a phone first, and sends the message two minutes later', async () => {
    await world.onPhone(await world.issue('ada'));
    const { body } = await send().expect(201);
    expect(body).toMatchObject({ status: 'scheduled', progress: { sent: 0 } });
    expect(await world.shown('ada')).toEqual([]);
    app.clock.advance(119);
    await world.sendDue();
    expect(await world.shown('ada')).toEqual([]);
    app.clock.advance(1);
    await world.sendDue();
    expect(await world.shown('ada')).toEqual(['Use gate C.']);
    expect(await world.message(body.id)).toMatchObject({
      status: 'sent',
      progress: { sent: 1, walletA: 1, none: 0 },
    });
    const second = await send({ text: 'Use gate D.' }).expect(201);
    expect(second.body.status).toBe('sent');
    expect(await world.shown('ada')).toEqual(['Use gate D.', 'Use gate C.']);
  });

  it('a pass keeps its last ten messages, even if a request replaces the pass', async () => {
    await world.issue('ada');
    for (let n = 0; n < 12; n += 1) await send({ text: `Message ${n}` }).expect(201);
    await world.issue('ada', { code: 'NEW' });
    const shown = await world.shown('ada');
    expect(shown).toHaveLength(10);
    expect(shown?.at(0)).toBe('Message 11');
    expect(shown?.at(-1)).toBe('Message 2');
  });

  it('a pass keeps ten long messages, but fewer if the messages have many translations', async () => {
    const text = '€'.repeat(500);
    const title = '€'.repeat(60);
    const stored = async () => {
      const sql = 'SELECT octet_length(messages::text) AS bytes FROM pass WHERE account_id = $1';
      const [row] = await app.get(Database).reads.query<[{ bytes: number }]>(sql, [world.account.id]);
      return row.bytes;
    };
    await world.issue('ada');
    for (let n = 0; n < 12; n += 1) await send({ title, text }).expect(201);
    expect(await world.shown('ada')).toHaveLength(10);
    const translations = { de: { text }, fr: { text }, it: { text }, es: { text }, pl: { text } };
    for (let n = 0; n < 10; n += 1) await send({ text: `Message ${n}`, translations }).expect(201);
    expect(await world.shown('ada')).toEqual(['Message 9', 'Message 8', 'Message 7']);
    expect(await stored()).toBeLessThan(24_100);
  });

  it('429 rate_limited for the 101st message to one pass in 24 hours, with Retry-After', async () => {
    await world.issue('ada');
    for (let n = 0; n < 100; n += 1) {
      await send().expect(201);
      app.clock.advance(60);
    }
    const { body, headers } = await send().expect(429);
    expect(body).toMatchObject({ code: 'rate_limited' });
    expect(headers['retry-after']).toBe(String(24 * 3600 - 100 * 60));
    await world.issue('bob');
    await send(message, 'bob').expect(201);
    app.clock.advance(24 * 3600 - 100 * 60 - 1);
    expect((await send().expect(429)).headers['retry-after']).toBe('1');
    app.clock.advance(1);
    await send().expect(201);
    expect((await send().expect(429)).headers['retry-after']).toBe('60');
  });

  it('replaced and cancelled messages to one pass count only towards the limit of 1,000 in 24 hours', async () => {
    await world.issue('ada');
    const planned = { ...message, sendAt: '2026-12-01T10:00:00.000Z' };
    const cancelled = await send(planned).expect(201);
    await world.post(`messages/${cancelled.body.id}/cancel`).expect(200);
    for (let n = 0; n < 100; n += 1) await send({ ...planned, topic: 'gate' }).expect(201);
    await send().expect(201);
    const more = `INSERT INTO message SELECT (copy).* FROM (
        SELECT jsonb_populate_record(m, jsonb_build_object('id', 'msg_' || lpad(n::text, 22, '0'))) AS copy
        FROM message m, generate_series(1, $3::int) n WHERE m.account_id = $1 AND m.id = $2) AS copies`;
    await app.get(Database).reads.query(more, [world.account.id, cancelled.body.id, 1000 - 102 - 1]);
    await send().expect(201);
    expect((await send().expect(429)).headers['retry-after']).toBe(String(24 * 3600));
  });

  it('a message replaces the earlier message with the same topic on the pass', async () => {
    await world.issue('ada');
    await send({ text: 'Gate B.', topic: 'gate' });
    await send({ text: 'Doors open.' });
    await send({ text: 'Gate C.', topic: 'gate' });
    expect(await world.shown('ada')).toEqual(['Gate C.', 'Doors open.']);
  });

  it('a message replaces an unsent planned message with the same topic', async () => {
    await world.issue('ada');
    const sendAt = '2026-11-20T12:00:00.000Z';
    const first = await send({ text: 'Gate B.', topic: 'gate', sendAt }).expect(201);
    const second = await send({ text: 'Gate C.', topic: 'gate', sendAt }).expect(201);
    expect(await world.message(first.body.id)).toMatchObject({ status: 'superseded', progress: { sent: 0 } });
    app.clock.set(sendAt);
    await world.sendDue();
    expect(await world.shown('ada')).toEqual(['Gate C.']);
    expect(await world.message(second.body.id)).toMatchObject({ status: 'sent', startedAt: sendAt });
  });

  it.each([
    ['voided', { voided: true }],
    ['expired', { expiry: '2026-11-20T09:00:00.000Z' }],
  ])('a %s pass does not get the message, and the response says why', async (reason, body) => {
    await world.issue('ada', body);
    const sent = await send().expect(201);
    expect(sent.body).toMatchObject({
      status: 'sent',
      progress: { passes: 1, sent: 0, skipped: [{ reason, passes: 1 }] },
    });
    expect(await world.shown('ada')).toBeNull();
  });

  it('the service lists the messages of a pass, newest first, page by page', async () => {
    await world.issue('ada');
    for (const text of ['One', 'Two', 'Three']) {
      app.clock.advance(60);
      await send({ text }).expect(201);
    }
    const first = await world.get('pass/offer/ada/messages?limit=2').expect(200);
    expect(first.body.data.map(({ text }: { text: string }) => text)).toEqual(['Three', 'Two']);
    const { body } = await world.get(`pass/offer/ada/messages?cursor=${first.body.nextCursor}`).expect(200);
    expect(body).toEqual({
      data: [{ id: expect.any(String), title: null, text: 'One', topic: null, sentAt: '2026-11-20T10:01:00.000Z' }],
      nextCursor: null,
    });
  });

  it('a translated message is on the page in the reader’s language, and at Google in all languages', async () => {
    await world.translate({ fr: { issuerName: 'Salle' } });
    await world.writtenAtGoogle(await world.issue('ada'));
    const translations = { de: { title: 'Neuer Eingang', text: 'Nehmen Sie Eingang C.' } };
    const { body } = await send({ ...message, translations }).expect(201);
    expect(body.translations).toEqual(translations);
    expect((await world.get('pass/offer/ada/messages').expect(200)).body.data[0].translations).toEqual(translations);
    const page = `/p/${world.account.id}/offer/ada`;
    const german = await app.visit(page).set('Accept-Language', 'de-CH').expect(200);
    expect(german.text).toContain('<b>Neuer Eingang</b>');
    expect(german.text).toContain('Nehmen Sie Eingang C.');
    expect((await app.visit(page).set('Accept-Language', 'en').expect(200)).text).toContain('Use gate C.');
    expect(await world.atGoogleNow('ada')).toMatchObject([
      {
        header: 'Gate change',
        localizedHeader: { translatedValues: [{ language: 'de', value: 'Neuer Eingang' }] },
        localizedBody: {
          defaultValue: { language: 'en', value: 'Use gate C.' },
          translatedValues: [{ language: 'de', value: 'Nehmen Sie Eingang C.' }],
        },
      },
    ]);
  });

  it('a message without a title gets the issuer’s name as its heading at Google, in each language', async () => {
    await world.translate({ fr: { issuerName: 'Salle' } });
    await world.writtenAtGoogle(await world.issue('ada'));
    await send({ text: 'Use gate C.' }).expect(201);
    expect(await world.atGoogleNow('ada')).toMatchObject([
      {
        header: 'Harbour Hall',
        localizedHeader: { translatedValues: [{ language: 'fr', value: 'Salle' }] },
        localizedBody: { translatedValues: [{ language: 'fr', value: 'Use gate C.' }] },
      },
    ]);
  });

  it('a message to a pass on a phone causes exactly one event, with `messages` as the only change', async () => {
    const { reads } = app.get(Database);
    const { id: accountId } = world.account;
    await reads.query(
      `INSERT INTO webhook (account_id, id, types, secret, created_at, updated_at)
       VALUES ($1, 'w', '{pass.changed}', '', now(), now())`,
      [accountId],
    );
    await world.onPhone(await world.issue('ada'));
    const changes = async () => {
      const sql = `SELECT data -> 'changed' AS changed FROM webhook_event WHERE account_id = $1`;
      return (await reads.query<{ changed: string[] }[]>(sql, [accountId])).map(({ changed }) => changed);
    };
    await send().expect(201);
    expect(await world.shown('ada')).toEqual([]);
    expect(await changes()).toEqual([]);
    app.clock.advance(120);
    await world.sendDue();
    expect(await changes()).toEqual([['messages']]);
  });

  it('a message to one pass is deleted with the pass', async () => {
    await world.issue('ada');
    const { body } = await send().expect(201);
    await world.account.delete('offer/ada').expect(204);
    await world.get(`messages/${body.id}`).expect(404);
  });

  it('404 pass_not_found for a pass of another account', async () => {
    await world.issue('ada');
    const stranger = await MessagesWorld.of(app);
    const { body } = await stranger.post('pass/offer/ada/messages', message).expect(404);
    expect(body.code).toBe('pass_not_found');
  });

  it.each([
    {},
    { text: ' ' },
    { text: 'x'.repeat(501) },
    { ...message, topic: 'a b' },
    { ...message, translations: { de: { title: 'Eingang' } } },
    { ...message, translations: { de: { text: ' ' } } },
    { ...message, translations: { de: { text: 'x'.repeat(501) } } },
    { ...message, translations: { de: { text: 'x', title: 'x'.repeat(61) } } },
    { ...message, translations: { de: { text: 'x', title: 'x\ny' } } },
    { ...message, translations: { de: { text: 'x', subject: 'x' } } },
    { ...message, translations: { german: { text: 'x' } } },
    { ...message, sendAt: '2028-01-01T00:00:00Z' },
  ])('400 validation_failed for the message %j', async (body) => {
    await world.issue('ada');
    expect((await send(body).expect(400)).body.code).toBe('validation_failed');
  });
});
