import { WalletUnavailable } from '@passwright/core';
import type { Response } from 'supertest';
import yauzl from 'yauzl';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('offer');
  await account.template('membership');
  await account.post('offer/ada', {}).expect(200);
  await account.post('membership/ada', { primaryValue: '<b>Ada</b>' }).expect(200);
});
afterEach(() => jest.restoreAllMocks());

const path = (...passes: string[]) =>
  `/v1/pass/${account.id}/bundle/walletA?${passes.map((name) => `pass=${name}`).join('&')}`;

function download(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return app.visit(url).set(headers).responseType('blob');
}

async function entriesOf(archive: Buffer): Promise<string[]> {
  const zip = await yauzl.fromBufferPromise(archive);
  const names: string[] = [];
  for await (const { fileName } of zip.eachEntry()) names.push(fileName);
  return names;
}

describe('a bundle of passes', () => {
  it('a bundle contains the packages of passes from several templates, in the requested order', async () => {
    const { status, headers, body } = await download(path('membership:ada', 'offer:ada'));
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apple.pkpasses',
      'content-disposition': 'attachment; filename="passes.pkpasses"',
      'content-length': String(body.length),
      'cache-control': 'private, no-cache',
      'x-robots-tag': 'noindex',
      'passwright-signing': 'development',
    });
    expect(await entriesOf(body)).toEqual(['1-membership.pkpass', '2-offer.pkpass']);
  });

  it('a bundle can contain one pass or up to 10 passes', async () => {
    const ids = Array.from({ length: 10 }, (_, n) => `p${n}`);
    await Promise.all(ids.map((id) => account.post(`offer/${id}`, {}).expect(200)));
    const { status, body } = await download(path(...ids.map((id) => `offer:${id}`)));
    expect([status, (await entriesOf(body)).length]).toEqual([200, 10]);
    expect((await download(path('offer:ada'))).status).toBe(200);
  });

  it('304 if no pass of the bundle has changed, and the service signs no package', async () => {
    const etag = (await download(path('offer:ada'))).headers.etag!;
    const sign = jest.spyOn(app.signer, 'sign');
    expect((await download(path('offer:ada'), { 'If-None-Match': etag })).status).toBe(304);
    expect((await app.head(path('offer:ada'))).headers.etag).toBe(etag);
    expect(sign).not.toHaveBeenCalled();
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    expect((await download(path('offer:ada'), { 'If-None-Match': etag })).status).toBe(200);
  });
});

describe('a bundle that is not available', () => {
  const errorOf = async (url: string) => {
    const { status, body } = await app.visit(url);
    return [status, body.code, body.message];
  };

  it.each([
    ['a bundle without passes', []],
    ['a pass without a colon', ['ada']],
    ['a pass with three parts', ['offer:ada:x']],
    ['ids that cannot exist', ['offer:%00']],
    ['the same pass twice', ['offer:ada', 'offer:ada']],
  ])('400 validation_failed for %s', async (_what, passes) => {
    expect(await errorOf(path(...passes))).toEqual([400, 'validation_failed', expect.stringMatching(/^pass must /)]);
  });

  it('400 bundle_too_large for 11 passes', async () => {
    const passes = Array.from({ length: 11 }, (_, n) => `offer:p${n}`);
    expect(await errorOf(path(...passes))).toEqual([400, 'bundle_too_large', expect.stringContaining('11')]);
  });

  it('404 pass_not_found names all missing passes, including those of another account', async () => {
    const other = await app.account();
    await other.template('offer');
    await other.post('offer/eve', {}).expect(200);
    const url = path('offer:ada', 'offer:eve', 'offer:bob');
    expect(await errorOf(url)).toEqual([404, 'pass_not_found', expect.stringContaining('offer:eve, offer:bob')]);
  });

  it('410 pass_deleted names the deleted passes, until they are created again', async () => {
    await account.delete('offer/ada').expect(204);
    const url = path('offer:ada', 'membership:ada');
    expect(await errorOf(url)).toEqual([410, 'pass_deleted', 'Deleted: offer:ada; leave it out.']);
    await account.post('offer/ada', {}).expect(200);
    expect((await download(url)).status).toBe(200);
  });
});

