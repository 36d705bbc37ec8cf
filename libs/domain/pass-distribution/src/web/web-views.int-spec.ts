import { WalletUnavailable } from '@passwright/core';
import { ImagesService, type PreparedFile, type PreparedImage } from '@passwright/images';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassPagesOptions } from '../pass-pages.options.js';
import { WebViewsService } from './web-views.service.js';

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

describe('the web view of a pass', () => {
  it('the web view has the content of the wallet pass without its metadata, and its own content security policy', async () => {
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

  it('the web view shows the images of the reader’s language', async () => {
    const url = await app.imageUrl(account.id, '#00ff00');
    const german = await app.get(ImagesService).prepare(account.id, url, 'logo', 'offer', 'logo');
    const localisedImages = { de: { logo: german } };
    const { images } = await account.template('offer', {
      translations: { de: { 'images.logo': url } },
      localisedImages,
    });
    await account.post('offer/ada', {}).expect(200);
    const page = async (language: string) =>
      (await app.visit(`/p/${account.id}/offer/ada`).set('Accept-Language', language).expect(200)).text;
    const webKey = ({ files }: PreparedImage) => files.find(({ wallet }) => wallet === 'web')!.key;
    expect(await page('de-CH')).toContain(webKey(german));
    expect(await page('de-CH')).not.toContain(webKey(images.logo!));
    expect(await page('en')).toContain(webKey(images.logo!));
    expect(await page('en')).not.toContain(webKey(german));
  });

  it('the web view shows the current state of the pass', async () => {
    await account.template('offer');
    await account.post('offer/ada', { expiry: '2026-11-20T11:00:00.000Z' }).expect(200);
    const page = async () => (await app.visit(`/p/${account.id}/offer/ada`)).text;
    expect(await page()).toContain('Valid until');
    app.clock.advance(3600);
    expect(await page()).toContain('This pass expired');
    await account.archive('offer');
    expect(await page()).toContain('no longer valid');
  });

  it('the web view works without a certificate, but offers no Apple package', async () => {
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

describe('a conditional request for a web view', () => {
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Safari/604.1';
  const path = () => `/p/${account.id}/offer/ada`;
  const tag = async (headers: Record<string, string> = {}) =>
    (await app.visit(path()).set(headers)).headers.etag as string;
  const ask = (etag: string, headers: Record<string, string> = {}) =>
    app.visit(path()).set({ 'If-None-Match': etag, ...headers });

  beforeEach(async () => {
    await account.template('offer');
    await account.post('offer/ada', { expiry: '2026-11-20T11:00:00.000Z' }).expect(200);
  });

  it('304 while the page has not changed, without rendering it and without a Content-Security-Policy header', async () => {
    const etag = await tag();
    const rendering = jest.spyOn(app.get(WebViewsService), 'page');
    const { headers, text } = await ask(etag).expect(304);
    expect(rendering).not.toHaveBeenCalled();
    expect(text).toBe('');
    expect(headers).toMatchObject({
      etag,
      vary: 'Accept, Accept-Language, User-Agent',
      'cache-control': 'private, no-cache',
    });
    expect(headers).not.toHaveProperty('content-security-policy');
    await account.patch('offer/ada/metadata', { metadata: { note: 'not shown' } }).expect(200);
    await ask(etag).expect(304);
  });

  it('200 after a change of the pass, the template, the certificate, the Google issuer or the service’s address', async () => {
    const changes = [
      () => account.patch('offer/ada', { fields: [{ key: 'a', label: 'A', value: 'new' }] }).expect(200),
      () => account.archive('offer'),
      () => account.unarchive('offer'),
      () => Promise.resolve(app.clock.advance(3600)),
      () => Promise.resolve(jest.spyOn(app.signer, 'identity').mockRejectedValue(new WalletUnavailable('expired'))),
      () => Promise.resolve(jest.spyOn(app.google, 'identity').mockRejectedValue(new WalletUnavailable('none'))),
      () => Promise.resolve(jest.replaceProperty(app.get(PassPagesOptions), 'baseUrl', 'https://moved.example')),
    ];
    for (const change of changes) {
      const etag = await tag();
      await change();
      await ask(etag).expect(200);
    }
  });

  it('200 for a conditional request in another language or from another kind of device', async () => {
    const etag = await tag();
    await ask(etag, { 'Accept-Language': 'de' }).expect(200);
    await ask(etag, { 'User-Agent': iphone }).expect(200);
    await ask(await tag({ 'User-Agent': iphone }), { 'User-Agent': iphone }).expect(304);
  });
});

it('the web view of a translated pass is in the reader’s language, and each language has its own ETag', async () => {
  await account.template('offer', { title: 'Discount', translations: { sv: { title: 'Rabatt' } } });
  await account.post('offer/ada', {}).expect(200);
  const path = `/p/${account.id}/offer/ada`;
  const titleOf = ({ text }: { text: string }) => /<title>(.*?) ·/.exec(text)?.[1];
  const swedish = await app.visit(path).set('Accept-Language', 'sv, en;q=0.5').expect(200);
  const english = await app.visit(path).set('Accept-Language', 'en, sv;q=0.5').expect(200);
  expect([titleOf(swedish), titleOf(english)]).toEqual(['Rabatt', 'Discount']);
  expect(titleOf(await app.visit(`${path}?lang=sv`).set('Accept-Language', 'en'))).toBe('Rabatt');
  expect(swedish.headers.etag).not.toBe(english.headers.etag);
  const known = { 'If-None-Match': swedish.headers.etag as string };
  await app
    .visit(path)
    .set({ ...known, 'Accept-Language': 'sv, en;q=0.5' })
    .expect(304);
  await app
    .visit(path)
    .set({ ...known, 'Accept-Language': 'en, sv;q=0.5' })
    .expect(200);
  const bundle = await app.visit(`/p/${account.id}/bundle?pass=offer:ada`).set('Accept-Language', 'sv').expect(200);
  expect(bundle.text).toContain('Rabatt');
});

it('the web view is in the language that the URL requests, or else in the browser’s language', async () => {
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
  const path = `/p/${account.id}/offer/ada`;
  const german = await app.visit(path).set('Accept-Language', 'de-CH, en;q=0.5').expect(200);
  expect(german.headers['content-language']).toBe('de');
  expect(german.text).toContain('Dieser Pass ist gültig.');
  const arabic = await app.visit(`${path}?lang=ar`).set('Accept-Language', 'de').expect(200);
  expect(arabic.text).toContain('<html lang="ar" dir="rtl"');
  await app.visit(`${path}?lang=de&lang=fr`).expect(200);
});

it('the page contains the preview image and its size, or another image if the template has no preview image', async () => {
  const url = await app.imageUrl(account.id, '#00ff00');
  const images = app.get(ImagesService);
  const banner = await images.prepare(account.id, url, 'banner', 'offer', 'banner');
  const preview = async (id: string, files: readonly PreparedFile[]) => {
    await account.template('offer', { id, images: { banner: { ...banner, files } } });
    await account.post(`${id}/ada`, {}).expect(200);
    const { text } = await app.visit(`/p/${account.id}/${id}/ada`);
    return [...text.matchAll(/<meta property="og:image(?::width|:height)?" content="([^"]*)">/g)].map(
      ([, value]) => value,
    );
  };
  const imagePath = `http://passes.example/images/${account.id}/`;
  expect(await preview('new', banner.files)).toEqual([
    expect.stringMatching(`^${imagePath}\\w+\\.jpg$`),
    '1200',
    '630',
  ]);
  const old = banner.files.filter(({ name }) => name !== 'preview.jpg');
  expect(await preview('old', old)).toEqual([expect.stringMatching(`^${imagePath}\\w+\\.png$`), '1032', '336']);
});

describe('a web view that does not exist', () => {
  const browser = { Accept: 'text/html,application/xhtml+xml', 'Accept-Language': 'fr' };

  it('404 pass_not_found for an unknown pass, as a page for browsers and as JSON for programs', async () => {
    const path = `/p/${account.id}/offer/none`;
    const page = await app.visit(path).set(browser).expect(404);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
      'content-language': 'fr',
      'cache-control': 'no-store',
      vary: 'Accept, Accept-Language, User-Agent',
    });
    expect(page.text).toContain('<html lang="fr"');
    expect(page.text).toContain('Il n’y a pas de pass ici');
    const { body } = await app.visit(path).expect(404);
    expect(body.code).toBe('pass_not_found');
  });

  it('410 pass_deleted with an explanation for a deleted pass, until another pass has its id', async () => {
    await account.template('offer');
    await account.post('offer/ada', {}).expect(200);
    await account.delete('offer/ada').expect(204);
    const path = `/p/${account.id}/offer/ada`;
    const page = await app.visit(path).set(browser).expect(410);
    expect(page.text).toContain('Ce pass n’est plus valable');
    const { body } = await app.visit(path).expect(410);
    expect(body).toMatchObject({ code: 'pass_deleted', message: expect.stringContaining('"ada"') });
    await account.post('offer/ada', {}).expect(200);
    await app.visit(path).expect(200);
  });

  it('404 for a bundle with an unknown pass, as a page for browsers and as JSON for programs', async () => {
    await account.template('offer');
    const path = `/p/${account.id}/bundle?pass=offer:none`;
    expect((await app.visit(path).set(browser).expect(404)).text).toContain('<html lang="fr"');
    expect((await app.visit(path).expect(404)).body.code).toBe('pass_not_found');
  });
});
