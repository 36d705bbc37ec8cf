import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { BlobStorage, withPasswrightRoutes } from '@passwright/core';
import type { MemoryStorage } from '@passwright/testing';
import sharp from 'sharp';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { imagePurposes, maxImageBytes, sampleUrl, withBaseUrl } from '@passwright/images';
import { animation, pngClaiming, pngOf, twoHalves } from '@passwright/testing/images';
import { templateExamples } from './template-examples.js';
import { TemplatesService } from './templates.service.js';
import { aMember, anAccount, as, templatesApp } from '../templates.fixtures.js';

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

const upsert = (id: string, body: object, path = '') =>
  request(server).post(`/v1/templates/${id}${path}`).set(as({ accountId })).send(body);
const read = (path: string) => request(server).get(path).set(as({ accountId }));
const offer = templateExamples.offer.value;
const failure = (statusCode: number, code: string, message?: RegExp) => ({
  statusCode,
  code,
  error: expect.any(String) as string,
  message: (message ? expect.stringMatching(message) : expect.any(String)) as string,
});

describe('saving a template', () => {
  it('200 with the requested barcode format, which is omitted for a QR code', async () => {
    const { body } = await upsert('t', { ...offer, codeFormat: 'aztec' }).expect(200);
    expect(body.codeFormat).toBe('aztec');
    expect((await read('/v1/templates/t').expect(200)).body).toEqual(body);
    expect((await upsert('t', { ...offer, codeFormat: 'qr' }).expect(200)).body).not.toHaveProperty('codeFormat');
  });

  it('200 with the times of an event as they were sent, until a save without times clears them', async () => {
    const event = templateExamples.event.value;
    const times = {
      startDate: '2027-06-21',
      endDate: '2027-06-22T20:00:00.000Z',
      doorsOpen: '2027-06-21T06:00:00.000Z',
    };
    const { body } = await upsert('t', { ...event, ...times }).expect(200);
    expect(body).toMatchObject(times);
    expect((await read('/v1/templates/t').expect(200)).body).toEqual(body);
    const stored = await app.get(TemplatesService).get(accountId, 't');
    // The day begins at midnight in Oslo.
    expect(stored).toMatchObject({ startDay: '2027-06-21', startDate: new Date('2027-06-20T22:00:00.000Z') });

    const again = await upsert('t', { ...event, ...times }).expect(200);
    expect(again.body.updatedAt).toBe(body.updatedAt);
    const cleared = (await upsert('t', event).expect(200)).body;
    expect(cleared).toMatchObject(event);
    expect(cleared).not.toHaveProperty('endDate');
    expect(cleared).not.toHaveProperty('doorsOpen');
  });

  it('200 with the translations of a template, until a save without translations clears them', async () => {
    const translations = { de: { title: 'Rabatt' }, 'pt-BR': { 'fields.discount.label': 'Desconto' } };
    const { body } = await upsert('t', { ...offer, language: 'en', translations }).expect(200);
    expect(body).toMatchObject({ language: 'en', translations });
    expect((await read('/v1/templates/t').expect(200)).body).toEqual(body);
    const again = await upsert('t', { ...offer, language: 'EN', translations: { ...translations, fr: {} } }).expect(
      200,
    );
    expect(again.headers.etag).toBe((await read('/v1/templates/t')).headers.etag);
    expect(again.body.updatedAt).toBe(body.updatedAt);

    const changed = await upsert('t', { ...offer, language: 'en', translations: { de: { title: 'Nachlass' } } });
    expect(changed.headers.etag).not.toBe(again.headers.etag);
    const cleared = (await upsert('t', offer).expect(200)).body;
    expect(cleared).not.toHaveProperty('language');
    expect(cleared).not.toHaveProperty('translations');
    // Empty translations make wallets remove theirs.
    expect(await app.get(TemplatesService).get(accountId, 't')).toMatchObject({ language: null, translations: {} });
    expect((await upsert('t', { ...offer, translations: {} }).expect(200)).body.updatedAt).toBe(cleared.updatedAt);
  });

  it('400 validation_failed for a misspelt translation key names the key that was probably meant', async () => {
    const { body } = await upsert('t', { ...offer, translations: { de: { titel: 'x' } } }).expect(400);
    expect(body).toEqual(failure(400, 'validation_failed', /translations\.de\.titel: .*did you mean "title"\?/));
  });

  it.each(Object.entries(templateExamples))(
    '200 with the example template of type %s as it was sent',
    async (type, { value }) => {
      const { body, headers } = await upsert('t', value).expect(200);
      expect(body).toEqual({
        sharingProhibited: false,
        locations: [],
        fields: [],
        backFields: [],
        ...value,
        type,
        id: 't',
        accountId,
        archived: false,
        createdAt: '2026-11-20T10:00:00.000Z',
        updatedAt: '2026-11-20T10:00:00.000Z',
      });
      expect(headers.etag).toMatch(/^"1-\w+"$/);
      const again = await read('/v1/templates/t').expect(200);
      expect(again.body).toEqual(body);
      expect(again.headers.etag).toBe(headers.etag);
    },
  );

  it('an empty change message is returned as null, and a change message that was not sent is omitted', async () => {
    const [first] = offer.fields ?? [];
    const fields = [undefined, '', null, 'Now %@'].map((changeMessage, at) => ({
      ...first,
      key: `k${at}`,
      changeMessage,
    }));
    const { body } = await upsert('t', { ...offer, fields, backFields: [] }).expect(200);
    const stored = (body as { fields: object[] }).fields.map((field) =>
      'changeMessage' in field ? field.changeMessage : 0,
    );
    expect(stored).toEqual([0, null, null, 'Now %@']);
    expect((await upsert('t', { ...offer, fields, backFields: [] })).headers.etag).toMatch(/^"1-/);
  });

  it('304 for a read with the current version of the template', async () => {
    const { headers } = await upsert('t', offer).expect(200);
    await read('/v1/templates/t').set('If-None-Match', headers.etag!).expect(304);
  });

  it('400 validation_failed for an id that cannot exist', async () => {
    for (const id of ['bundle', '-a', 'a'.repeat(65), 'a%20b', '%F0%9F%92%B3']) {
      expect((await upsert(id, offer)).body).toEqual(failure(400, 'validation_failed', /templateId/));
    }
  });

  it('400 validation_failed for a body that is not a template, without fetching its images', async () => {
    const { body } = await upsert('t', { ...offer, icon: 'http://127.0.0.1/', primaryLabel: 'x' });
    expect(body).toEqual(failure(400, 'validation_failed', /primaryLabel/));
    await upsert('t', []).expect(400);
  });

  it('400 image_invalid names the property of the image', async () => {
    expect((await upsert('t', { ...offer, banner: 'http://[::1]/x.png' })).body).toEqual(
      failure(400, 'image_invalid', /^banner: /),
    );
  });

  it('412 precondition_failed for a version that is not the current one', async () => {
    await upsert('t', offer).expect(200);
    expect((await upsert('t', offer).set('If-Match', '"0-0"')).body).toEqual(failure(412, 'precondition_failed'));
  });

  it('a user can act on an account with `?accountId=`, but only as its member', async () => {
    const other = await anAccount(app);
    const member = await aMember(app, accountId, other);
    const path = `/v1/templates/t?accountId=${other}`;
    const { body } = await request(server).post(path).set(as(member)).send(offer).expect(200);
    expect(body).toMatchObject({ accountId: other });
    expect((await request(server).post(path).set(as({ accountId })).send(offer)).body).toEqual(
      failure(403, 'forbidden'),
    );
    await request(server).post(`${path}%00`).set(as(member)).send(offer).expect(400);
  });
});

describe('listing templates', () => {
  it('200 with a page of templates', async () => {
    await upsert('t', offer).expect(200);
    const { body } = await read('/v1/templates?type=offer&archived=false&q=T&limit=1').expect(200);
    expect(body).toEqual({ data: [expect.objectContaining({ id: 't' })], nextCursor: null });
  });

  it('400 validation_failed for an invalid filter', async () => {
    for (const query of [
      'type=coupon',
      'archived=1',
      'limit=0',
      'limit=101',
      'cursor=x',
      'sort=id',
      `q=${'x'.repeat(101)}`,
    ]) {
      expect((await read(`/v1/templates?${query}`)).body).toEqual(failure(400, 'validation_failed'));
    }
  });
});

describe('archiving, un-archiving and deleting a template', () => {
  it('200 for archiving and un-archiving a template, 204 for deleting it, and then 404 for reading it', async () => {
    await upsert('t', offer).expect(200);
    expect((await upsert('t', {}, '/archive').expect(200)).body).toMatchObject({ archived: true });
    expect((await upsert('t', offer)).body).toEqual(failure(409, 'template_archived', /unarchive/));
    expect((await upsert('t', {}, '/unarchive').expect(200)).body).toMatchObject({ archived: false });
    await request(server).delete('/v1/templates/t').set(as({ accountId })).expect(204);
    expect((await read('/v1/templates/t')).body).toEqual(failure(404, 'template_not_found', /"t"/));
  });
});

describe('uploading images for a template', () => {
  const upload = (parts: Record<string, Buffer>) =>
    Object.entries(parts).reduce(
      (sent, [name, bytes]) => sent.attach(name, bytes, { filename: 'x.svg', contentType: 'image/svg+xml' }),
      request(server).post('/v1/templates/t/images').set(as({ accountId })),
    );

  it('200 with the URLs of the uploaded images, which the service serves and accepts in a template', async () => {
    const [png, jpeg, webp] = await Promise.all(
      (['png', 'jpeg', 'webp'] as const).map((format) => twoHalves().toFormat(format).toBuffer()),
    );
    const { body } = await upload({
      icon: png!,
      logo: jpeg!,
      banner: webp!,
      background: png!,
      thumbnail: jpeg!,
      artwork: webp!,
    }).expect(200);
    const urls = body as Record<string, string>;
    expect(Object.keys(urls).sort()).toEqual([...imagePurposes].sort());
    for (const [url, type] of [
      [urls.icon!, 'image/png'],
      [urls.logo!, 'image/jpeg'],
      [urls.banner!, 'image/webp'],
    ] as const) {
      const { headers, body: image } = await request(server).get(new URL(url).pathname).expect(200);
      expect(headers).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-length': String((image as Buffer).length),
      });
      expect((await sharp(image as Buffer).metadata()).width).toBe(120);
    }
    const { type: _type, ...rest } = templateExamples.generic.value;
    await upsert('t', { ...rest, type: 'generic', ...urls }).expect(200);
  });

  it('the response contains only the uploaded images, and the upload does not create a template', async () => {
    const { body } = await upload({ logo: await pngOf() }).expect(200);
    expect(Object.keys(body as object)).toEqual(['logo']);
    await read('/v1/templates/t').expect(404);
  });

  it('400 validation_failed for a part that is not a template image, a repeated image or a missing image', async () => {
    const png = await pngOf();
    expect((await upload({ photo: png })).body).toEqual(failure(400, 'validation_failed', /"photo"/));
    expect((await upload({ icon: png }).field('title', 'x')).body).toEqual(
      failure(400, 'validation_failed', /"title"/),
    );
    expect((await upload({ icon: png }).attach('icon', png, 'y.png')).body).toEqual(
      failure(400, 'validation_failed', /icon is sent twice/),
    );
    const nothing = request(server).post('/v1/templates/t/images').set(as({ accountId }));
    expect((await nothing).body).toEqual(failure(400, 'validation_failed', /no image is sent/));
    const empty = request(server)
      .post('/v1/templates/t/images')
      .set(as({ accountId }))
      .set('Content-Type', 'multipart/form-data; boundary=x');
    expect((await empty.send('--x--\r\n')).body).toEqual(failure(400, 'validation_failed', /no image is sent/));
  });

  it('400 validation_failed for a truncated body', async () => {
    const cut = request(server)
      .post('/v1/templates/t/images')
      .set(as({ accountId }))
      .set('Content-Type', 'multipart/form-data; boundary=x');
    const head = '--x\r\nContent-Disposition: form-data; name="icon"; filename="x.png"\r\n\r\nabc';
    expect((await cut.send(head)).body).toEqual(failure(400, 'validation_failed', /multipart/));
  });

  it('400 image_invalid names the part that is not a still PNG, JPEG or WebP', async () => {
    const png = await pngOf();
    const bad = [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      await animation('webp'),
      png.subarray(0, png.length - 30),
      pngClaiming(9999, 9999),
      Buffer.alloc(0),
    ];
    for (const bytes of bad) {
      expect((await upload({ logo: png, icon: bytes })).body).toEqual(
        failure(400, 'image_invalid', /^icon: the image /),
      );
    }
  });

  it('413 payload_too_large for an image over 5 MiB', async () => {
    expect((await upload({ icon: Buffer.alloc(maxImageBytes + 1) })).body).toEqual(
      failure(413, 'payload_too_large', /5 MiB/),
    );
  });

  it('415 unsupported_media_type for a body that is not a form', async () => {
    expect((await upsert('t', { icon: 'x' }, '/images')).body).toEqual(failure(415, 'unsupported_media_type'));
  });
});

