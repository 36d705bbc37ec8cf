import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { WalletPassesRepository } from '../wallets/wallet-passes.repository.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
  await account.template('offer');
});

const shop = { type: 'shop', url: 'https://harbour.example/shop' };
const call = { type: 'call', url: 'tel:+4722334455' };
const stored = async (passId: string) =>
  (await app.get(WalletPassesRepository).find({ accountId: account.id, templateId: 'offer', passId }))?.pass.actions;

it('a pass returns its own actions as they were sent, even an empty list', async () => {
  const { body } = await account.post('offer/ada', { actions: [shop, call] }).expect(200);
  expect(body.pass.actions).toEqual([shop, call]);
  expect((await account.get('offer/ada')).body.pass.actions).toEqual([shop, call]);
  expect(await stored('ada')).toEqual([shop, call]);
  expect((await account.post('offer/bob', { actions: [] })).body.pass.actions).toEqual([]);
  expect(await stored('bob')).toEqual([]);
  expect((await account.post('offer/eve', { actions: null })).body.pass).not.toHaveProperty('actions');
  expect(await stored('eve')).toBeNull();
});

it('a patch replaces or clears all actions of a pass, or keeps them if it has no actions', async () => {
  await account.post('offer/ada', { actions: [shop, call] }).expect(200);
  const actionsAfter = async (patch: object) => (await account.patch('offer/ada', patch).expect(200)).body.pass.actions;
  expect(await actionsAfter({ code: 'NEW' })).toEqual([shop, call]);
  expect(await actionsAfter({ actions: [call] })).toEqual([call]);
  expect(await actionsAfter({ actions: [] })).toEqual([]);
  expect(await actionsAfter({ actions: null })).toBeUndefined();
  expect(await stored('ada')).toBeNull();
});

it('a pass gets a new version when its actions change, but not when the same actions are sent again', async () => {
  const { body, headers } = await account.post('offer/ada', { actions: [shop] }).expect(200);
  app.clock.advance(10);
  const again = await account.patch('offer/ada', { actions: [{ url: shop.url, type: 'shop' }] }).expect(200);
  expect([again.body.pass.updatedAt, again.headers.etag]).toEqual([body.pass.updatedAt, headers.etag]);
  const changed = await account.patch('offer/ada', { actions: [call] }).expect(200);
  expect(changed.body.pass.updatedAt > body.pass.updatedAt).toBe(true);
  expect(changed.body.notifications).toEqual({ walletA: [], walletB: [], silent: [] });
});

it.each([
  ['a third action', [shop, call, { ...shop, type: 'order' }], /^actions must contain no more than 2/],
  ['an unknown type', [{ ...shop, type: 'dance' }], /^actions\[0\]\.type must be one of/],
  ['an address in plain http', [shop, { ...shop, url: 'http://harbour.example/' }], /^actions\[1\]\.url: .*https/],
  ['a call without a number', [{ ...call, url: shop.url }], /^actions\[0\]\.url: .*telephone number; give tel:/],
])('400 validation_failed for a pass with %s', async (_, actions, message) => {
  await account.post('offer/ada', {}).expect(200);
  for (const { status, body } of [
    await account.post('offer', { actions }),
    await account.post('offer/ada', { actions }),
    await account.patch('offer/ada', { actions }),
  ]) {
    expect({ status, body }).toEqual({
      status: 400,
      body: expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(message) }),
    });
  }
});
