import type { NestExpressApplication } from '@nestjs/platform-express';
import { BlobStorage } from '@passwright/core';
import { sampleUrl } from '@passwright/images';
import sharp from 'sharp';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { templateExamples } from '../templates/template-examples.js';
import { anAccount, as, templatesApp } from '../templates.fixtures.js';
import type { DraftPreviewResponse } from './draft-preview.dto.js';

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

const { offer, membership } = templateExamples;
const post = (path: string, body?: object) =>
  request(server).post(`/v1/templates/${path}`).set(as({ accountId })).send(body);
const see = async (body: object, query = '') =>
  (await post(`t/preview${query}`, body).expect(200)).body as DraftPreviewResponse;
const imagesIn = ({ pictures }: DraftPreviewResponse) => pictures.map(({ svg }) => svg.match(/data:image/g)?.length);

describe('the preview of a draft', () => {
  it('200 with one picture for each wallet and theme, without storing the draft', async () => {
    const response = await post('t/preview', { template: offer.value }).expect(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const { pictures, cut } = response.body as DraftPreviewResponse;
    expect(pictures.map(({ wallet, theme }) => `${wallet} ${theme}`)).toEqual([
      ...['walletA light', 'walletA dark', 'walletB light', 'walletB dark', 'web light', 'web dark'],
    ]);
    for (const { svg } of pictures) expect(svg).toMatch(/^<svg [^]*<\/svg>$/);
    expect(cut).toEqual([]);
    await request(server).get('/v1/templates/t').set(as({ accountId })).expect(404);
  });

  it('the pictures of a draft equal the pictures of the template after it is saved', async () => {
    const { pictures } = await see({ template: offer.value });
    await post('t', offer.value).expect(200);
    for (const { wallet, theme, svg } of pictures) {
      const path = `/v1/templates/t/preview?format=svg&wallet=${wallet}&theme=${theme}`;
      const { body } = await request(server).get(path).set(as({ accountId })).buffer(true).expect(200);
      expect((body as Buffer).toString()).toBe(svg);
    }
    expect((await see({})).pictures).toEqual(pictures);
  });

  it('the response to `?theme=dark` contains only dark pictures', async () => {
    const { pictures } = await see({ template: offer.value }, '?theme=dark');
    expect(pictures.map(({ theme }) => theme)).toEqual(['dark', 'dark', 'dark']);
  });

  it('the pictures show uploads, but no images from other servers', async () => {
    const bytes = await sharp({ create: { width: 1125, height: 432, channels: 3, background: '#12ef34' } })
      .png()
      .toBuffer();
    const { body } = await request(server)
      .post('/v1/templates/t/images')
      .set(as({ accountId }))
      .attach('banner', bytes, 'banner.png')
      .expect(200);
    const put = jest.spyOn(app.get(BlobStorage), 'put');
    const { banner: _, ...bare } = offer.value as unknown as Record<string, unknown>;
    const without = imagesIn(await see({ template: bare }));
    const own = imagesIn(await see({ template: { ...bare, banner: (body as { banner: string }).banner } }));
    const other = imagesIn(await see({ template: { ...bare, banner: 'https://other.example/banner.png' } }));
    expect(put).not.toHaveBeenCalled();
    put.mockRestore();
    expect(own).toEqual(without.map((count = 0) => count + 1));
    expect(other).toEqual(without);
  });

  it('the pictures show the actions of a draft, and its artwork as a poster with the logo', async () => {
    const artwork = sampleUrl('artwork');
    const actions = [{ type: 'shop', url: 'https://example.com/shop' }];
    const response = await see({ template: { ...offer.value, artwork, actions } });
    for (const { svg } of response.pictures) expect(svg).toContain('Shop online');
    const [poster] = imagesIn(response);
    const { logo: _, ...bare } = offer.value as unknown as Record<string, unknown>;
    const [withoutLogo] = imagesIn(await see({ template: { ...bare, artwork, actions } }));
    expect(poster).toBe((withoutLogo ?? 0) + 1);
  });

  it('the pictures are in the requested language, or else in the template’s own language', async () => {
    const template = { ...offer.value, title: 'Sale', fields: [{ key: 'seat', label: 'Seat', value: '12' }] };
    const translations = { fr: { title: 'Soldes' } };
    const pass = { language: 'fr', translations: { fr: { 'fields.seat.value': 'douze' } } };
    const titles = async (query: string) =>
      (await see({ template: { ...template, translations }, pass }, query)).pictures.map(({ svg }) =>
        ['Soldes', 'Sale', 'douze'].filter((text) => svg.includes(text)),
      );
    expect(await titles('?theme=light&lang=fr')).toEqual(Array(3).fill(['Soldes', 'douze']));
    expect(await titles('?theme=light')).toEqual(Array(3).fill(['Sale']));
  });

  it('the pictures of an unsaved template show the images of the requested language, except in Google Wallet', async () => {
    const bytes = await sharp({ create: { width: 480, height: 150, channels: 3, background: '#12ef34' } })
      .png()
      .toBuffer();
    const upload = request(server).post('/v1/templates/t/images').set(as({ accountId }));
    const { logo } = (await upload.attach('logo', bytes, 'logo.png').expect(200)).body as { logo: string };
    const template = { ...offer.value, translations: { de: { 'images.logo': logo } } };
    const inLanguage = async (lang: string) =>
      (await see({ template }, `?theme=light${lang}`)).pictures.map(({ svg }) => svg);
    const [own, german] = [await inLanguage(''), await inLanguage('&lang=de')];
    const plain = (await see({ template: offer.value }, '?theme=light')).pictures.map(({ svg }) => svg);
    expect(own).toEqual(plain);
    const isOwn = german.map((svg, index) => {
      return svg.match(/data:image[^"]*/g)?.join() === own[index]?.match(/data:image[^"]*/g)?.join();
    });
    expect(isOwn).toEqual([false, true, false]);
    await post('t', template).expect(200);
    expect((await see({}, '?theme=light&lang=de')).pictures.map(({ svg }) => svg)).toEqual(german);
    for (const [index, wallet] of ['walletA', 'walletB', 'web'].entries()) {
      const stored = `/v1/templates/t/preview?format=svg&lang=de&wallet=${wallet}`;
      const { body } = await request(server).get(stored).set(as({ accountId })).buffer(true).expect(200);
      expect((body as Buffer).toString()).toBe(german[index]);
    }
  });

  it('the pictures show the group of a pass and its linked passes', async () => {
    await post('parking', { ...offer.value, title: 'Parking space' }).expect(200);
    const template = { ...offer.value, title: 'Harbour sale' };
    const dots = ({ pictures }: DraftPreviewResponse) =>
      pictures.map(({ svg }) => svg.match(/width="7" height="7" rx="3.5"/g)?.length ?? 0);
    const listed = ({ pictures }: DraftPreviewResponse) => pictures.map(({ svg }) => svg.includes('Parking space'));
    const linkedPasses = [
      { templateId: 'parking', passId: 'ada' },
      { templateId: 'unknown', passId: 'ada' },
    ];
    const response = await see({ template, pass: { group: { id: 'order-1' }, linkedPasses } }, '?theme=light');
    expect([dots(response), listed(response)]).toEqual([
      [0, 3, 0],
      [false, false, true],
    ]);
    const plain = await see({ template, pass: { group: null, linkedPasses: [] } }, '?theme=light');
    expect([dots(plain), listed(plain)]).toEqual([
      [0, 0, 0],
      [false, false, false],
    ]);
    const translations = { 'pt-BR': { title: 'Vaga', issuerName: 'Porto' } };
    await post('parking', { ...offer.value, title: 'Parking space', translations }).expect(200);
    const portuguese = await see({ template, pass: { linkedPasses } }, '?theme=light&lang=pt');
    expect(portuguese.pictures.map(({ svg }) => svg.includes('Vaga') && svg.includes('Porto'))).toEqual([
      ...[false, false, true],
    ]);
    const odd = { group: { id: '' }, linkedPasses: [3, { templateId: 4 }] };
    expect((await see({ template, pass: odd }, '?theme=light')).pictures).toEqual(plain.pictures);
  });

  it('`?system=ios26` shows a pass with artwork or actions as older systems do', async () => {
    const actions = [{ type: 'shop', url: 'https://example.com/shop' }];
    const template = { ...offer.value, artwork: sampleUrl('artwork'), actions };
    const systems = async (query: string) => (await see({ template }, query)).pictures.map(({ system }) => system);
    expect(await systems('?theme=light')).toEqual(['ios27', undefined, undefined]);
    expect(await systems('?theme=light&system=ios26')).toEqual(['ios26', undefined, undefined]);
    const [older] = (await see({ template }, '?theme=light&system=ios26')).pictures;
    expect(older?.svg).not.toContain('Shop online');
    await post('t', template).expect(200);
    const stored = '/v1/templates/t/preview?format=svg&wallet=walletA&system=ios26';
    const { body } = await request(server).get(stored).set(as({ accountId })).buffer(true).expect(200);
    expect((body as Buffer).toString()).toBe(older?.svg);
    const plain = await see({ template: offer.value }, '?theme=light&system=ios26');
    expect(plain.pictures.map(({ system }) => system)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['code39', 'ios26'],
    ['code128', undefined],
  ])(
    '`?system=ios26` changes the picture of a pass with a %s barcode only if older systems cannot draw that format',
    async (codeFormat, system) => {
      const { pictures } = await see({ template: { ...offer.value, codeFormat } }, '?theme=light&system=ios26');
      expect(pictures.map((picture) => picture.system)).toEqual([system, undefined, undefined]);
    },
  );

  it('the pictures show the readable part of a draft with mistakes, and the findings name the mistakes', async () => {
    const { pictures, findings } = await see({ template: { ...offer.value, backgroundColor: '#12', title: '' } });
    expect(pictures).toHaveLength(6);
    const errors = findings.filter(({ severity }) => severity === 'error').map(({ path }) => path);
    expect(errors).toEqual(expect.arrayContaining(['$.backgroundColor', '$.title']));
  });

  it('the pictures show a pass before it is issued', async () => {
    await post('t', membership.value).expect(200);
    const { pictures } = await see({ pass: { primaryValue: 'Grace Hopper' } }, '?theme=light');
    for (const { svg } of pictures) expect(svg).toContain('Grace Hopper');
  });

  it('404 template_not_found without a draft, for an unknown template and for another account’s template', async () => {
    await post('t', offer.value).expect(200);
    const unknown = await post('u/preview', {}).expect(404);
    accountId = await anAccount(app);
    const foreign = await post('t/preview', {}).expect(404);
    for (const { body } of [unknown, foreign]) expect((body as { code: string }).code).toBe('template_not_found');
  });

  it.each([
    [{ template: 'x' }, ''],
    [{ other: {} }, ''],
    [{}, '?theme=blue'],
    [{}, '?system=ios12'],
    [{}, '?wallet=walletA'],
  ])('400 validation_failed for the body %j and the query "%s"', async (sent, query) => {
    const { body } = await post(`t/preview${query}`, sent).expect(400);
    expect((body as { code: string }).code).toBe('validation_failed');
  });
});
