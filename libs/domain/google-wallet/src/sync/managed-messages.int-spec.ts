import { Database } from '@passwright/database';
import { type ManagedContent, ManagedPassesService, type Pass } from '@passwright/passes';
import { TemplatesService } from '@passwright/templates';
import { GoogleWorld } from '../google-world.fixtures.js';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;
let ada: Pass;
let bob: Pass;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  app.google.reset();
  account = await app.account();
  await account.template('generic', { fields: [], primaryLabel: 'Member' });
  [ada, bob] = (await issue(['Ada Lovelace', 'Bob Byron'])) as [Pass, Pass];
  for (const { id } of [ada, bob]) await world.link(account, `generic/${id}`).expect(200);
  app.google.reset();
});

const tier = (value: string) => ({ key: 'tier', label: 'Tier', value });
const content = (name: string, changes: Partial<ManagedContent> = {}): ManagedContent => {
  return { primaryValue: name, expiresAt: null, fields: [tier('Silver')], voided: false, ...changes };
};
const issue = (names: readonly string[]) =>
  app.get(Database).transaction(async (tx) => {
    const template = await app.get(TemplatesService).lockForIssue(tx, account.id, 'generic');
    const contents = names.map((name) => content(name));
    return app.get(ManagedPassesService).issue(tx, template, contents, app.clock.now());
  });
const addressOf = ({ accountId, templateId, id: passId }: Pass) => ({ accountId, templateId, passId });
const change = (pass: Pass, next: ManagedContent) =>
  app
    .get(Database)
    .transaction((tx) => app.get(ManagedPassesService).change(tx, addressOf(pass), () => next, app.clock.now()));
const sent = () =>
  app.google.writes.flatMap(({ accountId, message }) => (accountId === account.id ? (message ?? []) : []));
const words = () => sent().map(({ body }) => body);
const stored = async () => {
  const sql = 'SELECT messages::text FROM google_resource WHERE account_id = $1 AND messages IS NOT NULL';
  const rows = await app.get(Database).reads.query<{ messages: string }[]>(sql, [account.id]);
  return rows.map(({ messages }) => messages).join('\n');
};

describe('messages about changes of managed passes', () => {
  it('the holder gets one message about a changed field and a changed name', async () => {
    await change(ada, content('Ada King', { fields: [tier('Gold')] }));
    await world.send();
    expect(sent()).toMatchObject([{ body: 'Member: Ada King\nTier: Gold', messageType: 'TEXT_AND_NOTIFY' }]);
  });

  it('the messages in the database contain no name, either before or after they are sent', async () => {
    await change(ada, content('Ada King', { fields: [tier('Gold')] }));
    const waiting = await stored();
    await world.send();
    const texts = [waiting, await stored()];
    expect(texts.map((text) => /Tier: Gold/.test(text))).toEqual([true, true]);
    expect(texts.join('\n')).not.toMatch(/Ada|King|Lovelace/);
  });

  it('a message about a changed name stays on the pass when the pass is written again', async () => {
    await change(ada, content('Ada King'));
    await world.send();
    await account.patch(`generic/${ada.id}`, { code: 'NEW' }).expect(200);
    await world.send();
    expect(app.google.objectOf(ada.serialNumber)?.messages).toMatchObject([
      { body: 'Member: Ada King', messageType: 'TEXT' },
    ]);
  });

  it('two changes of a name before a write lead to one message with the newest name', async () => {
    await change(ada, content('Ada King'));
    await change(ada, content('Ada Noel'));
    await world.send();
    expect(words()).toEqual(['Member: Ada Noel']);
  });

  it.each([
    ['a pass that becomes void', { voided: true, fields: [tier('Gold')] }],
    ['a change of only the expiry', { expiresAt: new Date('2027-11-20T10:00:00.000Z') }],
  ])('the holder gets no message about %s', async (_, changes) => {
    await change(ada, content('Ada Lovelace', changes));
    await world.send();
    expect(sent()).toEqual([]);
  });

  it('only the holder of a pass with a new text gets a message when several passes change together', async () => {
    await app.get(Database).transaction(async (tx) => {
      const managed = app.get(ManagedPassesService);
      const changes = [
        { address: addressOf(ada), contentOf: () => content('Ada Lovelace', { fields: [tier('Gold')] }) },
        { address: addressOf(bob), contentOf: () => content('Bob Byron', { expiresAt: new Date('2027-01-01') }) },
      ];
      await app.get(TemplatesService).lockForIssue(tx, account.id, 'generic');
      await managed.changeMany(tx, changes, app.clock.now());
    });
    await world.send();
    expect(words()).toEqual(['Tier: Gold']);
    expect(app.google.writes.filter(({ accountId }) => accountId === account.id)).toHaveLength(2);
  });

  it('a reminder replaces the message about the changed fields', async () => {
    const reminder = { id: 'week', header: 'Membership', body: 'Ends soon', until: '2026-12-20T10:00:00.000Z' };
    await app.get(Database).transaction((tx) => {
      const next = content('Ada Lovelace', { fields: [tier('Ends soon')] });
      const managed = app.get(ManagedPassesService);
      return managed.change(
        tx,
        addressOf(ada),
        () => next,
        app.clock.now(),
        () => reminder,
      );
    });
    await world.send();
    expect(words()).toEqual(['Ends soon']);
  });
});

it.each([
  ['alone', false],
  ['together with others', true],
])('a managed pass that has expired becomes inactive at Google when its owner voids it %s', async (_, isOneOfMany) => {
  const expired = { expiresAt: new Date('2026-11-20T09:00:00.000Z') };
  await change(ada, content('Ada Lovelace', expired));
  await world.send();
  expect(app.google.objectOf(ada.serialNumber)?.state).toBe('EXPIRED');
  const next = content('Ada Lovelace', { ...expired, voided: true });
  if (isOneOfMany) {
    await app.get(Database).transaction(async (tx) => {
      await app.get(TemplatesService).lockForIssue(tx, account.id, 'generic');
      const changes = [{ address: addressOf(ada), contentOf: () => next }];
      await app.get(ManagedPassesService).changeMany(tx, changes, app.clock.now());
    });
  } else await change(ada, next);
  await world.send();
  expect(app.google.objectOf(ada.serialNumber)?.state).toBe('INACTIVE');
  expect(sent()).toEqual([]);
});
