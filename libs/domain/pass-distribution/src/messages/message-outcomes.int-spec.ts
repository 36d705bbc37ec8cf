import { Database } from '@passwright/database';
import { TestApp } from '../test-app.fixtures.js';
import { MessageOutcomesListener } from './message-outcomes.listener.js';
import { MessagesWorld } from './messages.fixtures.js';

let app: TestApp;
let world: MessagesWorld;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  app.google.reset();
  world = await MessagesWorld.of(app);
  await world.issue('ada');
  await world.savedAtGoogle('ada');
});

const message = { text: 'Use gate C.' };
const send = async (body: object = {}) =>
  (await world.post('pass/offer/ada/messages', { ...message, ...body }).expect(201)).body.id as string;
const off = () => (app.google.result = () => ({ outcome: 'retry', status: 503, message: undefined }));
const on = () => (app.google.result = () => ({}));
const writeLater = async (seconds: number) => {
  app.clock.advance(seconds);
  await world.writeToGoogle();
};

/** Expects that the progress and the recipient of a message to one pass show this outcome. */
async function expectOutcome(id: string, outcome: string | null): Promise<void> {
  const { progress } = await world.message(id);
  expect(progress.walletBOutcomes).toEqual(outcome === null ? [] : [{ outcome, passes: 1 }]);
  const { body } = await world.get(`messages/${id}/recipients`).expect(200);
  expect(body.data).toMatchObject([{ passId: 'ada', walletBOutcome: outcome }]);
}

describe('what becomes of a message at Google', () => {
  it('the fourth message in 24 hours has the outcome daily_limit in the forecast, the progress and the recipients', async () => {
    const forecast = async () =>
      (await world.post('templates/offer/messages/dry-run', message).expect(200)).body.walletBOutcomes;
    for (const outcome of ['notified', 'notified', 'notified', 'daily_limit']) {
      expect(await forecast()).toEqual([{ outcome, passes: 1 }]);
      const id = await send();
      await expectOutcome(id, 'waiting');
      await world.writeToGoogle();
      await expectOutcome(id, outcome);
    }
  });

  it('a message that Google rejects has the outcome "rejected"', async () => {
    app.google.result = () => ({ message: 'rejected' });
    const id = await send();
    await world.writeToGoogle();
    await expectOutcome(id, 'rejected');
  });

  it('a message that Google does not accept within 30 days has the outcome "expired"', async () => {
    off();
    const id = await send();
    await writeLater(1);
    await expectOutcome(id, 'waiting');
    on();
    await writeLater(30 * 24 * 3600);
    await expectOutcome(id, 'expired');
    expect(app.google.writes.filter((write) => write.message)).toHaveLength(1);
  });

  it('a message has the outcome "superseded" if a later message with the same topic replaces it', async () => {
    off();
    const first = await send({ topic: 'gate' });
    const second = await send({ topic: 'gate', text: 'Use gate D.' });
    await world.writeToGoogle();
    on();
    await writeLater(60);
    await expectOutcome(first, 'superseded');
    await expectOutcome(second, 'notified');
  });

  it('a message to a pass that is not at Google has the outcome not_at_google', async () => {
    const { reads } = app.get(Database);
    await reads.query('UPDATE google_resource SET sent_hash = NULL WHERE account_id = $1', [world.account.id]);
    const id = await send();
    await expectOutcome(id, 'not_at_google');
  });

  it('a message has the outcome not_at_google if the account changes its issuer before the message is sent', async () => {
    const id = await send();
    const { issuerId } = app.google;
    app.google.issuerId = '3388000000099999999';
    await world.writeToGoogle();
    app.google.issuerId = issuerId;
    await expectOutcome(id, 'not_at_google');
  });

  it('a message still waits if its pass changes while the objects of a former issuer are cleared', async () => {
    await world.issue('bob');
    await world.savedAtGoogle('bob');
    const id = await send();
    const other = (await world.post('pass/offer/bob/messages', message).expect(201)).body.id as string;
    const { issuerId } = app.google;
    app.google.issuerId = '3388000000099999999';
    const report = jest.spyOn(app.get(MessageOutcomesListener), 'messagesEnded');
    report.mockImplementationOnce(async (...ended) => {
      await MessageOutcomesListener.prototype.messagesEnded.apply(app.get(MessageOutcomesListener), ended);
      await world.issue('ada', { code: 'NEW' });
    });
    await world.writeToGoogle();
    await expectOutcome(id, 'waiting');
    expect((await world.message(other)).progress.walletBOutcomes).toEqual([{ outcome: 'not_at_google', passes: 1 }]);
    app.google.issuerId = issuerId;
    report.mockRestore();
    await world.writeToGoogle();
    await expectOutcome(id, 'notified');
  });

  it('a message has the outcome queue_full if 50 messages already wait for Google', async () => {
    off();
    for (let n = 0; n < 50; n += 1) await send();
    const id = await send();
    await expectOutcome(id, 'queue_full');
    on();
    await writeLater(60);
    expect(app.google.writes.some((write) => write.message?.id === id)).toBe(false);
  });

  it('a message has the outcome queue_full if the waiting messages and their translations exceed 100 kB', async () => {
    off();
    const long = { title: '€'.repeat(60), text: '€'.repeat(500) };
    const translations = Object.fromEntries(['de', 'fr', 'it', 'es'].map((language) => [language, long]));
    const sent: string[] = [];
    for (let n = 0; n < 16; n += 1) sent.push(await send({ translations }));
    const [row] = await app
      .get(Database)
      .reads.query<[{ bytes: number }]>(
        'SELECT max(octet_length(messages::text)) AS bytes FROM google_resource WHERE account_id = $1',
        [world.account.id],
      );
    expect(row.bytes).toBeLessThan(110_000);
    await expectOutcome(sent[0] ?? '', 'waiting');
    await expectOutcome(sent.at(-1) ?? '', 'queue_full');
  });

  it('a message to a pass whose Google link was never opened has no outcome at Google', async () => {
    await world.issue('bob');
    const { body } = await world.post('pass/offer/bob/messages', message).expect(201);
    expect(body.progress).toMatchObject({ sent: 1, walletBOutcomes: [] });
  });

  it('an outcome counts once even if a crash causes a second report', async () => {
    const id = await send();
    await world.writeToGoogle();
    const { reads } = app.get(Database);
    const sql = `UPDATE google_resource SET due_at = $2, open_claims = 1, messages = (
      SELECT jsonb_agg(m - 'addedAt' - 'notified') FROM jsonb_array_elements(messages) AS m) WHERE account_id = $1`;
    await reads.query(sql, [world.account.id, app.clock.now()]);
    await world.writeToGoogle();
    await expectOutcome(id, 'notified');
  });
});
