import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import sharp from 'sharp';
import { walk } from '../support/page-walk.js';
import {
  RunningService,
  templateBody,
  templateTypes,
  type Account,
  type ApiResponse,
} from '../support/running-service.js';

let service: RunningService;
let account: Account;
let other: Account;

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
  other = await service.register();
});
afterAll(() => service.stop());

const rejection = ({ status, body }: ApiResponse) => ({ status, code: body?.code });
const tag = ({ headers }: ApiResponse) => headers.get('etag') ?? '';
const path = (id: string) => `/v1/templates/${id}`;
const newId = () => randomUUID();
const event = { type: 'event', startDate: '2027-06-21T18:00:00Z' };

describe('POST /v1/templates/{templateId}', () => {
  it.each(templateTypes)('200 for a template of type %s, which is stored as it was sent', async (type) => {
    const body = {
      ...templateBody(type),
      labelColor: 'RGBA(10%, 20%, 30%, .5)',
      fields: [{ key: 'a', label: 'A "quote"', value: '🎉\nשלום' }],
      backFields: [{ key: 'b', label: 'B', value: 'https://example.com/?a=1&b=2' }],
      locations: [{ address: 'Street 1', latitude: 59.9, longitude: -10.5, relevantText: 'near' }],
      sharingProhibited: true,
      ...(type === 'event' && { location: { address: 'Hall', latitude: 1, longitude: 2 } }),
    };
    const id = newId();
    const saved = await account.post(path(id), body);
    const times = { createdAt: expect.stringMatching(/\.\d{3}Z$/), updatedAt: expect.stringMatching(/\.\d{3}Z$/) };
    expect([saved.status, saved.body]).toEqual([
      200,
      { ...body, id, accountId: account.id, archived: false, ...times },
    ]);
    const read = await account.get(path(id));
    expect([read.body, tag(read)]).toEqual([saved.body, tag(saved)]);
  });

  it('200 for a body without a type, which creates an offer', async () => {
    const reply = await account.saveTemplate('offer', newId(), { type: undefined });
    expect(reply).toMatchObject({ status: 200, body: { type: 'offer' } });
  });

  it('400 validation_failed with every error and its path', async () => {
    const { status, body } = await account.saveTemplate('event', newId(), {
      title: '',
      foregroundColor: 'blue',
      primaryLabel: 'x',
      startDate: '2026-02-30T00:00:00Z',
      fields: [{ key: 'a', label: 'A' }],
      locations: [{ address: 'x', latitude: 91, longitude: 0 }],
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' });
    for (const at of [
      'title',
      'foregroundColor',
      'primaryLabel',
      'startDate',
      'fields[0].value',
      'locations[0].latitude',
    ]) {
      expect(body.message).toContain(at);
    }
  });

  it.each<[string, object]>([
    ['five fields', { fields: ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key, label: key, value: key })) }],
    ['eleven locations', { locations: new Array(11).fill({ address: 'x', latitude: 0, longitude: 0 }) }],
    ['a key on the front and the back', { fields: [field('a')], backFields: [field('a')] }],
    ['an event that ends before it starts', { ...event, endDate: '2027-06-21T17:00:00Z' }],
    ['an action in plain http', { actions: [{ type: 'shop', url: 'http://example.com/' }] }],
    ['artwork for an event', { ...event, artwork: 'https://example.com/a.png' }],
    ['doors that open after the start', { ...event, doorsOpen: '2027-06-21T19:00:00Z' }],
    ['a property of another variant', { startDate: '2027-01-01T00:00:00Z' }],
    ['an unknown property', { colour: 'red' }],
    ['an unknown type', { type: 'voucher' }],
    ['a colour with 28 digits', { backgroundColor: `rgb(${'1'.repeat(28)}` }],
  ])('400 validation_failed for a template with %s', async (_what, changes) => {
    expect(rejection(await account.saveTemplate('offer', newId(), changes))).toEqual({
      status: 400,
      code: 'validation_failed',
    });
  });

  it.each(['bundle', '-x', '.x', 'a b', 'x'.repeat(65), 'é', 'a%2Fb'])(
    '400 validation_failed for the template id %s',
    async (id) => {
      expect(rejection(await account.saveTemplate('offer', encodeURI(id).replace('%25', '%')))).toEqual({
        status: 400,
        code: 'validation_failed',
      });
    },
  );

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:1/x.png',
    'ftp://example.com/x.png',
    'data:image/png;base64,AA',
  ])('400 image_invalid or validation_failed for the address %s, with the name of the property', async (logo) => {
    const { status, body } = await account.saveTemplate('offer', newId(), { logo });
    expect(status).toBe(400);
    expect(['image_invalid', 'validation_failed']).toContain(body.code);
    expect(body.message).toContain('logo');
  });

  it('200 for replacing a template, which clears omitted properties', async () => {
    const id = newId();
    await account.saveTemplate('offer', id, { labelColor: '#123', fields: [field('a')] });
    const replaced = await account.saveTemplate('offer', id);
    expect(replaced.body).not.toHaveProperty('labelColor');
    expect(replaced.body.fields).toEqual([]);
    const again = await account.saveTemplate('offer', id);
    expect([again.body, tag(again)]).toEqual([replaced.body, tag(replaced)]);
  });

  it('200 for ?accountId= of the caller, 403 forbidden for any other account', async () => {
    const save = (accountId: string, token = account.token) =>
      service.request('POST', `${path('elsewhere')}?accountId=${accountId}`, { token, body: templateBody('offer') });
    expect(await save(account.id)).toMatchObject({ status: 200, body: { accountId: account.id } });
    const [foreign, missing] = [await save(other.id), await save('acc_none')];
    expect(rejection(foreign)).toEqual({ status: 403, code: 'forbidden' });
    expect(missing.body).toEqual(foreign.body);
    expect(rejection(await save(other.id, await account.apiKey()))).toEqual({ status: 403, code: 'forbidden' });
    expect(await other.get(path('elsewhere'))).toMatchObject({ status: 404 });
  });

  it('409 invalid_transition for changing the type of a template with passes, 200 without passes', async () => {
    const id = newId();
    await account.saveTemplate('offer', id);
    expect(await account.saveTemplate('event', id)).toMatchObject({ status: 200, body: { type: 'event' } });
    await account.post(`/v1/pass/${id}`, {});
    expect(rejection(await account.saveTemplate('offer', id))).toEqual({ status: 409, code: 'invalid_transition' });
  });

  it('412 precondition_failed for an old If-Match, and for one of two simultaneous writers', async () => {
    const id = newId();
    const first = tag(await account.saveTemplate('offer', id));
    const write = (title: string, match: string) =>
      account.post(path(id), { ...templateBody('offer'), title }, { 'If-Match': match });
    const responses = await Promise.all(['a', 'b', 'c'].map((title) => write(title, first)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect(await write('d', tag(await account.get(path(id))))).toMatchObject({ status: 200 });
    expect(await write('e', '*')).toMatchObject({ status: 200 });
    expect(rejection(await account.post(path(newId()), templateBody('offer'), { 'If-Match': '*' }))).toEqual({
      status: 412,
      code: 'precondition_failed',
    });
  });

  it('200 for each of five simultaneous first writes of one template', async () => {
    const id = newId();
    const responses = await Promise.all(
      Array.from({ length: 5 }, (_, i) => account.saveTemplate('offer', id, { title: `Title ${i}` })),
    );
    expect(responses.map(({ status }) => status)).toEqual(new Array(5).fill(200));
    const { body } = await account.get(path(id));
    expect(responses.map((response) => response.body.title)).toContain(body.title);
  });
});

