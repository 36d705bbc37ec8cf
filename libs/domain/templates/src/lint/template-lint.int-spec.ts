import type { NestExpressApplication } from '@nestjs/platform-express';
import { lintRules, type Finding } from '@passwright/wallet-renderers';
import sharp from 'sharp';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { ImageInspector, ImagesService, sampleUrl } from '@passwright/images';
import { pngOf } from '@passwright/testing/images';
import { templateExamples } from '../templates/template-examples.js';
import type { LintResponse } from './template-lint.dto.js';
import { TemplateImageFacts } from './template-image-facts.service.js';
import { TemplateLint } from './template-lint.service.js';
import { anAccount, as, templatesApp } from '../templates.fixtures.js';
import { TemplatesService } from '../templates/templates.service.js';

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

const post = (path: string, body?: object) =>
  request(server).post(`/v1/templates/${path}`).set(as({ accountId })).send(body);
const lint = async (body?: object): Promise<LintResponse> =>
  (await post('t/lint', body).expect(200)).body as LintResponse;
const save = (body: object) => post('t', body).expect(200);
const { offer, event, generic, membership } = templateExamples;
const imageFindings = ({ findings }: LintResponse) =>
  findings.filter(({ rule }) => rule.startsWith('image-')).map(({ rule, path }) => `${rule} ${path}`);
const rulesOf = ({ findings }: { findings: readonly Finding[] }) => findings.map(({ rule }) => rule);

