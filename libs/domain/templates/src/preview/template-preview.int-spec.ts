import { spawnSync } from 'node:child_process';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { BlobStorage } from '@passwright/core';
import sharp from 'sharp';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { templateExamples } from '../templates/template-examples.js';
import { anAccount, as, templatesApp } from '../templates.fixtures.js';
import type { PreviewResponse } from './preview.dto.js';
import { StoredPreviewImages } from './stored-preview-images.service.js';

let app: NestExpressApplication;
let server: App;
let accountId: string;

beforeAll(async () => {
  app = await templatesApp();
  server = app.getHttpServer();
});
afterAll(() => app.close());
beforeEach(async () => {
  accountId = await anAccount(app);
});

const { offer, generic } = templateExamples;
const save = (body: object) => request(server).post('/v1/templates/t').set(as({ accountId })).send(body).expect(200);
const see = (query: string, headers: Record<string, string> = {}) =>
  request(server)
    .get(`/v1/templates/t/preview${query}`)
    .set({ ...as({ accountId }), ...headers })
    .buffer(true);
const picture = async (query: string): Promise<Buffer> =>
  (await see(query).responseType('blob').expect(200)).body as Buffer;
const looks = ['walletA', 'walletB', 'web'].flatMap((wallet) =>
  ['light', 'dark'].map((theme) => `wallet=${wallet}&theme=${theme}`),
);
const hasScanner = spawnSync('zbarimg', ['--version']).status === 0;

