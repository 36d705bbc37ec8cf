import { createHash } from 'node:crypto';
import { BlobStorage, Signer } from '@passwright/core';
import { Database } from '@passwright/database';
import { ImagesService } from '@passwright/images';
import { Template, TemplatesService } from '@passwright/templates';
import type { Translations } from '@passwright/wallet-renderers';
import type { Response } from 'supertest';
import { unpacked } from '../phone.fixtures.js';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { ApplePassesService } from './apple-passes.service.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.500Z');
  account = await app.account();
});
afterEach(() => jest.restoreAllMocks());

const path = (id: string) => `/v1/pass/${account.id}/${id}/walletA`;

function download(id: string, headers: Record<string, string> = {}): Promise<Response> {
  return app.visit(path(id)).set(headers).responseType('blob');
}

async function passJson(id: string): Promise<Record<string, unknown>> {
  const files = await unpacked((await download(id)).body);
  return JSON.parse(files.get('pass.json')!.toString()) as Record<string, unknown>;
}

describe('the Apple Wallet package', () => {
  it('the package contains the texts of each language, and changed texts create a new package', async () => {
    const change = async (translations: Translations | null) => {
      await app.get(Database).reads.update(Template, { accountId: account.id, id: 'offer' }, { translations });
      await app.get(TemplatesService).renew(account.id, 'offer');
    };
    await account.template('offer', { translations: { de: { title: 'Rabatt' } } });
    await account.post('offer/ada', {}).expect(200);
    const before = await download('offer/ada');
    const files = await unpacked(before.body);
    const manifest = JSON.parse(files.get('manifest.json')!.toString()) as Record<string, string>;
    const german = files.get('de.lproj/pass.strings')!;
    expect(german.toString()).toContain('= "Rabatt";');
    expect(manifest['de.lproj/pass.strings']).toBe(createHash('sha1').update(german).digest('hex'));
    expect([...files.keys()]).toContain('en.lproj/pass.strings');

    await change({ de: { title: 'Nachlass' } });
    const after = await download('offer/ada', { 'If-None-Match': before.headers.etag as string });
    expect(after.status).toBe(200);
    expect((await unpacked(after.body)).get('de.lproj/pass.strings')!.toString()).toContain('= "Nachlass";');
    await change({});
    expect([...(await unpacked((await download('offer/ada')).body)).keys()].join()).not.toContain('lproj');
  });

  it('the tickets of a group have the same groupingIdentifier, which no other group or account has', async () => {
    const groupOf = async (id: string) => (await passJson(id)).groupingIdentifier;
    await account.template('event');
    await account.template('event', { id: 'parking' });
    await account.post('event/ada', { group: { id: 'order-1' } }).expect(200);
    await account.post('parking/ada', { group: { id: 'order-1', order: 2 } }).expect(200);
    await account.post('event/eve', { group: { id: 'order-2' } }).expect(200);
    const group = await groupOf('event/ada');
    expect(group).toMatch(/^[\w-]{22}$/);
    expect(await groupOf('parking/ada')).toBe(group);
    expect(await groupOf('event/eve')).not.toBe(group);
    await account.patch('event/ada', { group: null }).expect(200);
    expect(await groupOf('event/ada')).toBeUndefined();
    account = await app.account();
    await account.template('event');
    await account.post('event/ada', { group: { id: 'order-1' } }).expect(200);
    expect(await groupOf('event/ada')).not.toBe(group);
  });

  it('the package has images in a folder for each language, but not at the root', async () => {
    const prepare = (colour: string, purpose: 'logo' | 'thumbnail') =>
      app
        .imageUrl(account.id, colour)
        .then((url) => app.get(ImagesService).prepare(account.id, url, purpose, 'generic', purpose));
    const localisedImages = {
      de: { logo: await prepare('#ff0000', 'logo'), thumbnail: await prepare('#00ff00', 'thumbnail') },
    };
    const translations = { de: { 'images.logo': 'x', 'images.thumbnail': 'x' }, fr: { title: 'Cadeau' } };
    const { images } = await account.template('generic', { translations, localisedImages });
    await account.post('generic/ada', { primaryValue: '1' }).expect(200);
    const files = await unpacked((await download('generic/ada')).body);
    const names = [...files.keys()];
    const expected = ['logo', 'thumbnail'].flatMap((name) => ['', '@2x', '@3x'].map((scale) => `${name}${scale}.png`));
    expect(names.filter((name) => /^(?:logo|thumbnail)/.test(name))).toEqual([]);
    expect(names).toContain('icon.png');
    for (const language of ['en', 'de', 'fr']) {
      expect(names.filter((name) => name.startsWith(`${language}.lproj/`)).sort()).toEqual(
        [...expected, 'pass.strings'].map((name) => `${language}.lproj/${name}`).sort(),
      );
    }
    const [own] = await app.get(ImagesService).appleFiles([images.logo!]);
    const [german] = await app.get(ImagesService).appleFiles([localisedImages.de.logo]);
    expect(Buffer.from(own!.data).equals(files.get(`fr.lproj/${own!.name}`)!)).toBe(true);
    expect(Buffer.from(german!.data).equals(files.get(`de.lproj/${german!.name}`)!)).toBe(true);
    expect(files.get('de.lproj/logo.png')).not.toEqual(files.get('en.lproj/logo.png'));

    const thumbnail = await app.imageUrl(account.id, '#0000ff');
    await account.post('generic/bob', {
      primaryValue: '1',
      thumbnail,
      language: 'sv',
      translations: { sv: { primaryValue: 'ett' } },
    });
    const ofBob = [...(await unpacked((await download('generic/bob')).body)).keys()];
    expect(ofBob.filter((name) => name.includes('thumbnail@2x'))).toEqual(['thumbnail@2x.png']);
    expect(ofBob.filter((name) => name.endsWith('/logo@2x.png')).sort()).toEqual(
      ['de', 'en', 'fr', 'sv'].map((language) => `${language}.lproj/logo@2x.png`),
    );
  });

  it.each([
    ['offer', 'coupon', {}],
    ['event', 'eventTicket', {}],
    ['generic', 'generic', { primaryValue: '12' }],
    ['membership', 'storeCard', { primaryValue: 'Ada' }],
  ] as const)(
    'the service serves a pass of type %s as a complete archive whose manifest names every file',
    async (type, style, request) => {
      await account.template(type);
      await account.post(`${type}/ada`, { ...request, code: 'ONE' }).expect(200);
      const { status, headers, body } = await download(`${type}/ada`);
      const files = await unpacked(body);

      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/vnd.apple.pkpass',
        'content-disposition': `attachment; filename="${type}.pkpass"`,
        'content-length': String(body.length),
        'cache-control': 'private, no-cache',
        'last-modified': 'Fri, 20 Nov 2026 10:00:00 GMT',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        'passwright-signing': 'development',
        etag: expect.stringMatching(/^W\/"[\w.]+"$/),
      });
      const { 'manifest.json': manifest, signature, ...content } = Object.fromEntries(files);
      const hashes = Object.entries(content).map(([name, data]) => [
        name,
        createHash('sha1').update(data).digest('hex'),
      ]);
      expect(JSON.parse(manifest!.toString())).toEqual(Object.fromEntries(hashes));
      expect(signature).toEqual(Buffer.from(await app.signer.sign(account.id, manifest!)));
      expect(Object.keys(content)).toEqual(
        expect.arrayContaining(['icon.png', 'icon@2x.png', 'icon@3x.png', 'pass.json']),
      );
      expect(JSON.parse(content['pass.json']!.toString())).toMatchObject({
        passTypeIdentifier: 'pass.com.example.test',
        teamIdentifier: 'TESTTEAM01',
        webServiceURL: 'http://passes.example',
        barcodes: [{ message: 'ONE' }],
        [style]: expect.anything(),
      });
    },
  );

  it('the authentication token of a pass never changes, because it depends only on the serial number and a secret', async () => {
    await account.template('offer');
    await account.post('offer/ada', {});
    const first = await passJson('offer/ada');
    await account.patch('offer/ada', { code: 'NEW' });
    const { serialNumber, authenticationToken } = await passJson('offer/ada');

    expect({ serialNumber, authenticationToken }).toEqual({
      serialNumber: first.serialNumber,
      authenticationToken: app.get(ApplePassesService).authenticationToken(String(serialNumber)),
    });
    expect(authenticationToken).toMatch(/^[\w-]{43}$/);
  });

  it('503 wallet_unavailable if the certificate changes between the building and the signing of a package', async () => {
    await account.template('offer');
    await account.post('offer/ada', {}).expect(200);
    const identity = await app.signer.identity(account.id);
    jest.spyOn(app.signer, 'identity').mockResolvedValueOnce({ ...identity, fingerprint: 'f'.repeat(64) });
    expect((await download('offer/ada')).status).toBe(503);
    expect((await download('offer/ada')).status).toBe(200);
  });

  it('the package contains the pass’s own thumbnail instead of the template’s, and does not contain metadata', async () => {
    await account.template('generic');
    const thumbnail = await app.imageUrl(account.id, '#ff0000');
    await account.post('generic/ada', { primaryValue: '1', thumbnail, metadata: { secret: 'hush' } }).expect(200);
    await account.post('generic/bob', { primaryValue: '1' }).expect(200);
    const [own, shared] = await Promise.all(
      ['ada', 'bob'].map(async (id) => unpacked((await download(`generic/${id}`)).body)),
    );

    expect([...own!.keys()].sort()).toEqual([...shared!.keys()].sort());
    expect(own!.get('thumbnail@2x.png')).not.toEqual(shared!.get('thumbnail@2x.png'));
    expect(own!.get('icon.png')).toEqual(shared!.get('icon.png'));
    expect([...own!.values()].some((data) => data.includes('hush'))).toBe(false);
  });

  it('the package of a pass is void if the pass is void or redeemed, or its template is archived', async () => {
    await account.template('offer');
    await account.post('offer/ada', {});
    expect(await passJson('offer/ada')).not.toHaveProperty('voided');
    await account.post('offer/ada/void').expect(200);
    expect(await passJson('offer/ada')).toHaveProperty('voided', true);
    await account.post('offer/ada/unvoid').expect(200);
    await account.archive('offer');
    expect(await passJson('offer/ada')).toHaveProperty('voided', true);
    await account.unarchive('offer');
    await account.post('offer/ada/redeem').expect(200);
    expect(await passJson('offer/ada')).toHaveProperty('voided', true);
  });
});

