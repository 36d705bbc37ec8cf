import { Database } from '@passwright/database';
import { lockWaitsSql } from '@passwright/testing';
import { TestApp } from '../../test-app.fixtures.js';
import { MessagesWorld } from '../messages.fixtures.js';

let app: TestApp;
let world: MessagesWorld;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  world = await MessagesWorld.of(app);
});

const night = { timeZone: 'Europe/Berlin', quietHours: { from: '22:00', until: '08:00' } };
const put = (body: object) =>
  app.request('put', '/v1/account/messages').set('Authorization', world.account.id).send(body);
const message = { text: 'Doors open at six.' };
const plan = async (body: object = {}) =>
  (await world.post('templates/offer/messages', { ...message, ...body }).expect(201)).body;

describe('the settings of messages', () => {
  it('the service stores message settings; there are no quiet hours by default', async () => {
    const none = { timeZone: 'UTC', quietHours: null };
    expect((await world.get('account/messages').expect(200)).body).toEqual(none);
    expect((await put(night).expect(200)).body).toEqual(night);
    expect((await world.get('account/messages').expect(200)).body).toEqual(night);
    expect((await put({}).expect(200)).body).toEqual(none);
  });

  it('the audit trail records the previous settings, even if another request has just changed them', async () => {
    const [database, { id }] = [app.get(Database), world.account];
    let second: Promise<number> | undefined;
    await database.transaction(async (tx) => {
      await tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [id]);
      await tx.query(
        `INSERT INTO message_settings (account_id, time_zone, updated_at) VALUES ($1, 'Asia/Tokyo', now())`,
        [id],
      );
      second = Promise.resolve(put(night).then(({ status }) => status));
      while ((await database.reads.query<unknown[]>(lockWaitsSql)).length === 0) await new Promise(setImmediate);
    });
    expect(await second).toBe(200);
    const events = await database.reads.query<object[]>('SELECT before FROM audit_event WHERE account_id = $1', [id]);
    expect(events).toContainEqual({ before: { timeZone: 'Asia/Tokyo', quietHours: null } });
  });

  it.each([
    { timeZone: 'Mars/Olympus' },
    { quietHours: { from: '24:00', until: '08:00' } },
    { quietHours: { from: '08:00', until: '08:00' } },
    { quietHours: { from: '22:00' } },
  ])('400 validation_failed for the settings %j', async (body) => {
    expect((await put(body).expect(400)).body.code).toBe('validation_failed');
  });
});

describe('quiet hours', () => {
  it('a message that is planned for quiet hours is sent at their end, and the dry run shows that time', async () => {
    await world.issue('ada');
    await put(night).expect(200);
    const sendAt = '2026-11-20T23:00:00.000Z';
    const end = '2026-11-21T07:00:00.000Z';
    const forecast = await world.post('templates/offer/messages/dry-run', { ...message, sendAt }).expect(200);
    expect(forecast.body.sendAt).toBe(end);
    const { id } = await plan({ sendAt });
    app.clock.set('2026-11-21T06:59:59.999Z');
    await world.sendDue();
    expect(await world.shown('ada')).toBeNull();
    app.clock.set(end);
    await world.sendDue();
    expect(await world.message(id)).toMatchObject({ status: 'sent', sendAt: end, startedAt: end });
  });

  it('a message to one pass in quiet hours waits until the quiet hours end', async () => {
    await world.issue('ada');
    await put(night).expect(200);
    app.clock.set('2026-11-20T22:00:00.000Z');
    const { body } = await world.post('pass/offer/ada/messages', message).expect(201);
    expect(body).toMatchObject({ status: 'scheduled', sendAt: '2026-11-21T07:00:00.000Z', progress: { sent: 0 } });
    expect(await world.shown('ada')).toBeNull();
  });

  it('quiet hours also delay a message that was planned before they were set', async () => {
    await world.issue('ada');
    const { id } = await plan({ sendAt: '2026-11-20T22:00:00.000Z' });
    await put(night).expect(200);
    app.clock.set('2026-11-20T22:00:00.000Z');
    await world.sendDue();
    expect(await world.message(id)).toMatchObject({ status: 'scheduled', sendAt: '2026-11-21T07:00:00.000Z' });
    app.clock.set('2026-11-21T07:00:00.000Z');
    await world.sendDue();
    expect(await world.shown('ada')).toEqual([message.text]);
  });

  const tier = (value: string) => ({ key: 'tier', label: 'Tier', value });

  it('the response to a change in quiet hours says that Google announces the change later', async () => {
    await world.atGoogle(await world.issue('ada', { fields: [tier('red')] }));
    await put(night).expect(200);
    const change = async (value: string) => {
      return (await world.account.patch('offer/ada', { fields: [tier(value)] }).expect(200)).body.notifications.walletB;
    };
    expect(await change('gold')).toMatchObject([{ reason: null, notifiesAt: null }]);
    app.clock.set('2026-11-20T20:59:01.000Z');
    expect(await change('blue')).toMatchObject([{ reason: 'quiet_hours', notifiesAt: '2026-11-21T07:00:00.000Z' }]);
  });

  it('an urgent message is sent even in quiet hours', async () => {
    await world.issue('ada');
    await put(night).expect(200);
    app.clock.set('2026-11-20T22:00:00.000Z');
    const { body } = await world.post('pass/offer/ada/messages', { ...message, urgent: true }).expect(201);
    expect(body.status).toBe('sent');
  });
});
