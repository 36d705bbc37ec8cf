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

const points = (value: string) => ({ key: 'points', label: 'Points', value, changeMessage: 'Now %@ points' });
const tier = (value: string) => ({ key: 'tier', label: 'Tier', value, changeMessage: '' });

/** Saves a template with changes. @returns the notifications in the response */
async function save(changes: object, templateId = 'offer') {
  const path = `/v1/templates/${templateId}`;
  const stored = await app.send('get', path, world.account.id).expect(200);
  expect(stored.body).not.toHaveProperty('notifications');
  const { id: _id, accountId: _account, archived: _archived, createdAt: _at, updatedAt: _time, ...body } = stored.body;
  const banner = await app.imageUrl(world.account.id, '#336699');
  const saved = await app.send('post', path, world.account.id).send({ ...body, banner, ...changes });
  if (saved.status !== 200) throw new Error(saved.text);
  return saved.body.notifications;
}

/** Issues a pass, and adds it to a phone and to Google Wallet. */
async function issueHeld(): Promise<void> {
  await world.onPhone(await world.issue('ada'));
  await app.visit(`/v1/pass/${world.account.id}/offer/ada/walletB`).expect(200);
}

const nothing = { walletA: [], walletB: [], silent: [] };

describe('the response to a save of a template', () => {
  it('the response says which changes each wallet announces, and why it does not announce others', async () => {
    await save({ fields: [points('10'), tier('silver')] });
    await issueHeld();
    const added = { key: 'seat', label: 'Seat', value: '12' };
    const translations = { de: { 'fields.points.changeMessage': 'Jetzt %@ Punkte' } };
    const line = { key: 'points', message: 'Now 20 points', translations: { de: 'Jetzt 20 Punkte' } };
    expect(await save({ fields: [points('20'), tier('gold'), added], translations })).toEqual({
      walletA: [{ ...line, shown: 'notification', reason: null }],
      walletB: [{ ...line, shown: 'notification', reason: null, notifiesAt: null }],
      silent: [
        { key: 'tier', wallets: ['walletA', 'walletB'], reason: 'silent_field' },
        { key: 'seat', wallets: ['walletA', 'walletB'], reason: 'new_field' },
      ],
    });
    expect(await save({ fields: [points('20'), tier('gold')], translations })).toEqual({
      ...nothing,
      silent: [{ key: 'seat', wallets: ['walletA', 'walletB'], reason: 'removed_field' }],
    });
  });

  it('the response has no notifications for a new template, unchanged content, or a change of colours or back fields', async () => {
    const image = await app.imageUrl(world.account.id, '#336699');
    const images = { icon: image, logo: image, banner: image };
    const request = { title: 'Sale', issuerName: 'Hall', foregroundColor: '#fff', backgroundColor: '#123', ...images };
    const created = await app.send('post', '/v1/templates/new', world.account.id).send(request).expect(200);
    expect(created.body).not.toHaveProperty('notifications');
    await issueHeld();
    expect(await save({})).toBeUndefined();
    const back = [{ key: 'terms', label: 'Terms', value: 'New' }];
    expect(await save({ backgroundColor: '#123456', backFields: back })).toBeUndefined();
  });

  it('the response says that no wallet announces the change if the passes are in no wallet', async () => {
    await save({ fields: [points('10')] });
    expect(await save({ fields: [points('20')] })).toBeUndefined();
    await world.issue('ada');
    expect(await save({ fields: [points('30')] })).toEqual({
      walletA: [{ key: 'points', message: 'Now 30 points', shown: 'nowhere', reason: 'not_installed' }],
      walletB: [],
      silent: [{ key: 'points', wallets: ['walletB'], reason: 'not_installed' }],
    });
  });

  it('the response says when Google Wallet announces a change that was saved in quiet hours', async () => {
    await save({ fields: [points('10')] });
    await issueHeld();
    const settings = { timeZone: 'UTC', quietHours: { from: '09:00', until: '12:00' } };
    await app.request('put', '/v1/account/messages').set('Authorization', world.account.id).send(settings).expect(200);
    expect(await save({ fields: [points('20')] })).toMatchObject({
      walletA: [{ key: 'points', shown: 'notification', reason: null }],
      walletB: [{ key: 'points', reason: 'quiet_hours', notifiesAt: '2026-11-20T12:00:00.000Z' }],
      silent: [],
    });
  });

  it('the response says that Google announces event details in its own words, except in quiet hours', async () => {
    await world.account.template('event', { startDate: new Date('2027-06-21T19:00:00Z') });
    await world.account.post('event/eve', {}).expect(200);
    await app.visit(`/v1/pass/${world.account.id}/event/eve/walletB`).expect(200);
    const silent = (reason: string) => [{ key: '_date', wallets: ['walletB'], reason }];
    expect(await save({ startDate: '2027-06-22T19:00:00Z' }, 'event')).toMatchObject({
      walletA: [{ key: '_date', shown: 'nowhere', reason: 'not_installed' }],
      walletB: [],
      silent: silent('announced_by_google'),
    });
    const settings = { timeZone: 'UTC', quietHours: { from: '09:00', until: '12:00' } };
    await app.request('put', '/v1/account/messages').set('Authorization', world.account.id).send(settings).expect(200);
    expect(await save({ startDate: '2027-06-23T19:00:00Z' }, 'event')).toMatchObject({
      walletB: [],
      silent: silent('quiet_hours'),
    });
  });
});
