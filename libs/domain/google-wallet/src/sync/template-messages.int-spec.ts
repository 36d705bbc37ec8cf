import { Database } from '@passwright/database';
import { type TemplateRequest, TemplatesService, TemplateVersionsRepository } from '@passwright/templates';
import { GoogleWorld } from '../google-world.fixtures.js';
import { ScriptedQuietHours } from '../quiet-hours.fixtures.js';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { ObjectMessagesRepository } from '../messages/object-messages.repository.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';

const start = '2026-11-20T10:00:00.000Z';

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set(start);
  app.google.reset();
  account = await app.account();
  await save({ fields: [gate('A')] });
  await issue('ada');
});
afterEach(() => {
  app.get(ScriptedQuietHours).hours = null;
  jest.restoreAllMocks();
});

const gate = (value: string, more = {}) => ({ key: 'gate', label: 'Gate', value, ...more });
const offer = { type: 'offer', title: 'Fair', issuerName: 'Hall', foregroundColor: '#fff', backgroundColor: '#123' };
const save = (changes: object) =>
  app.get(TemplatesService).store(account.id, 'offer', { ...offer, ...changes } as unknown as TemplateRequest, null);
const issue = async (passId: string, body: object = {}) => {
  await account.post(`offer/${passId}`, body).expect(200);
  await world.link(account, `offer/${passId}`).expect(200);
  app.google.reset();
};
const send = () => world.sendTemplate(account.id, 'offer');
const writes = () => app.google.writes.filter(({ accountId }) => accountId === account.id);
const sent = () => writes().flatMap(({ message }) => message ?? []);
const words = () => sent().map(({ body }) => body);
const stored = async () => {
  const sql = 'SELECT messages::text FROM google_resource WHERE account_id = $1 AND messages IS NOT NULL';
  const rows = await app.get(Database).reads.query<{ messages: string }[]>(sql, [account.id]);
  return rows.map(({ messages }) => messages).join('\n');
};

describe('messages about changed templates', () => {
  it('each holder gets one message with the title and the changed fields of the template', async () => {
    await issue('bob');
    await save({ title: 'Winter fair', fields: [gate('B', { changeMessage: 'Gate is now %@' })] });
    await send();
    await send();
    expect(sent()).toMatchObject([
      { header: 'Winter fair', body: 'Winter fair\nGate is now B', messageType: 'TEXT_AND_NOTIFY', mayExist: false },
      { header: 'Winter fair', body: 'Winter fair\nGate is now B', messageType: 'TEXT_AND_NOTIFY', mayExist: false },
    ]);
  });

  it('a holder gets no message about a changed template field if the pass is void or has its own value for the field', async () => {
    await issue('bob', { fields: [gate('Z')] });
    await issue('eve', { voided: true });
    await save({ fields: [gate('B')] });
    await send();
    expect(words()).toEqual(['Gate: B']);
  });

  it('the response announces a message about a template change only while Google has a pass of the template', async () => {
    const atGoogle = async (value: string) => (await save({ fields: [gate(value)] })).notices?.google;
    expect(await atGoogle('B')).toMatchObject([{ key: 'gate', message: 'Gate: B', shown: 'notification' }]);
    await account.post('offer/bob', {}).expect(200);
    await account.delete('offer/ada').expect(204);
    await send();
    expect(await atGoogle('C')).toEqual([]);
    await world.link(account, 'offer/bob').expect(200);
    expect(await atGoogle('D')).toMatchObject([{ key: 'gate', message: 'Gate: D', shown: 'notification' }]);
  });

  it.each([
    ['a label', { fields: [gate('A', { label: 'Door' })] }],
    ['a silent field', { fields: [gate('B', { changeMessage: '' })] }],
    ['the back', { fields: [gate('A')], backFields: [{ key: 'terms', label: 'Terms', value: 'New' }] }],
    ['a new field', { fields: [gate('A'), { key: 'row', label: 'Row', value: '1' }] }],
  ])('holders do not get a message about a change of %s', async (_, changes) => {
    await save(changes);
    await send();
    expect(sent()).toEqual([]);
  });

  it('holders get the newest text after several changes, but no message if the field returns to its old value', async () => {
    await save({ fields: [gate('B')] });
    await save({ fields: [gate('C')] });
    await send();
    await save({ fields: [gate('D')] });
    await save({ fields: [gate('C')] });
    await send();
    expect(words()).toEqual(['Gate: C']);
  });

  it('changes of both the template and the pass lead to one message', async () => {
    await save({ fields: [gate('B'), { key: 'row', label: 'Row', value: '' }] });
    await account.patch('offer/ada', { fields: [{ key: 'row', label: 'Row', value: '1' }] }).expect(200);
    await save({ fields: [gate('C'), { key: 'row', label: 'Row', value: '' }] });
    await account.patch('offer/ada', { fields: [{ key: 'row', label: 'Row', value: '2' }] }).expect(200);
    await send();
    expect(words()).toEqual(['Row: 2\nGate: C']);
  });

  it('a holder who opens the link after a change gets no message about it', async () => {
    await account.post('offer/bob', {}).expect(200);
    await save({ fields: [gate('B')] });
    await world.link(account, 'offer/bob').expect(200);
    await send();
    expect(words()).toEqual(['Gate: B']);
    expect(writes().flatMap(({ message, body }) => (message ? [body.id] : []))).toEqual([
      `${app.google.issuerId}.${await world.serialOf(account, 'ada')}`,
    ]);
  });

  it('the fourth message in 24 hours is on the pass without a notification', async () => {
    for (const value of ['1', '2', '3', '4']) {
      await save({ fields: [gate(value)] });
      await send();
    }
    expect(sent().map(({ messageType }) => messageType)).toEqual([
      ...['TEXT_AND_NOTIFY', 'TEXT_AND_NOTIFY', 'TEXT_AND_NOTIFY', 'TEXT'],
    ]);
  });

  it('a change in quiet hours is on the pass immediately, and its message is sent after the quiet hours', async () => {
    const hours = { from: '2026-11-20T22:00:00.000Z', until: '2026-11-21T08:00:00.000Z' };
    app.get(ScriptedQuietHours).hours = hours;
    app.clock.set('2026-11-20T23:00:00.000Z');
    for (const value of ['B', 'C']) {
      await save({ fields: [gate(value)] });
      await send();
    }
    expect([writes().filter(({ part }) => part === 'object').length, sent()]).toEqual([2, []]);
    app.clock.set(hours.until);
    await world.send();
    expect(words()).toEqual(['Gate: C']);
  });

  it('holders read the message in their language', async () => {
    const translations = { de: { title: 'Messe', 'fields.gate.label': 'Tor' } };
    await save({ fields: [gate('B')], translations });
    await send();
    expect(sent()).toMatchObject([
      {
        localizedHeader: { translatedValues: [{ language: 'de', value: 'Messe' }] },
        localizedBody: { translatedValues: [{ language: 'de', value: 'Tor: B' }] },
      },
    ]);
  });

  it('Google itself notifies holders of changed event details, and a message notifies them of other fields', async () => {
    const event = { type: 'event', startDate: '2027-06-21T19:00:00Z' };
    const saveEvent = (changes: object) =>
      app
        .get(TemplatesService)
        .upsert(account.id, 'concert', { ...offer, ...event, ...changes } as unknown as TemplateRequest, null);
    await saveEvent({ fields: [gate('A')] });
    await account.post('concert/ada', {}).expect(200);
    await world.link(account, 'concert/ada').expect(200);
    app.google.reset();
    await saveEvent({ title: 'Late concert', startDate: '2027-06-21T20:00:00Z', fields: [gate('B')] });
    await world.sendTemplate(account.id, 'concert');
    expect(words()).toEqual(['Gate: B']);
    expect(writes().find(({ part }) => part === 'class')?.body.notifyPreference).toBe('NOTIFY_ON_UPDATE');
  });
});

