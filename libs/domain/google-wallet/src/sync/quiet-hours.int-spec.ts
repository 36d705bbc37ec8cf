import { Database } from '@passwright/database';
import { GoogleWorld } from '../google-world.fixtures.js';
import { ScriptedQuietHours } from '../quiet-hours.fixtures.js';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleSyncQueue } from './google-sync-queue.handlers.js';

const hours = { from: '2026-11-20T22:00:00.000Z', until: '2026-11-21T08:00:00.000Z' };
const night = '2026-11-20T23:00:00.000Z';

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;
let serial: string;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  app.get(ScriptedQuietHours).hours = hours;
  app.google.reset();
  account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', { fields: [seat('12')] }).expect(200);
  await world.link(account, 'offer/ada').expect(200);
  serial = await world.serialOf(account, 'ada');
  app.google.reset();
});
afterEach(() => (app.get(ScriptedQuietHours).hours = null));

const seat = (value: string) => ({ key: 'seat', label: 'Seat', value });
const change = async (value: string) => (await account.patch('offer/ada', { fields: [seat(value)] }).expect(200)).body;
const message = { id: 'week', header: 'Member', body: 'Until 3 March', until: '2026-12-20T10:00:00.000Z' };
const notify = (more = {}) =>
  app.get(Database).transaction((tx) => {
    const pass = { accountId: account.id, serialNumber: serial };
    return app.get(GoogleSyncQueue).notifyHolders(tx, [pass], { ...message, ...more });
  });
const writes = () => app.google.writes.filter(({ accountId }) => accountId === account.id);
const ids = () => writes().map((write) => write.message?.id);

describe('quiet hours', () => {
  it('a change in quiet hours is on the pass immediately, and holders are notified at the end of the quiet hours', async () => {
    app.clock.set(night);
    const { notifications } = await change('14');
    const line = { key: 'seat', message: 'Seat: 14', shown: 'notification', reason: 'quiet_hours' };
    expect(notifications.walletB).toEqual([{ ...line, notifiesAt: hours.until }]);
    await world.send();
    expect(ids()).toEqual([undefined]);
    await change('15');
    await world.send();
    app.clock.set('2026-11-21T07:59:59.999Z');
    await world.send();
    expect(ids()).toEqual([undefined, undefined]);
    app.clock.set(hours.until);
    await world.send();
    expect(writes().flatMap((write) => write.message ?? [])).toMatchObject([
      { body: 'Seat: 15', messageType: 'TEXT_AND_NOTIFY' },
    ]);
  });

  it('a message that Google could not accept before quiet hours is sent at their end', async () => {
    app.clock.set('2026-11-20T21:58:00.000Z');
    await notify();
    app.google.result = () => ({ outcome: 'retry', status: 503, message: undefined });
    await world.send();
    app.google.result = () => ({});
    app.clock.set(night);
    await world.send();
    expect(ids()).toEqual(['week']);
    app.clock.set(hours.until);
    await world.send();
    expect(ids()).toEqual(['week', 'week']);
  });

  it('the service does not send a message in the last minute before quiet hours, because the write may end during them', async () => {
    app.clock.set('2026-11-20T21:59:30.000Z');
    await notify();
    await world.send();
    expect(ids()).not.toContain('week');
  });

  it('an urgent message is sent during quiet hours, before messages that were queued earlier', async () => {
    app.clock.set(night);
    await notify({ id: 'calm' });
    await notify({ id: 'gate', urgent: true });
    await world.send();
    expect(ids()).toEqual(['gate']);
    app.clock.set(hours.until);
    await world.send();
    expect(ids()).toEqual(['gate', 'calm']);
  });

  it('a change of an event in quiet hours is written without a notification by Google', async () => {
    await account.template('event', { id: 'concert' });
    await account.post('concert/bob', {}).expect(200);
    await world.link(account, 'concert/bob').expect(200);
    const preferences = async (title: string) => {
      app.google.reset();
      const sql = `UPDATE template SET title = $2 WHERE account_id = $1 AND id = 'concert'`;
      await app.get(Database).reads.query(sql, [account.id, title]);
      await world.sendTemplate(account.id, 'concert');
      return writes().flatMap(({ part, body }) => (part === 'class' ? [body.notifyPreference] : []));
    };
    expect(await preferences('By day')).toEqual(['NOTIFY_ON_UPDATE']);
    app.clock.set(night);
    expect(await preferences('By night')).toEqual([undefined]);
  });
});

describe('messages with a topic', () => {
  it('holders get only the newest waiting message of a topic, and the pass shows only that message of the topic', async () => {
    await notify({ id: 'one', topic: 'gate' });
    await world.send();
    await notify({ id: 'two', topic: 'gate' });
    await notify({ id: 'three', topic: 'gate' });
    await notify({ id: 'other' });
    for (let times = 0; times < 3; times++) await world.send();
    expect(ids()).toEqual(['one', 'three', 'other']);
    const shown = app.google.objectOf(serial)?.messages as { id: string }[];
    expect(shown.map(({ id }) => id)).toEqual(['three']);
  });
});