describe('a browser that cannot open bundles', () => {
  const chrome = { Accept: 'text/html', 'User-Agent': 'Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Safari/537.36' };

  it('the service redirects a browser to a page with a link for each pass and escaped texts', async () => {
    const { status, headers } = await app.visit(path('offer:ada', 'membership:ada')).set(chrome);
    expect(status).toBe(302);
    const location = new URL(headers.location!);
    const page = await app.visit(location.pathname + location.search).set(chrome);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    for (const template of ['offer', 'membership']) {
      expect(page.text).toContain(`/v1/pass/${account.id}/${template}/ada/walletA"`);
    }
    expect(page.text).not.toContain('<b>');
    expect(page.text).toContain('&lt;b&gt;Ada');
  });

  it('the service redirects a browser even if the account id in the path has invalid characters', async () => {
    const { status, headers } = await app.visit('/v1/pass/acc_%E2%82%AC/bundle/walletA?pass=offer:ada').set(chrome);
    expect(status).toBe(302);
    expect(headers.location).toMatch(/\/p\/acc_%E2%82%AC\/bundle\?pass=offer%3Aada$/);
  });

  it('the page shows a void pass as void, and does not offer to add it to a wallet', async () => {
    await account.post('offer/ada/void').expect(200);
    const page = await app.visit(`/p/${account.id}/bundle?pass=offer:ada&pass=membership:ada`).set(chrome).expect(200);
    expect(page.text).toContain('This pass is no longer valid.');
    expect(page.text).not.toContain(`/v1/pass/${account.id}/offer/ada/walletA"`);
    expect(page.text).toContain(`/v1/pass/${account.id}/membership/ada/walletA"`);
  });

  it('the page is in the browser’s language, begins with the device’s own wallet and offers to add all passes', async () => {
    const query = 'pass=offer:ada&pass=membership:ada';
    const page = await app
      .visit(`/p/${account.id}/bundle?${query}`)
      .set({ ...chrome, 'Accept-Language': 'ar' })
      .expect(200);
    expect(page.headers).toMatchObject({
      'content-language': 'ar',
      vary: 'Accept, Accept-Language, User-Agent',
    });
    expect(page.text).toContain('<html lang="ar" dir="rtl">');
    const links = [...page.text.matchAll(/<a class="(\w+)" href="([^"]*)"/g)].map(
      ([, look, url = '']) => `${look} ${new URL(url.replaceAll('&amp;', '&')).pathname.split('/').slice(4).join('/')}`,
    );
    expect(links.slice(0, 5)).toEqual(
      [
        'button bundle/walletB',
        'other bundle/walletA',
        'button offer/ada/walletB',
        'other offer/ada/walletA',
        'other offer/ada',
      ].map((link) => link.replace(/ offer\/ada$/, ' ada')),
    );
    const german = await app.visit(`/p/${account.id}/bundle?${query}&lang=de`).set(chrome).expect(200);
    expect(german.text).toContain('<h1>Ihre Pässe</h1>');
  });

  it('the service offers only Google Wallet if there is no Apple certificate', async () => {
    jest.spyOn(app.signer, 'identity').mockRejectedValue(new WalletUnavailable('none'));
    const { headers } = await app.visit(path('offer:ada', 'membership:ada')).set(chrome).expect(302);
    const { pathname, search } = new URL(headers.location!);
    const { text } = await app
      .visit(pathname + search)
      .set(chrome)
      .expect(200);
    expect(text).not.toContain('walletA');
    expect(text).toContain(`/v1/pass/${account.id}/bundle/walletB?pass=offer%3Aada&amp;pass=membership%3Aada"`);
  });

  it('the service sends the bundle to any browser if the request has the download parameter', async () => {
    expect((await download(`${path('offer:ada')}&download=1`, chrome)).status).toBe(200);
  });
});