it('a node queues messages only for objects that it is about to write, however many passes the template has', async () => {
  for (let n = 0; n < 59; n++) await issue(`pass-${n}`);
  const locked = jest.spyOn(app.get(ObjectMessagesRepository), 'lockClaimed');
  const found = jest.spyOn(app.get(TemplateVersionsRepository), 'find');
  await save({ fields: [gate('B')] });
  await send();
  expect(words()).toEqual(Array.from({ length: 60 }, () => 'Gate: B'));
  expect(locked.mock.calls.map(([, , ids]) => ids.length)).toEqual([40, 20]);
  expect(found.mock.calls.map(([, known]) => known.length)).toEqual([1, 1]);
});

describe('messages about changed templates, and failures', () => {
  it('the service sends a message again under the same id if the process crashed during the write', async () => {
    await save({ fields: [gate('B')] });
    app.google.result = () => Promise.reject(new Error('killed'));
    const release = jest.spyOn(app.get(GoogleResourcesRepository), 'release').mockImplementation(() => undefined);
    await world.sendTemplate(account.id, 'offer');
    release.mockRestore();
    const [first] = sent();
    app.google.result = () => ({});
    app.clock.advance(61);
    await world.send();
    app.clock.advance(120);
    await world.send();
    expect(sent().map(({ id, mayExist }) => [id, mayExist])).toEqual([
      [first?.id, false],
      [first?.id, true],
    ]);
    expect(words()).toEqual(['Gate: B', 'Gate: B']);
  });

  it('a message about a change waits while Google does not respond, and then contains the newest text', async () => {
    app.google.result = () => ({ outcome: 'retry', status: 503, message: undefined });
    await save({ fields: [gate('B')] });
    await send();
    await save({ fields: [gate('C')] });
    app.google.result = () => ({});
    app.clock.advance(60);
    await send();
    expect(words().slice(1)).toEqual(['Gate: C']);
  });

  it('a pass that changes right after its claim gets the message with the next write', async () => {
    await save({ fields: [gate('B')] });
    const versions = app.get(TemplateVersionsRepository);
    const find = versions.find.bind(versions);
    jest.spyOn(versions, 'find').mockImplementationOnce(async (...values) => {
      await account.patch('offer/ada', { code: 'NEW' }).expect(200);
      return find(...values);
    });
    await send();
    await world.send();
    expect(words()).toEqual(['Gate: B']);
  });

  it('an object that an earlier version of the service wrote gets a message about its next change', async () => {
    const sql = 'UPDATE google_resource SET told_revision = NULL WHERE account_id = $1';
    await app.get(Database).reads.query(sql, [account.id]);
    await save({ fields: [gate('B')] });
    await send();
    expect(words()).toEqual(['Gate: B']);
  });

  it('holders get no message after a restore of the database while the content at Google is unknown', async () => {
    await save({ fields: [gate('B')] });
    await app
      .get(Database)
      .reads.query(`UPDATE google_resource SET sent_hash = '' WHERE account_id = $1`, [account.id]);
    await send();
    await send();
    expect(sent()).toEqual([]);
    expect(await stored()).toBe('');
  });
});