describe('serving images', () => {
  it('the service serves the sample images to every caller', async () => {
    for (const purpose of imagePurposes) {
      const { body, headers } = await request(server)
        .get(new URL(sampleUrl(purpose)).pathname)
        .expect(200);
      expect(headers['content-type']).toBe('image/png');
      expect((await sharp(body as Buffer).metadata()).format).toBe('png');
    }
  });

  it('304 for a client that already has the image, and the same content length for HEAD as for GET', async () => {
    await upsert('t', offer).expect(200);
    const key = [...app.get<MemoryStorage>(BlobStorage).blobs.keys()].find((each) => each.includes(accountId));
    const { headers } = await request(server).get(`/${key}`).expect(200);
    await request(server).get(`/${key}`).set('If-None-Match', headers.etag!).expect(304);
    const head = await request(server).head(`/${key}`).expect(200);
    expect(head.headers['content-length']).toBe(headers['content-length']);
  });

  it('404 not_found for an image that does not exist, whatever its name', async () => {
    for (const path of [
      `acc/${'0'.repeat(64)}.png`,
      'acc/x.png',
      '..%2f..%2fetc/passwd',
      'acc/..%2fx',
      'samples/nothing.png',
      'samples/__proto__.png',
      'acc/%00',
    ]) {
      const { body, status } = await request(server).get(`/images/${path}`);
      expect([status, (body as { statusCode: number }).statusCode]).toEqual([status === 400 ? 400 : 404, status]);
    }
    expect((await request(server).get(`/images/acc/${'0'.repeat(64)}.png`)).body).toEqual(failure(404, 'not_found'));
  });
});

describe('the OpenAPI document', () => {
  it('the OpenAPI document describes the four types of template as a union by type, in requests and responses', () => {
    const document = withPasswrightRoutes(() => SwaggerModule.createDocument(app, new DocumentBuilder().build()));
    const { requestBody, responses, tags } = document.paths['/v1/templates/{templateId}']!.post!;
    for (const part of [requestBody, responses['200']]) {
      const { schema, examples } = (
        part as {
          content: Record<
            string,
            { schema: { oneOf: { $ref: string }[]; discriminator: { mapping: object } }; examples: object }
          >;
        }
      ).content['application/json']!;
      expect(Object.keys(schema.discriminator.mapping)).toEqual(Object.keys(templateExamples));
      expect(Object.keys(examples)).toEqual(Object.keys(templateExamples));
      for (const { $ref } of schema.oneOf) expect(document.components?.schemas).toHaveProperty($ref.split('/').pop()!);
    }
    expect(tags).toEqual(expect.arrayContaining(['templates', 'mcp']));
    expect(JSON.stringify(withBaseUrl(document, 'https://wallet.example'))).not.toContain(sampleUrl('icon'));
  });
});