describe('conditional requests for a package', () => {
  let etag: string;
  let lastModified: string;

  beforeEach(async () => {
    await account.template('offer');
    await account.post('offer/ada', {}).expect(200);
    const { headers } = await app.head(path('offer/ada'));
    [etag, lastModified] = [headers.etag!, headers['last-modified']!];
  });

  it('304, for which the service signs no package; If-None-Match takes precedence over If-Modified-Since', async () => {
    const sign = jest.spyOn(app.signer, 'sign');
    const later = 'Fri, 20 Nov 2026 11:00:00 GMT';
    const conditions: [number, Record<string, string>][] = [
      [304, { 'If-None-Match': etag }],
      [304, { 'If-None-Match': `"other", ${etag.slice(2)}` }],
      [304, { 'If-None-Match': '*' }],
      [304, { 'If-Modified-Since': lastModified }],
      [304, { 'If-None-Match': etag, 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
    ];
    for (const [status, headers] of conditions) {
      const reply = await download('offer/ada', headers);
      expect([reply.status, reply.headers.etag, reply.body.length]).toEqual([status, etag, 0]);
    }
    expect(sign).not.toHaveBeenCalled();
    const outdated: Record<string, string>[] = [
      { 'If-None-Match': '"other"', 'If-Modified-Since': later },
      { 'If-Modified-Since': 'Fri, 20 Nov 2026 09:59:59 GMT' },
      // This time belongs to a version that a restore has undone.
      { 'If-Modified-Since': later },
      { 'If-Modified-Since': 'whenever' },
    ];
    for (const headers of outdated) {
      expect((await download('offer/ada', headers)).status).toBe(200);
    }
  });

  it('the service serves a new package after a change of the pass, the template or the certificate, but not of the metadata', async () => {
    const isCurrent = async () => (await download('offer/ada', { 'If-None-Match': etag })).status === 304;
    await account.patch('offer/ada/metadata', { metadata: { a: 1 } });
    expect(await isCurrent()).toBe(true);
    await account.archive('offer');
    expect(await isCurrent()).toBe(false);
    etag = (await app.head(path('offer/ada'))).headers.etag!;
    await account.patch('offer/ada', { code: 'NEW' });
    expect(await isCurrent()).toBe(false);
    etag = (await app.head(path('offer/ada'))).headers.etag!;
    expect(await isCurrent()).toBe(true);
    const identity = await app.get(Signer).identity(account.id);
    jest.spyOn(app.signer, 'identity').mockResolvedValue({ ...identity, fingerprint: 'f'.repeat(64) });
    expect(await isCurrent()).toBe(false);
  });

  it('Last-Modified and If-Modified-Since distinguish several changes of a pass or template within a second', async () => {
    const current = (since: string) => app.head(path('offer/ada')).set('If-Modified-Since', since);
    const seen = async () => (await app.head(path('offer/ada'))).headers['last-modified']!;
    const outdated = new Set([lastModified]);
    app.clock.set('2026-11-20T10:05:00.500Z');
    for (const change of [
      () => account.archive('offer'),
      () => account.unarchive('offer'),
      () => account.post('offer/ada/void').expect(200),
      () => account.archive('offer'),
      () => account.unarchive('offer'),
    ]) {
      outdated.add(await seen());
      await change();
      for (const since of outdated) {
        expect((await current(since)).status).toBe(200);
        expect(Date.parse(await seen()) - Date.parse(since)).toBeGreaterThanOrEqual(1000);
      }
      expect((await current(await seen())).status).toBe(304);
    }
  });

  it('HEAD returns the headers of GET, but does not sign a package', async () => {
    const { headers: got } = await download('offer/ada');
    const sign = jest.spyOn(app.signer, 'sign');
    const { status, headers } = await app.head(path('offer/ada'));
    const names = ['content-type', 'content-disposition', 'etag', 'last-modified', 'passwright-signing'];
    expect([status, ...names.map((name) => headers[name])]).toEqual([200, ...names.map((name) => got[name])]);
    expect(sign).not.toHaveBeenCalled();
  });
});

describe('the prepared images of templates', () => {
  it('the service reads images once, even for simultaneous requests and for a new revision with the same images', async () => {
    await account.template('offer');
    await Promise.all(['a', 'b', 'c'].map((id) => account.post(`offer/${id}`, {}).expect(200)));
    const reads = jest.spyOn(app.get(BlobStorage), 'get');
    await Promise.all(['a', 'b', 'c', 'a', 'b', 'c'].map((id) => download(`offer/${id}`)));
    expect(new Set(reads.mock.calls.flat()).size).toBe(reads.mock.calls.length);

    reads.mockClear();
    await download('offer/a');
    await account.archive('offer');
    await download('offer/a');
    expect(reads).not.toHaveBeenCalled();
  });

  it('the service loads new images for a new template that has the id and revision of a deleted template', async () => {
    await account.template('offer', { title: 'First' });
    await account.post('offer/ada', {});
    expect((await passJson('offer/ada')).description).toMatch(/^First/);
    await account.delete('offer/ada');
    await app.get(Database).reads.query('DELETE FROM template WHERE account_id = $1', [account.id]);
    await account.template('offer', { title: 'Second', createdAt: new Date('2026-11-20T11:00:00Z') });
    await account.post('offer/ada', {});
    expect((await passJson('offer/ada')).description).toMatch(/^Second/);
  });

  it('the service keeps prepared images of templates only within the memory limit', async () => {
    for (let i = 0; i < 12; i++) {
      await account.template('offer', {
        id: `t${i}`,
        backFields: [{ key: 'k', label: 'K', value: 'x'.repeat(100_000) }],
      });
      await account.post(`t${i}/ada`, {}).expect(200);
      expect((await download(`t${i}/ada`)).status).toBe(200);
    }
    const reads = jest.spyOn(app.get(BlobStorage), 'get');
    await download('t11/ada');
    expect(reads).not.toHaveBeenCalled();
    await download('t0/ada');
    expect(reads).toHaveBeenCalled();
  });
});

it('404 pass_not_found for a missing pass, template or account, with the same body', async () => {
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
  await account.expectNoPasses((address) => `/v1/pass/${address}/walletA`);
});

describe('the barcode of a package', () => {
  it('the service serves a new version of a pass when the template’s barcode format changes', async () => {
    await saveTemplate();
    await account.post('offer/ada', { code: 'HH-42' }).expect(200);
    expect(await barcodeOf('ada')).toBe('PKBarcodeFormatQR');

    app.clock.advance(60);
    await saveTemplate('code128');
    expect(await barcodeOf('ada')).toBe('PKBarcodeFormatCode128');
  });

  it('400 for a new code that does not fit the barcode format; an existing code that does not fit becomes a QR code', async () => {
    await saveTemplate();
    await account.post('offer/old', { code: 'Ж-42' }).expect(200);
    await saveTemplate('code128');

    const rejected = await account.post('offer/new', { code: 'Ж-43' }).expect(400);
    expect(rejected.body).toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^code: "Ж-43" holds/),
    });
    const long = await account.post('offer', { code: 'x'.repeat(41) }).expect(400);
    expect(long.body.message).toMatch(/41 bytes, and its barcode is Code 128; at most 40 bytes/);

    await account.patch('offer/old', { fields: [{ key: 'a', label: 'A', value: 'B' }] }).expect(200);
    await account.patch('offer/old', { code: 'Ж-44' }).expect(400);
    expect(await barcodeOf('old')).toBe('PKBarcodeFormatQR');
  });

  it('400 validation_failed for a wrong or missing check digit, with the correct code in the message', async () => {
    await saveTemplate('ean13');
    const wrong = await account.post('offer', { code: '4006381333932' }).expect(400);
    expect(wrong.body).toMatchObject({
      code: 'validation_failed',
      message:
        'code: the check digit of "4006381333932" must be 1, not 2; send "4006381333931" if the other digits are right',
    });
    const short = await account.post('offer', { code: '400638133393' }).expect(400);
    expect(short.body.message).toBe('code: "400638133393" lacks its check digit; send "4006381333931"');
    await account.post('offer', { id: 'ean', code: '4006381333931' }).expect(201);
    expect(await barcodeOf('ean')).toBe('PKBarcodeFormatEAN13');
  });

  it('a pass can be changed even if its old code does not fit the barcode format', async () => {
    await saveTemplate();
    await account.post('offer/earlier', { code: 'HH-42' }).expect(200);
    await saveTemplate('ean13');
    await account.post('offer/chosen', {}).expect(200);
    for (const pass of ['earlier', 'chosen']) {
      const fields = [{ key: 'a', label: 'A', value: 'B' }];
      const { code } = (await account.patch(`offer/${pass}`, { fields }).expect(200)).body.pass;
      expect((await account.post(`offer/${pass}`, {}).expect(200)).body.pass).toMatchObject({ code });
      expect(await barcodeOf(pass)).toBe('PKBarcodeFormatQR');
      await account.patch(`offer/${pass}`, { code: '400638133393X' }).expect(400);
    }
  });

  it('the service generates codes that fit every barcode format', async () => {
    for (const codeFormat of ['pdf417', 'aztec', 'code128', 'code39', 'codabar']) {
      await saveTemplate(codeFormat);
      await account.post('offer', { id: codeFormat }).expect(201);
      expect((await barcodeOf(codeFormat))?.toLowerCase()).toBe(`pkbarcodeformat${codeFormat}`);
    }
  });
});

