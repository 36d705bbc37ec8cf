import { AccountDeletion } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { TemplatesService } from '@passwright/templates';
import { HolderPassesService } from '../holders/holder-passes.service.js';
import { TestApp } from '../test-app.fixtures.js';
import { MessagesRetentionCron } from './messages-retention.cron.js';
import { MessagesWorld } from './messages.fixtures.js';

const daySeconds = 24 * 3600;

let app: TestApp;
let world: MessagesWorld;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  app.google.reset();
  world = await MessagesWorld.of(app);
  await world.issue('ada');
});

const send = async (text: string, more: object = {}) =>
  (await world.post('pass/offer/ada/messages', { text, ...more }).expect(201)).body.id as string;
const plan = async (body: object) =>
  (await world.post('templates/offer/messages', { text: 'Doors open.', ...body }).expect(201)).body.id as string;
const address = () => ({ accountId: world.account.id, templateId: 'offer', passId: 'ada' });
const count = async (table: string) => {
  const sql = `SELECT FROM ${table} WHERE account_id = $1`;
  return (await app.get(Database).reads.query<unknown[]>(sql, [world.account.id])).length;
};

describe('the messages of a holder', () => {
  it('the export contains the holder’s sent and planned messages, and the messages that Google stores', async () => {
    await world.savedAtGoogle('ada');
    const many = await plan({});
    await world.sendDue();
    const translations = { de: { text: 'Auf Wiedersehen.' } };
    const one = await send('Use gate C.', { translations });
    const later = await send('Sleep well.', { translations, sendAt: '2026-11-21T10:00:00.000Z' });
    await world.issue('bob');
    await world.post('pass/offer/bob/messages', { text: 'For Bob.' }).expect(201);
    const exported = await app.get(HolderPassesService).export(address());
    expect(exported).toMatchObject({
      messagesSent: expect.arrayContaining([
        expect.objectContaining({ id: many, text: 'Doors open.', walletB: true, walletBOutcome: 'waiting' }),
        expect.objectContaining({ id: one, text: 'Use gate C.', translations, sentAt: expect.any(Date) }),
        expect.objectContaining({ id: later, text: 'Sleep well.', translations, status: 'scheduled', sentAt: null }),
      ]),
      googleWallet: [{ messages: [{ body: 'Doors open.' }, { body: 'Use gate C.' }] }],
    });
    expect(JSON.stringify(exported)).not.toContain('For Bob.');
  });

  it('the export contains only the latest of very many messages, oldest first', async () => {
    await send('Kept.');
    const sql = `WITH made AS (
        INSERT INTO message (account_id, id, template_id, pass_id, text, filter, urgent, status, step, send_at, created_at)
        SELECT $1, 'm' || n, 'offer', 'ada', 'x', '{}', false, 'sent', 'deliver', $2, $2 FROM generate_series(1, 1000) n
        RETURNING id
      ) INSERT INTO message_recipient (account_id, message_id, serial_number, template_id, pass_id, wallet_a, wallet_b, sent_at)
        SELECT $1, made.id, p.serial_number, 'offer', 'ada', false, false, $2 FROM made, pass p WHERE p.account_id = $1`;
    await app.get(Database).reads.query(sql, [world.account.id, new Date('2026-11-01T10:00:00.000Z')]);
    const { messagesSent } = (await app.get(HolderPassesService).export(address())) as {
      messagesSent: { text: string }[];
    };
    expect(messagesSent).toHaveLength(500);
    expect(messagesSent.map(({ text }) => text).slice(-2)).toEqual(['x', 'Kept.']);
  });

  it('the erasure of a pass deletes its messages immediately, even while Google does not accept writes', async () => {
    await world.savedAtGoogle('ada');
    await send('Use gate C.');
    app.google.result = () => ({ outcome: 'retry', status: 503, message: undefined });
    const holders = app.get(HolderPassesService);
    await app.get(Database).transaction(async (tx) => holders.erase(tx, await holders.lock(tx, [address()])));
    const sql = 'SELECT messages FROM google_resource WHERE account_id = $1 AND serial_number IS NOT NULL';
    expect(await app.get(Database).reads.query(sql, [world.account.id])).toEqual([{ messages: null }]);
    expect([await count('message'), await count('message_recipient')]).toEqual([0, 0]);
  });
});

describe('the retention of messages', () => {
  it('the service deletes messages that ended more than 400 days ago, together with their recipients', async () => {
    await send('Old.');
    app.clock.advance(daySeconds);
    const later = await send('New.');
    const open = await plan({ sendAt: '2027-11-01T10:00:00.000Z' });
    app.clock.advance(399.5 * daySeconds);
    await app.get(MessagesRetentionCron).deleteOld();
    const kept = (await world.get('messages').expect(200)).body.data.map(({ id }: { id: string }) => id);
    expect(kept.sort()).toEqual([later, open].sort());
    expect(await count('message_recipient')).toBe(1);
  });
});

describe('messages of an account or template that is being deleted', () => {
  it('an account that is being deleted sends its messages only if the deletion is cancelled', async () => {
    const id = await plan({ sendAt: '2026-11-20T11:00:00.000Z' });
    const { reads } = app.get(Database);
    const accountId = world.account.id;
    const times = { requestedAt: app.clock.now(), deletesAt: new Date('2026-11-27T10:00:00.000Z') };
    await reads.insert(AccountDeletion, { accountId, requestedBy: 'admin', ...times });
    app.clock.advance(2 * 3600);
    await world.sendDue();
    expect(await world.message(id)).toMatchObject({ status: 'scheduled' });
    expect(await world.shown('ada')).toBeNull();
    await reads.delete(AccountDeletion, { accountId });
    app.clock.advance(3600);
    await world.sendDue();
    expect(await world.message(id)).toMatchObject({ status: 'sent' });
  });

  it('the deletion of a template cancels its planned and paused messages, and keeps its ended messages', async () => {
    await world.account.template('offer', { id: 'empty' });
    const post = async (body: object) =>
      (await world.post('templates/empty/messages', { text: 'Hello.', ...body }).expect(201)).body.id as string;
    const sent = await post({});
    await world.sendDue();
    const open = await post({ sendAt: '2026-11-21T10:00:00.000Z' });
    const paused = await post({});
    await world.post(`messages/${paused}/pause`).expect(200);
    await app.get(TemplatesService).delete(world.account.id, 'empty');
    const statuses = await Promise.all([sent, open, paused].map(async (id) => (await world.message(id)).status));
    expect(statuses).toEqual(['sent', 'cancelled', 'cancelled']);
  });
});