describe('GET /v1/templates/{templateId}', () => {
  it('304 without a body for a known tag, 200 after a change', async () => {
    const id = newId();
    const etag = tag(await account.saveTemplate('offer', id));
    const read = (match: string) => account.get(path(id), { 'If-None-Match': match });
    for (const match of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      expect(await read(match)).toMatchObject({ status: 304, bytes: Buffer.alloc(0) });
    }
    await account.saveTemplate('offer', id, { title: 'Winter' });
    expect(await read(etag)).toMatchObject({ status: 200, body: { title: 'Winter' } });
  });
});

describe("another account's template", () => {
  it("another account's template gets 404 on every route, and stays unchanged", async () => {
    const id = newId();
    const { body: before } = await account.saveTemplate('offer', id);
    const calls = [
      ['GET', path(id)],
      ['DELETE', path(id)],
      ['POST', `${path(id)}/archive`],
      ['POST', `${path(id)}/unarchive`],
      ['POST', `/v1/pass/${id}`],
      ['GET', `/v1/pass/${id}`],
      ['POST', `/v1/pass/${id}/ada`],
    ] as const;
    for (const [method, address] of calls) {
      const ask = (target: string) =>
        service.request(method, target, { token: other.token, ...(method === 'POST' && { body: {} }) });
      const missing = newId();
      const [foreign, none] = [await ask(address), await ask(address.replace(id, missing))];
      expect(rejection(foreign)).toEqual({ status: 404, code: 'template_not_found' });
      expect(JSON.stringify(none.body)).toBe(JSON.stringify(foreign.body).replaceAll(id, missing));
    }
    expect((await account.get(path(id))).body).toEqual(before);
    expect((await other.get('/v1/templates')).bytes.toString()).not.toContain(id);
  });
});

