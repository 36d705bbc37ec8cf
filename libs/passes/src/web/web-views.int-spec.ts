import { WalletUnavailable } from '@passwright/core';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
});
afterEach(() => jest.restoreAllMocks());

describe('the web view', () => {
  it('is a page with a policy of its own that shows what the wallet shows, and no metadata', async () => {
    await account.template('generic', { title: 'Gift <card>' });
    const thumbnail = await app.imageUrl(account.id, '#ff0000');
    await account
      .post('generic/ada', { primaryValue: 'Ada & Co', thumbnail, metadata: { secret: 'hush' } })
      .expect(200);
    const { status, headers, text } = await app.visit(`/p/${account.id}/generic/ada`);

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'passwright-signing': 'development',
    });
    expect(text).toContain('Ada &amp; Co');
    expect(text).toContain('Gift &lt;card');
    expect(text).toContain(`http://passes.example/v1/pass/${account.id}/generic/ada/walletA`);
    expect(text).toMatch(new RegExp(`http://passes.example/images/${account.id}/[0-9a-f]{64}\\.png`));
    expect(text).not.toContain('hush');
  });

  it('tells the state as it is at the moment', async () => {
    await account.template('offer');
    await account.post('offer/ada', { expiry: '2026-11-20T11:00:00.000Z' }).expect(200);
    const page = async () => (await app.visit(`/p/${account.id}/offer/ada`)).text;
    expect(await page()).toContain('Valid until');
    app.clock.advance(3600);
    expect(await page()).toContain('This pass expired');
    await account.archive('offer');
    expect(await page()).toContain('no longer valid');
  });

  it('is there without a certificate too, and offers no package then', async () => {
    await account.template('offer');
    await account.post('offer/ada', {}).expect(200);
    jest.spyOn(app.signer, 'identity').mockRejectedValue(new WalletUnavailable('The certificate has expired.'));
    const view = await app.visit(`/p/${account.id}/offer/ada`).expect(200);
    expect(view.text).not.toContain('walletA');
    expect(view.headers).not.toHaveProperty('passwright-signing');
    const read = await account.get('offer/ada').expect(200);
    expect(read.headers).not.toHaveProperty('passwright-signing');
    const { body } = await app.visit(`/v1/pass/${account.id}/offer/ada/walletA`).expect(503);
    expect(body).toMatchObject({ code: 'wallet_unavailable', message: 'The certificate has expired.' });
  });
});