describe('linting a template', () => {
  it('200 with the findings for the stored template, without changing it', async () => {
    const saved = await save({ ...offer.value, foregroundColor: '#aaa', backgroundColor: '#fff', backFields: [] });
    const response = await lint();
    expect(response.errors).toBe(0);
    expect(response.warnings).toBe(response.findings.filter(({ severity }) => severity === 'warning').length);
    expect(response.findings).toContainEqual({
      rule: 'low-contrast',
      in: 'template',
      path: '$.foregroundColor',
      severity: 'warning',
      wallet: 'all',
      message: '"#aaa" on "#fff" has a contrast of 2.32 to 1',
      fix: 'choose colours with a contrast of at least 4.5 to 1',
    });
    expect(rulesOf(response)).toEqual(expect.arrayContaining(['no-contact', 'web-service-not-https']));
    const { body } = await request(server).get('/v1/templates/t').set(as({ accountId }));
    expect(body).toEqual(saved.body);
  });

  it('an absent body, an empty body and null values get the same response', async () => {
    await save(offer.value);
    const response = await lint();
    expect(await lint({})).toEqual(response);
    expect(await lint({ template: null, pass: null })).toEqual(response);
  });

  it.each(Object.entries({ offer, event, generic, membership }))(
    'the service finds no error in the example of type %s',
    async (_, { value }) => {
      expect((await lint({ template: value })).errors).toBe(0);
    },
  );

  it('the lint checks a pass together with its stored template', async () => {
    await save(offer.value);
    const pass = {
      code: 'É',
      expiry: '2020-01-01T00:00:00Z',
      backFields: [{ key: 'discount', label: 'L', value: 'V' }],
    };
    const { findings } = await lint({ pass });
    const ofPass = findings.filter((finding) => finding.in === 'pass').map(({ rule, path }) => `${rule} ${path}`);
    expect(ofPass).toEqual([
      'duplicate-key $.backFields[0].key',
      'unknown-key $.backFields[0].key',
      'front-field-left-out $.backFields[0]',
      'code-not-ascii $.code',
      'expired $.expiry',
    ]);
  });

  it('the lint of a draft finds every mistake that a save rejects, with its path, and further mistakes', async () => {
    const field = { key: 'a', label: 'A', value: 'x' };
    const draft = {
      ...event.value,
      title: '',
      startDate: 'tomorrow',
      foregroundColor: 'red',
      colour: 'red',
      fields: [field, field, { ...field, key: '_b', valeu: 'x' }],
      location: { address: 'Quay 1', latitude: 100, longitude: 0 },
    };
    const { findings, errors } = await lint({ template: draft });
    expect(findings.slice(0, errors).map(({ rule, path }) => `${rule} ${path}`)).toEqual([
      'duplicate-key $.fields[1].key',
      'reserved-key $.fields[2].key',
      'text-missing $.title',
      'colour-unreadable $.foregroundColor',
      'location-out-of-range $.location.latitude',
      'refused-property $.colour',
      'refused-property $.startDate',
      'refused-property $.fields[2].valeu',
    ]);
    await post('t', draft).expect(400);
  });

  it('the lint measures images that were uploaded or saved, but does not fetch images from other servers', async () => {
    const images = app.get(ImagesService);
    const banner = await images.store(accountId, await pngOf(600, 230), 'banner');
    const icon = 'https://elsewhere.example/icon.png';
    const gone = `http://localhost:3000/images/${accountId}/${'0'.repeat(64)}.png`;
    const { findings } = await lint({ template: { ...offer.value, banner, icon, logo: gone } });
    const ofImages = imageFindings({ findings, errors: 0, warnings: 0 });
    expect(ofImages).toEqual(['image-not-found $.logo', 'image-below-2x $.banner']);
    await save({ ...offer.value, banner });
    expect(rulesOf(await lint())).toContain('image-below-2x');
    const thumbnail = await images.store(accountId, await pngOf(100, 100), 'thumbnail');
    const pass = await lint({ template: generic.value, pass: { primaryValue: '5', thumbnail } });
    expect(pass.findings).toContainEqual(expect.objectContaining({ in: 'pass', path: '$.thumbnail' }));
  });

  it('the lint measures the images of other languages, and its findings name the language', async () => {
    const images = app.get(ImagesService);
    const logo = await images.store(accountId, await pngOf(160, 50), 'logo');
    const gone = `http://localhost:3000/images/${accountId}/${'0'.repeat(64)}.png`;
    const other = 'https://elsewhere.example/banner.png';
    const template = { ...offer.value, translations: { de: { 'images.logo': logo }, fr: { 'images.logo': logo } } };
    const small = ['de', 'fr'].map((tag) => `image-below-2x $.translations.${tag}["images.logo"]`);
    const translations = { ...template.translations, es: { 'images.logo': gone, 'images.banner': other } };
    const missing = 'image-not-found $.translations.es["images.logo"]';
    expect(imageFindings(await lint({ template: { ...template, translations } }))).toEqual([missing, ...small]);
    await save(template);
    expect(imageFindings(await lint())).toEqual(small);
  });

  it('the lint measures at most 20 images of other languages, in at most 5 seconds', async () => {
    const logo = await app.get(ImagesService).store(accountId, await pngOf(160, 50), 'logo');
    const tags = [...'abcdefghijklmnopqrstuvwxy'].map((letter) => `d${letter}`);
    const translations = Object.fromEntries(tags.map((tag) => [tag, { 'images.logo': logo }]));
    const all = imageFindings(await lint({ template: { ...offer.value, translations } }));
    expect(all.filter((finding) => finding.startsWith('image-below-2x'))).toHaveLength(20);
    const measure = jest.spyOn(app.get(ImageInspector), 'measure').mockReturnValue(new Promise(() => undefined));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const named = { type: 'offer' as const, own: {}, localised: { de: { logo }, fr: { logo } } };
      const facts = app.get(TemplateImageFacts).of(accountId, named, null);
      await jest.advanceTimersByTimeAsync(5000);
      expect(await facts).toEqual({ localised: { de: { logo: null }, fr: { logo: null } } });
    } finally {
      jest.useRealTimers();
      measure.mockRestore();
    }
  });

  it('the lint reports a banner that makes the title of an offer unreadable, for saved templates and for drafts', async () => {
    const pale = { create: { width: 1125, height: 432, channels: 3 as const, background: '#f0f0f0' } };
    const banner = await app.get(ImagesService).store(accountId, await sharp(pale).png().toBuffer(), 'banner');
    const template = { ...offer.value, foregroundColor: '#ffffff', labelColor: '#ffffff', banner };
    const found = ({ findings }: LintResponse) =>
      findings.filter(({ rule }) => rule.startsWith('banner-')).map(({ rule, path }) => `${rule} ${path}`);
    expect(found(await lint({ template }))).toEqual(['banner-hides-text $.banner']);
    await save(template);
    expect(found(await lint())).toEqual(['banner-hides-text $.banner']);
    expect(found(await lint({ template: { ...template, foregroundColor: '#000000', labelColor: null } }))).toEqual([]);
  });

  it('the lint reports artwork that makes the texts on it unreadable in any language', async () => {
    const artwork = (background: string) =>
      sharp({ create: { width: 1074, height: 1344, channels: 3, background } })
        .png()
        .toBuffer();
    const images = app.get(ImagesService);
    const pale = await images.store(accountId, await artwork('#f0f0f0'), 'artwork');
    const dark = await images.store(accountId, await artwork('#202020'), 'artwork');
    const template = {
      ...{ ...offer.value, foregroundColor: '#ffffff', labelColor: '#ffffff', artwork: dark },
      translations: { de: { 'images.artwork': pale } },
    };
    const found = ({ findings }: LintResponse) =>
      findings.filter(({ rule }) => rule.startsWith('artwork-')).map(({ rule, path }) => `${rule} ${path}`);
    const expected = ['artwork-hides-text $.translations.de["images.artwork"]'];
    expect(found(await lint({ template }))).toEqual(expected);
    await save(template);
    expect(found(await lint())).toEqual(expected);
    expect(found(await lint({ template: { ...template, artwork: pale, translations: {} } }))).toEqual([
      'artwork-hides-text $.artwork',
    ]);
    expect(found(await lint({ template: { ...template, artwork: sampleUrl('artwork'), translations: {} } }))).toEqual(
      [],
    );
  });

  it('400 validation_failed for an invalid body or for an id that cannot exist', async () => {
    for (const body of [[], { template: 3 }, { template: [] }, { pass: 'x' }, { colour: 'red' }]) {
      expect((await post('t/lint', body)).body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    }
    expect((await post('bundle/lint', {})).body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
  });

  it('404 template_not_found for an unknown template and for a template of another account', async () => {
    expect((await post('t/lint', {})).body).toMatchObject({ statusCode: 404, code: 'template_not_found' });
    await save(offer.value);
    accountId = await anAccount(app);
    expect((await post('t/lint', { pass: {} })).body).toMatchObject({ code: 'template_not_found' });
  });
});

it('lintStored returns the same findings for a stored template as a lint request', async () => {
  await save(membership.value);
  const template = await app.get(TemplatesService).get(accountId, 't');
  const alone = await app.get(TemplateLint).lintStored(template, null);
  expect(alone).toEqual((await lint()).findings);
  expect(lintRules.map(({ id }) => id)).toEqual(expect.arrayContaining(alone.map(({ rule }) => rule)));
});
