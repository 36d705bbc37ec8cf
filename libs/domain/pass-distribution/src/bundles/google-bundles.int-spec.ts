import { type TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
});

/** Returns the objects that a scripted link refers to. */
function payloadOf(url: string): Record<string, { id: string }[]> {
  return JSON.parse(Buffer.from(url.split('/').at(-1)!, 'base64url').toString()) as Record<string, { id: string }[]>;
}

describe('one Google link for several passes', () => {
  const bundle = (...names: string[]) =>
    app.visit(`/v1/pass/${account.id}/bundle/walletB?${names.map((name) => `pass=${name}`).join('&')}`);

  it('one Google link contains all passes of the bundle, from several templates', async () => {
    await account.template('generic');
    await account.post('generic/bob', { primaryValue: 'Bob' }).expect(200);
    const { body } = await bundle('offer:ada', 'generic:bob').expect(200);
    expect(Object.keys(payloadOf(body.url)).sort()).toEqual(['genericObjects', 'offerObjects']);
    expect(app.google.writesOf(account.id)).toHaveLength(4);
  });

  it('404 pass_not_found names the missing passes, and 410 pass_deleted the deleted ones', async () => {
    const { body } = await bundle('offer:ada', 'offer:nobody').expect(404);
    expect(body).toMatchObject({ code: 'pass_not_found', message: expect.stringContaining('offer:nobody') });
    await account.delete('offer/ada').expect(204);
    expect((await bundle('offer:ada').expect(410)).body.code).toBe('pass_deleted');
  });
});
