import { type TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;
beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => (account = await app.account()));

describe('a change of a pass', () => {
  const points = (value: string) => ({ fields: [{ key: 'points', label: 'Points', value }] });

  it('the response to a change contains the notice that phones will show for each field', async () => {
    await account.template('membership');
    const created = await account.post('membership/ada', { primaryValue: 'Ada', ...points('100') }).expect(200);
    expect(created.body.notifications).toEqual({ walletA: [], walletB: [], silent: [] });

    const patched = await account.patch('membership/ada', points('120')).expect(200);
    expect(patched.body.notifications).toEqual({
      walletA: [{ key: 'points', message: 'Points: 120', shown: 'nowhere', reason: 'not_installed' }],
      walletB: [],
      silent: [{ key: 'points', wallets: ['walletB'], reason: 'not_installed' }],
    });
    const upserted = await account.post('membership/ada', { primaryValue: 'Ada', ...points('140') }).expect(200);
    expect(upserted.body.notifications.walletA).toMatchObject([{ key: 'points', message: 'Points: 140' }]);
  });

  it.each([
    ['the change message is empty', [{ key: 'a', label: 'A', value: '2', changeMessage: '' }], {}, 'silent_field'],
    ['the field is gone', [], {}, 'removed_field'],
    ['the field is empty', [{ key: 'a', label: 'A', value: '' }], {}, 'removed_field'],
    ['the pass is void', [{ key: 'a', label: 'A', value: '2' }], { voided: true }, 'pass_state'],
  ])(
    'the response to a change says that no wallet announces the changed field because %s',
    async (_, fields, more, reason) => {
      await account.template('offer');
      await account.post('offer/ada', { fields: [{ key: 'a', label: 'A', value: '1' }] }).expect(200);
      const { body } = await account.patch('offer/ada', { fields, ...more }).expect(200);
      const silent = [{ key: 'a', wallets: ['walletA', 'walletB'], reason }];
      expect(body.notifications).toEqual({ walletA: [], walletB: [], silent });
    },
  );

  it('the response to a change says that no wallet announces a new field on the front', async () => {
    await account.template('offer');
    await account.post('offer/ada', {}).expect(200);
    const { body } = await account.patch('offer/ada', points('1')).expect(200);
    expect(body.notifications.silent).toEqual([
      { key: 'points', wallets: ['walletA', 'walletB'], reason: 'new_field' },
    ]);
  });

  it('the response to a change has no notices if the change is silent or the pass stays the same', async () => {
    await account.template('membership');
    await account.post('membership/ada', { primaryValue: 'Ada', ...points('100') }).expect(200);
    for (const change of [points('100'), { metadata: { a: 1 } }, { code: 'NEW' }, { voided: true }]) {
      const { body } = await account.patch('membership/ada', change).expect(200);
      expect(body.notifications).toEqual({ walletA: [], walletB: [], silent: [] });
    }
  });
});
