import { Database } from '@passwright/database';
import { QueryFailedError } from 'typeorm';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleWorld } from '../google-world.fixtures.js';

const start = new Date('2026-11-20T10:00:00.000Z');
const hourSeconds = 3600;

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;
let serial: string;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
afterEach(() => jest.restoreAllMocks());
beforeEach(async () => {
  app.clock.set(start);
  app.google.reset();
  account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', { fields: [seat('12'), gate('A')] }).expect(200);
  await world.link(account, 'offer/ada').expect(200);
  serial = await world.serialOf(account, 'ada');
  app.google.reset();
});

const seat = (value: string) => ({ key: 'seat', label: 'Seat', value });
const gate = (value: string) => ({ key: 'gate', label: 'Gate', value, changeMessage: 'Gate is now %@' });
const change = async (seatValue: string, gateValue = 'A') => {
  const fields = [seat(seatValue), gate(gateValue)];
  const { body } = await account.patch('offer/ada', { fields }).expect(200);
  return body.notifications.walletB as object[];
};
const notified = (key: string, message: string) => ({
  key,
  message,
  shown: 'notification',
  reason: null,
  notifiesAt: null,
});
const writes = () => app.google.writes.filter(({ accountId }) => accountId === account.id);
const sent = () => writes().flatMap(({ message }) => message ?? []);
const words = () => sent().map(({ body }) => body);

describe('messages about changes', () => {
  it('holders get a message with the text that the response to the change contains', async () => {
    expect(await change('14', 'B')).toEqual([notified('seat', 'Seat: 14'), notified('gate', 'Gate is now B')]);
    await world.send();
    expect(sent()).toMatchObject([
      { body: 'Seat: 14\nGate is now B', messageType: 'TEXT_AND_NOTIFY', mayExist: false },
    ]);
    expect(app.google.writesOf(account.id)).toEqual(['object background']);
  });

  it('holders get the message in their own language, with the text that the response to the change contains', async () => {
    const translations = {
      de: { title: 'Angebot', 'fields.seat.label': 'Platz', 'fields.gate.changeMessage': 'Tor %@' },
    };
    const sql = 'UPDATE template SET fields = $2, translations = $3 WHERE account_id = $1';
    const fields = JSON.stringify([seat('1'), gate('1')]);
    await app.get(Database).reads.query(sql, [account.id, fields, translations]);
    const announced = await change('14', 'B');
    expect(announced).toEqual([
      { ...notified('seat', 'Seat: 14'), translations: { de: 'Platz: 14' } },
      { ...notified('gate', 'Gate is now B'), translations: { de: 'Tor B' } },
    ]);
    await world.send();
    const localizedBody = {
      defaultValue: { language: 'en', value: 'Seat: 14\nGate is now B' },
      translatedValues: [{ language: 'de', value: 'Platz: 14\nTor B' }],
    };
    expect(sent()).toMatchObject([
      { localizedHeader: { translatedValues: [{ language: 'de', value: 'Angebot' }] }, localizedBody },
    ]);
    await change('15', 'B');
    await world.send();
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await world.send();
    const [message] = app.google.objectOf(serial)?.messages as object[];
    expect(message).toMatchObject({ localizedBody: { translatedValues: [{ language: 'de', value: 'Platz: 15' }] } });
  });

  it.each([
    ['a silent field', { fields: [seat('12'), { ...gate('B'), changeMessage: '' }] }],
    ['the code', { code: 'NEW' }],
    ['a pass that becomes void', { voided: true, fields: [seat('14')] }],
  ])('holders do not get a message about a change of %s', async (_, body) => {
    const response = await account.patch('offer/ada', body).expect(200);
    expect(response.body.notifications.walletB).toEqual([]);
    await world.send();
    expect(writes()).toHaveLength(1);
    expect(sent()).toEqual([]);
  });

  it('the service neither announces nor sends a message about a pass that is not at Google', async () => {
    await account.post('offer/bob', { fields: [seat('12')] }).expect(200);
    const { body } = await account.patch('offer/bob', { fields: [seat('14')] }).expect(200);
    expect(body.notifications).toMatchObject({
      walletA: [{ key: 'seat', message: 'Seat: 14' }],
      walletB: [],
      silent: [{ key: 'seat', wallets: ['walletB'], reason: 'not_installed' }],
    });
    await world.link(account, 'offer/bob').expect(200);
    expect(sent()).toEqual([]);
  });

  it('several changes before a write become one message with the newest text', async () => {
    await change('13');
    await change('14', 'B');
    await change('14', 'C');
    await world.send();
    await world.send();
    expect(words()).toEqual(['Seat: 14\nGate is now C']);
  });

  it('holders get no message if a field returns to its old value before the message is sent', async () => {
    await change('13', 'B');
    const undone = { key: 'seat', message: 'Seat: 12', shown: 'nowhere', reason: 'undone', notifiesAt: null };
    expect(await change('12', 'B')).toEqual([undone]);
    await world.send();
    expect(words()).toEqual(['Gate is now B']);
    expect(await change('13', 'B')).toEqual([notified('seat', 'Seat: 13')]);
    await change('12', 'B');
    await world.send();
    expect(words()).toEqual(['Gate is now B']);
  });

  it('a message about changes stays on the pass for a week, unless a newer message replaces it', async () => {
    await change('13');
    await world.send();
    await change('14');
    await world.send();
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await world.send();
    const [first, second, third] = writes().map(({ body }) => body.messages);
    expect([first, second]).toEqual([undefined, undefined]);
    expect(third).toMatchObject([{ body: 'Seat: 14' }]);
    app.clock.advance(7 * 24 * hourSeconds);
    await account.patch('offer/ada', { code: 'NEWER' }).expect(200);
    await world.send();
    expect(app.google.objectOf(serial)).not.toHaveProperty('messages');
  });

  it('the fourth message in 24 hours is on the pass without a notification, and the response says why', async () => {
    const responses: object[] = [];
    for (const [hours, value] of [
      [0, '1'],
      [5, '2'],
      [10, '3'],
      [23, '4'],
      [24, '5'],
    ] as const) {
      app.clock.set(start);
      app.clock.advance(hours * hourSeconds);
      responses.push(...(await change(value)));
      await world.send();
    }
    expect(responses).toEqual([
      notified('seat', 'Seat: 1'),
      notified('seat', 'Seat: 2'),
      notified('seat', 'Seat: 3'),
      { key: 'seat', message: 'Seat: 4', shown: 'pass', reason: 'daily_limit', notifiesAt: null },
      notified('seat', 'Seat: 5'),
    ]);
    expect(sent().map(({ messageType }) => messageType)).toEqual([
      ...['TEXT_AND_NOTIFY', 'TEXT_AND_NOTIFY', 'TEXT_AND_NOTIFY', 'TEXT', 'TEXT_AND_NOTIFY'],
    ]);
  });

  it('a message that Google adds without a notification does not count towards the daily limit', async () => {
    app.google.result = () => ({ message: 'shown' });
    for (const value of ['1', '2', '3', '4']) {
      expect(await change(value)).toEqual([notified('seat', `Seat: ${value}`)]);
      await world.send();
    }
  });
});