describe('the package of a template with artwork', () => {
  it('a package with artwork contains the poster in addition to the unchanged classic style', async () => {
    await saveTemplate();
    await account.post('offer', { id: 'ada', code: 'ONE' }).expect(201);
    const before = await unpacked((await download('offer/ada')).body);
    app.clock.advance(60);
    await saveTemplate('qr', { artwork: await app.imageUrl(account.id, '#12ef34') });
    const after = await unpacked((await download('offer/ada')).body);
    const poster = ['artwork', 'primaryLogo'].flatMap((name) =>
      ['', '@2x', '@3x'].map((scale) => `${name}${scale}.png`),
    );
    expect([...after.keys()].filter((name) => !before.has(name)).sort()).toEqual(poster.sort());
    for (const [name, data] of before) {
      if (!/^(pass|manifest)\.json$|^signature$/.test(name)) expect(after.get(name)).toEqual(data);
    }
    const [old, current] = [before, after].map((files) => JSON.parse(files.get('pass.json')!.toString()) as object);
    expect(current).toEqual({ ...old, posterGeneric: expect.objectContaining({ headerFields: [] }) });
  });
});

async function saveTemplate(codeFormat?: string, changes: object = {}): Promise<void> {
  const image = await app.imageUrl(account.id, '#336699');
  const look = { foregroundColor: '#fff', backgroundColor: '#103060', icon: image, logo: image, banner: image };
  const body = { ...look, title: 'Autumn concert', issuerName: 'Harbour Hall', codeFormat, ...changes };
  await app.send('post', '/v1/templates/offer', account.id).send(body).expect(200);
}

async function barcodeOf(passId: string): Promise<string | undefined> {
  const { barcodes } = (await passJson(`offer/${passId}`)) as { barcodes?: { format: string }[] };
  return barcodes?.[0]?.format;
}