describe('archiving', () => {
  it('archiving voids all passes immediately; unarchiving restores those that were not voided before', async () => {
    const id = newId();
    await account.saveTemplate('offer', id);
    for (const passId of ['a', 'b']) await account.post(`/v1/pass/${id}/${passId}`, {});
    await account.post(`/v1/pass/${id}/b/void`);
    const voided = async () =>
      (await account.get(`/v1/pass/${id}`)).body.data.map((pass: { id: string; voided: boolean }) => [
        pass.id,
        pass.voided,
      ]);

    const archived = await account.post(`${path(id)}/archive`);
    expect(archived).toMatchObject({ status: 200, body: { archived: true } });
    expect(tag(await account.post(`${path(id)}/archive`))).toBe(tag(archived));
    expect(Object.fromEntries(await voided())).toEqual({ a: true, b: true });
    expect(rejection(await account.post(`/v1/pass/${id}`, {}))).toEqual({ status: 409, code: 'template_archived' });
    expect(rejection(await account.saveTemplate('offer', id))).toEqual({ status: 409, code: 'template_archived' });

    expect(await account.post(`${path(id)}/unarchive`)).toMatchObject({ status: 200, body: { archived: false } });
    expect(Object.fromEntries(await voided())).toEqual({ a: false, b: true });
    expect(await account.post(`/v1/pass/${id}`, {})).toMatchObject({ status: 201 });
  });

  it('archiving also voids passes that are created at the same moment', async () => {
    const id = newId();
    await account.saveTemplate('offer', id);
    const create = () => account.post(`/v1/pass/${id}`, {});
    const responses = await Promise.all([create(), create(), account.post(`${path(id)}/archive`), create(), create()]);
    const created = responses.filter(({ status }) => status === 201).length;
    expect(responses.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
    const { data } = (await account.get(`/v1/pass/${id}`)).body as { data: { voided: boolean }[] };
    expect(data.map(({ voided }) => voided)).toEqual(new Array(created).fill(true));
  });
});

describe('DELETE /v1/templates/{templateId}', () => {
  it('204 for a deleted template, then 404', async () => {
    const id = newId();
    const etag = tag(await account.saveTemplate('offer', id));
    expect(await account.delete(path(id))).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
    expect(rejection(await account.delete(path(id)))).toEqual({ status: 404, code: 'template_not_found' });
    await account.saveTemplate('offer', id);
    expect(await account.get(path(id), { 'If-None-Match': etag })).toMatchObject({ status: 200 });
  });

  it('409 template_in_use for deleting a template with passes, 204 after the last pass is deleted', async () => {
    const id = newId();
    await account.saveTemplate('offer', id);
    await account.post(`/v1/pass/${id}/ada`, {});
    expect(rejection(await account.delete(path(id)))).toEqual({ status: 409, code: 'template_in_use' });
    await account.delete(`/v1/pass/${id}/ada`);
    expect(await account.delete(path(id))).toMatchObject({ status: 204 });
  });
});

describe('GET /v1/templates', () => {
  it('the list of templates shows each template once, newest first, over all pages, while others are saved', async () => {
    const fresh = await service.register();
    const ids = Array.from({ length: 5 }, (_, i) => `t${i}`);
    for (const id of ids) await fresh.saveTemplate('offer', id);
    const seen = await walk(fresh, '/v1/templates?limit=2', () => fresh.saveTemplate('offer', newId()));
    expect(seen).toEqual([...ids].reverse());
  });

  it('the list of templates can be filtered by type, archived and text', async () => {
    const fresh = await service.register();
    for (const type of templateTypes) await fresh.saveTemplate(type, type, { title: `100% ${type.toUpperCase()}_` });
    await fresh.post('/v1/templates/event/archive');
    const ids = (query: string) => walk(fresh, `/v1/templates?limit=1&${query}`);
    expect(await ids('type=generic')).toEqual(['generic']);
    expect(await ids('archived=true')).toEqual(['event']);
    expect((await ids('archived=false')).sort()).toEqual(['generic', 'membership', 'offer']);
    expect(await ids('q=OFFER')).toEqual(['offer']);
    expect(await ids(`q=${encodeURIComponent('0% OFF')}`)).toEqual(['offer']);
    expect(await ids(`q=${encodeURIComponent('0_')}`)).toEqual([]);
    expect(await ids('q=e&type=event&archived=false')).toEqual([]);
  });

  it('400 validation_failed for an invalid limit, filter or cursor', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'archived=yes', 'type=voucher', 'cursor=x', 'page=2']) {
      expect([query, rejection(await account.get(`/v1/templates?${query}`))]).toEqual([
        query,
        { status: 400, code: 'validation_failed' },
      ]);
    }
  });
});