describe('messages and failures', () => {
  it('a change during a write gets a separate message after that write', async () => {
    await change('13');
    app.google.result = async () => {
      app.google.result = () => ({});
      await change('14');
      return {};
    };
    for (let times = 0; times < 3; times++) await world.send();
    expect(words()).toEqual(['Seat: 13', 'Seat: 14']);
  });

  it('30 changes during one write lead to at most ten messages, and the last message has the newest text', async () => {
    await change('13');
    app.google.result = async () => {
      app.google.result = () => ({});
      for (let value = 14; value < 44; value++) await change(`${value}`);
      return {};
    };
    for (let times = 0; times < 12; times++) await world.send();
    expect(words()).toHaveLength(10);
    expect(words().at(0)).toBe('Seat: 13');
    expect(words().at(-1)).toBe('Seat: 43');
  });

  it('a change after a write with an unknown result gets its own message', async () => {
    app.google.result = () => ({ outcome: 'retry', status: 503, message: 'unclear' });
    await change('13');
    await world.send();
    await change('14');
    app.google.result = () => ({});
    app.clock.advance(60);
    for (let times = 0; times < 3; times++) await world.send();
    expect(sent()).toMatchObject([
      { body: 'Seat: 13', mayExist: false },
      { body: 'Seat: 13', mayExist: true },
      { body: 'Seat: 14', mayExist: false },
    ]);
  });

  it('the service asks Google whether the object has a message if the process crashed during the write', async () => {
    await change('14');
    const owner = { accountId: account.id, issuerId: app.google.issuerId };
    await app.get(GoogleResourcesRepository).claimDue(owner, 1, app.clock.now());
    app.clock.advance(61);
    app.google.result = () => ({ outcome: 'retry', status: 503, message: undefined });
    await world.send();
    app.google.result = () => ({});
    app.clock.advance(60);
    await world.send();
    expect(sent().map(({ mayExist }) => mayExist)).toEqual([true, true]);
  });

  it('the service asks Google whether the object has a message if the result of the write could not be recorded', async () => {
    const releases: Promise<unknown>[] = [];
    const database = app.get(Database);
    jest.spyOn(database, 'eventually').mockImplementation((work) => void releases.push(database.transaction(work)));
    const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const record = jest.spyOn(app.get(GoogleResourcesRepository), 'record');
    record.mockRejectedValueOnce(new QueryFailedError('', [], lost));
    await change('14');
    await world.send();
    await Promise.all(releases);
    app.clock.advance(61);
    await world.send();
    expect(sent().map(({ mayExist }) => mayExist)).toEqual([false, true]);
  });
});