describe('the preview of a template', () => {
  it('200 with a different PNG for each wallet and theme, in the requested scale', async () => {
    await save(offer.value);
    const pictures = await Promise.all(looks.map((look) => picture(`?format=png&${look}`)));
    expect(new Set(pictures.map((bytes) => bytes.toString('latin1'))).size).toBe(6);
    for (const bytes of pictures) expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 830 });
    const large = await picture('?format=png&scale=3');
    expect((await sharp(large).metadata()).width).toBe(1245);
  });

  const scanned = hasScanner ? it : it.skip;
  scanned(
    `the barcode can be scanned in every picture${hasScanner ? '' : ' (skipped: zbarimg is not installed)'}`,
    async () => {
      await save(generic.value);
      for (const look of looks) {
        const { stdout } = spawnSync('zbarimg', ['-q', '--raw', '-Sbinary', '-'], {
          input: await picture(`?format=png&${look}`),
        });
        expect({ look, code: stdout.toString().trim() }).toEqual({ look, code: 'SAMPLE-0001' });
      }
    },
  );

  it('the preview shows the template’s own images without a request to another server', async () => {
    await save({ ...offer.value, banner: await anImage(await aBanner('#12ef34')) });
    const { body, headers } = await see('?format=svg').expect(200);
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-security-policy': "default-src 'none'; img-src data:",
      'x-content-type-options': 'nosniff',
    });
    expect(body.toString().replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
    for (const look of looks)
      expect(await shareOf(await picture(`?format=png&${look}`), isGreen)).toBeGreaterThan(0.05);
  });

  it('the PNG of the web page shows the background image, with or without transparency', async () => {
    for (const channels of [3, 4] as const) {
      const background = { r: 0, g: 255, b: 0, alpha: 0.9 };
      const bytes = await sharp({ create: { width: 300, height: 500, channels, background } })
        .png()
        .toBuffer();
      await save({ ...offer.value, backgroundColor: '#000', background: await anImage(bytes, 'background') });
      const isGreenish = (r: number, g: number, b: number) => g > 50 && r < 40 && b < 40;
      expect(await shareOf(await picture('?format=png&wallet=web'), isGreenish)).toBeGreaterThan(0.2);
    }
  });

  it('the preview never draws text outside of the pass, however long the text is', async () => {
    const long = 'Wide words without an end '.repeat(8).trim();
    const fields = ['a', 'b', 'c', 'd'].map((key) => ({ key, label: long.slice(0, 60), value: long }));
    const colours = { foregroundColor: '#00ff00', labelColor: '#00ff00', backgroundColor: '#000000' };
    await save({ ...generic.value, ...colours, fields, title: long.slice(0, 60), primaryLabel: long.slice(0, 60) });
    for (const look of looks.filter((each) => !each.includes('walletB'))) {
      const bytes = await picture(`?format=png&${look}`);
      const { width = 0, height = 0 } = await sharp(bytes).metadata();
      expect(await shareOf(bytes, isGreen)).toBeGreaterThan(0.005);
      // Check the left and the right edge of the picture: the space beside the card, and 15 points of the card.
      for (const left of [0, width - 62]) {
        const edge = await sharp(bytes).extract({ left, top: 0, width: 62, height }).png().toBuffer();
        expect({ look, left, share: await shareOf(edge, isGreen) }).toEqual({ look, left, share: 0 });
      }
    }
  });

  it('the JSON preview contains the findings of the lint, the shortened texts and the addresses of the images', async () => {
    const title = 'A summer of twenty per cent off everything in all our shops';
    await save({ ...offer.value, title, foregroundColor: '#aaa', backgroundColor: '#fff' });
    const { body, headers } = await see('').expect(200);
    const { pictures, findings, cut } = body as PreviewResponse;
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
    expect(headers['vary']).toContain('Accept');
    expect(pictures).toHaveLength(6);
    expect(pictures[0]).toEqual({
      wallet: 'walletA',
      theme: 'light',
      svgUrl: 'http://localhost:3000/v1/templates/t/preview?wallet=walletA&theme=light&format=svg',
      pngUrl: 'http://localhost:3000/v1/templates/t/preview?wallet=walletA&theme=light&format=png',
    });
    const lint = await request(server).post('/v1/templates/t/lint').set(as({ accountId })).expect(200);
    expect(findings).toEqual((lint.body as PreviewResponse).findings);
    expect(findings.map(({ rule }) => rule)).toContain('low-contrast');
    expect(cut[0]).toEqual({
      wallet: 'walletA',
      in: 'template',
      path: '$.title',
      text: title,
      shown: expect.stringMatching(/^A summer of .*…$/),
    });
  });

  it('the preview shows a template with artwork both as a poster and as the pass on older systems', async () => {
    const portrait = await sharp({ create: { width: 716, height: 896, channels: 3, background: '#12ef34' } })
      .png()
      .toBuffer();
    await save({ ...offer.value, backgroundColor: '#000', artwork: await anImage(portrait, 'artwork') });
    const greenOf = async (query: string) => shareOf(await picture(`?format=png&${query}`), isGreen);
    for (const theme of ['light', 'dark']) {
      expect(await greenOf(`theme=${theme}`)).toBeGreaterThan(0.2);
      expect(await greenOf(`theme=${theme}&system=ios26`)).toBe(0);
    }
    expect(await greenOf('wallet=web')).toBeGreaterThan(0.2);
    const { pictures } = (await see('').expect(200)).body as PreviewResponse;
    expect(pictures.map(({ wallet, theme, system }) => [wallet, theme, system])).toEqual([
      ...['ios27', 'ios26'].flatMap((system) => ['light', 'dark'].map((theme) => ['walletA', theme, system])),
      ...['walletB', 'web'].flatMap((wallet) => ['light', 'dark'].map((theme) => [wallet, theme, undefined])),
    ]);
    for (const { svgUrl } of pictures) await see(new URL(svgUrl).search).expect(200);
    const { text } = await see('?format=html').expect(200);
    expect(text.match(/<figure><svg /g)).toHaveLength(8);
    expect(text).toContain('<figcaption>iOS 26 and earlier · Dark</figcaption>');
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a browser gets a page with all images, without scripts and with escaped texts', async () => {
    await save({ ...offer.value, title: '</title><script>alert(1)</script>' });
    const browser = { accept: 'text/html,application/xhtml+xml,image/avif,image/png,*/*;q=0.8' };
    const { text, headers } = await see('', browser).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
      'cache-control': 'private, no-cache',
    });
    expect(text.match(/<figure><svg /g)).toHaveLength(6);
    expect(text).not.toContain('<script');
    expect(text).toContain('What the template lint finds');
  });

  it.each([
    ['image/png', 'image/png'],
    ['image/svg+xml', 'image/svg+xml; charset=utf-8'],
    ['text/csv', 'application/json; charset=utf-8'],
  ])('the preview responds to Accept: %s with %s', async (accept, type) => {
    await save(offer.value);
    const { headers } = await see('', { accept }).expect(200);
    expect(headers['content-type']).toBe(type);
  });

  it('304 while the preview has not changed, and 200 after a change of the template', async () => {
    await save(offer.value);
    const queries = ['?format=png', '?format=svg&theme=dark', '?format=json', '?format=html'];
    for (const query of queries) {
      const etag = (await see(query).expect(200)).headers['etag'] ?? '';
      const again = await see(query, { 'if-none-match': etag }).expect(304);
      expect(again.headers['etag']).toBe(etag);
    }
    const { etag = '' } = (await see('?format=png').expect(200)).headers;
    await save({ ...offer.value, title: 'Another title' });
    await see('?format=png', { 'if-none-match': etag }).expect(200);
  });

  it('the service draws each picture once until the template changes, and draws nothing for a 304', async () => {
    await save(offer.value);
    const of = jest.spyOn(app.get(StoredPreviewImages), 'of');
    const drawn = async (query: string, headers = {}) => {
      of.mockClear();
      const { headers: responded } = await see(query, headers);
      return { count: of.mock.calls.length, etag: responded['etag'] ?? '' };
    };
    const { etag, count: first } = await drawn('');
    expect(first).toBeGreaterThan(0);
    expect((await drawn('')).count).toBe(0);
    expect((await drawn('?lang=de', { 'if-none-match': etag })).count).toBe(first);
    // The light images have already been drawn.
    const page = await drawn('?format=html');
    expect(page.count).toBe(first);
    for (const look of looks) expect(await drawn(`?format=png&${look}`)).toMatchObject({ count: 0 });
    expect((await drawn('?format=html', { 'if-none-match': page.etag })).count).toBe(0);
    await save({ ...offer.value, title: 'Another title' });
    const changed = await drawn('', { 'if-none-match': etag });
    expect(changed.count).toBe(first);
    expect((await drawn('', { 'if-none-match': changed.etag })).count).toBe(0);
    of.mockRestore();
  });

  it('the service reads each image from storage once, even if the template changes', async () => {
    await save(offer.value);
    await see('?format=svg').expect(200);
    const get = jest.spyOn(app.get(BlobStorage), 'get');
    await save({ ...offer.value, title: 'Another title' });
    get.mockClear();
    const { body } = await see('?format=svg').expect(200);
    expect(body.toString()).toContain('data:image/png');
    expect(get).not.toHaveBeenCalled();
    get.mockRestore();
  });

  it('the preview shows passes of an archived template as void', async () => {
    await save(offer.value);
    await request(server).post('/v1/templates/t/archive').set(as({ accountId })).expect(200);
    expect((await see('?format=svg&wallet=web').expect(200)).body.toString()).toContain(
      'This pass is no longer valid.',
    );
  });

  it('the preview omits an image that storage has lost', async () => {
    await save(offer.value);
    const get = jest.spyOn(app.get(BlobStorage), 'get').mockResolvedValue(null);
    await see('?format=png&theme=dark').expect(200);
    get.mockRestore();
  });

  it('the preview uses the requested language', async () => {
    await save(offer.value);
    const svg = async (lang: string) => (await see(`?format=svg&wallet=web&lang=${lang}`).expect(200)).body.toString();
    expect(await svg('de')).not.toBe(await svg('en'));
    expect(await svg('xx')).toBe(await svg('en'));
  });

  it('404 template_not_found for an unknown template and for a template of another account', async () => {
    await save(offer.value);
    const other = as({ accountId: await anAccount(app) });
    for (const format of ['png', 'svg', 'html', 'json']) {
      const { body } = await see(`?format=${format}`, other).expect(404);
      expect(body.code).toBe('template_not_found');
    }
  });

  it.each(['wallet=apple', 'theme=blue', 'format=pdf', 'scale=4', 'system=ios18', 'size=2'])(
    '400 validation_failed for the query ?%s',
    async (query) => {
      const { body } = await see(`?${query}`).expect(400);
      expect(body.code).toBe('validation_failed');
      expect(body.message).toContain(query.split('=')[0]);
    },
  );
});

const aBanner = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 1125, height: 432, channels: 3, background } })
    .png()
    .toBuffer();

async function anImage(bytes: Buffer, purpose: 'banner' | 'background' | 'artwork' = 'banner'): Promise<string> {
  const { body } = await request(server)
    .post('/v1/templates/t/images')
    .set(as({ accountId }))
    .attach(purpose, bytes, `${purpose}.png`)
    .expect(200);
  return (body as Record<typeof purpose, string>)[purpose];
}

/** Returns true for green colours such as `#12ef34` and `#00ff00`. */
const isGreen = (r: number, g: number, b: number) => g > 180 && r < 80 && b < 100;

async function shareOf(png: Buffer, is: (r: number, g: number, b: number) => boolean): Promise<number> {
  const { data } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  let count = 0;
  for (let at = 0; at < data.length; at += 3) if (is(data[at]!, data[at + 1]!, data[at + 2]!)) count++;
  return count / (data.length / 3);
}