describe('POST /v1/templates/{templateId}/images', () => {
  const picture = (format: 'png' | 'jpeg' | 'webp' | 'gif') =>
    sharp({ create: { width: 120, height: 80, channels: 3, background: '#357' } })
      .withExif({ IFD0: { Copyright: 'Ada' } })
      .toFormat(format)
      .toBuffer();
  const upload = async (parts: Record<string, Buffer>) => {
    const form = new FormData();
    for (const [name, bytes] of Object.entries(parts)) form.append(name, new Blob([new Uint8Array(bytes)]), 'x.bin');
    return service.request('POST', '/v1/templates/new/images', { token: account.token, body: form });
  };

  it('200 for a PNG, JPEG or WebP, which is stored without metadata under a permanent address', async () => {
    const response = await upload({
      icon: await picture('png'),
      logo: await picture('jpeg'),
      banner: await picture('webp'),
    });
    expect([response.status, Object.keys(response.body).sort()]).toEqual([200, ['banner', 'icon', 'logo']]);
    for (const [part, format] of [
      ['icon', 'png'],
      ['logo', 'jpeg'],
      ['banner', 'webp'],
    ] as const) {
      const image = await service.request('GET', response.body[part]);
      expect(image.headers.get('content-type')).toBe(`image/${format}`);
      expect(image.headers.get('cache-control')).toContain('immutable');
      expect(await sharp(image.bytes).metadata()).toMatchObject({ format, width: 120, height: 80 });
      expect(image.bytes.includes('Ada')).toBe(false);
      const known = { headers: { 'If-None-Match': tag(image) } };
      expect(await service.request('GET', response.body[part], known)).toMatchObject({ status: 304 });
    }
    expect((await upload({ icon: await picture('png') })).body.icon).toBe(response.body.icon);
  });

  it('401 unauthorized within seconds after the key of an unfinished upload is revoked', async () => {
    const { body: key } = await account.post('/v1/auth/keys', { name: 'Shop', scopes: ['templates:write'] });
    const { hostname, port } = new URL(service.baseUrl);
    const headers = {
      Authorization: `Bearer ${key.key}`,
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': '100000',
    };
    const request = httpRequest({ hostname, port, method: 'POST', path: '/v1/templates/new/images', headers });
    const responded = once(request, 'response') as Promise<[IncomingMessage]>;
    request.write('--x\r\nContent-Disposition: form-data; name="icon"; filename="a"\r\n\r\nhalf');
    // The key is still valid when the upload begins.
    const lastUse = async () =>
      (await account.get('/v1/auth/keys')).body.data.find(({ id }: { id: string }) => id === key.id).lastUsedAt;
    while (!(await lastUse()));
    expect(await account.delete(`/v1/auth/keys/${key.id}`)).toMatchObject({ status: 204 });
    const trickle = setInterval(() => request.write('x'), 500);
    const [response] = await responded;
    clearInterval(trickle);
    expect(response.statusCode).toBe(401);
    request.on('error', () => undefined).destroy();
  });

  it('400 image_invalid for a GIF, an SVG, a text and half an image, with the name of the form field', async () => {
    const half = (await picture('png')).subarray(0, 60);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    for (const bytes of [await picture('gif'), svg, Buffer.from('not a picture'), half]) {
      const response = await upload({ icon: await picture('png'), banner: bytes });
      expect(rejection(response)).toEqual({ status: 400, code: 'image_invalid' });
      expect(response.body.message).toContain('banner');
    }
  });
});

function field(key: string) {
  return { key, label: key, value: key };
}

it('304 for a known preview page has no Content-Security-Policy header', async () => {
  const id = newId();
  await account.saveTemplate('offer', id);
  const page = await account.get(`${path(id)}/preview?format=html`);
  expect(page.headers.get('content-security-policy')).toContain('img-src data:');
  const again = await service.request('GET', `${path(id)}/preview?format=html`, {
    token: account.token,
    headers: { 'If-None-Match': tag(page) },
  });
  expect([again.status, again.headers.get('content-security-policy')]).toEqual([304, null]);
});
