import { randomUUID } from 'node:crypto';
import { repeatWhileBusy } from '@passwright/testing';
import { walk } from '../support/page-walk.js';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';

let service: RunningService;
let account: Account;
let other: Account;

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
  other = await service.register();
  for (const type of ['offer', 'generic'] as const) await account.saveTemplate(type);
  await other.saveTemplate('offer');
});
afterAll(() => service.stop());

const rejection = ({ status, body }: ApiResponse) => ({ status, code: body?.code });
const tag = ({ headers }: ApiResponse) => headers.get('etag') ?? '';
const newId = () => randomUUID();
const path = (id: string, template = 'offer') => `/v1/pass/${template}/${id}`;
const field = (key: string, value = key) => ({ key, label: key, value });
const create = (body: object = {}, headers?: Record<string, string>) => account.post('/v1/pass/offer', body, headers);
const whole = {
  code: 'Ω 🎉',
  validFrom: '2026-01-01T00:00:00.000Z',
  expiry: '2031-01-01T00:00:00.000Z',
  fields: [field('a', 'line\nline'), field('b')],
  backFields: [field('c')],
  locations: [{ address: 'Street 1', latitude: 1.5, longitude: -2.5 }],
  metadata: { order: 'A-1', deep: { list: [1, null, 'x'] } },
  voided: false,
};

describe('POST /v1/pass/{templateId}', () => {
  it('201 with the pass as it was sent and with working links; a GET returns the same pass', async () => {
    const id = newId();
    const created = await create({ id, ...whole });
    const base = `http://localhost:3000`;
    const times = { createdAt: expect.stringMatching(/\.\d{3}Z$/), updatedAt: expect.stringMatching(/\.\d{3}Z$/) };
    expect([created.status, created.body]).toEqual([
      201,
      {
        pass: { id, templateId: 'offer', accountId: account.id, ...whole, ...times },
        walletAUrl: `${base}/v1/pass/${account.id}/offer/${id}/walletA`,
        walletBUrl: `${base}/v1/pass/${account.id}/offer/${id}/walletB`,
        webUrl: `${base}/p/${account.id}/offer/${id}`,
      },
    ]);
    const read = await account.get(path(id));
    expect([read.body, tag(read)]).toEqual([created.body, tag(created)]);
    expect(await service.request('GET', created.body.walletAUrl)).toMatchObject({ status: 200 });
  });

  it('201 with an unguessable id and code if the request has none', async () => {
    const passes = (await Promise.all([create(), create(), create()])).map(({ body }) => body.pass);
    const chosen = passes.flatMap(({ id, code }) => [id, code] as string[]);
    expect(new Set(chosen).size).toBe(6);
    for (const text of chosen) expect(text.replaceAll('-', '')).toMatch(/^[0-9A-Za-z]{20,}$/);
  });

  it.each<[string, object]>([
    ['an expiry before validFrom', { validFrom: '2027-01-01T00:00:00Z', expiry: '2026-01-01T00:00:00Z' }],
    ['a primary value that the template has no label for', { primaryValue: 'x' }],
    ['a thumbnail of an offer', { thumbnail: 'http://localhost:3000/images/samples/icon.png' }],
    ['more than four fields', { fields: ['a', 'b', 'c', 'd', 'e'].map((key) => field(key)) }],
    ['a key on front and back', { fields: [field('a')], backFields: [field('a')] }],
    ['eleven locations', { locations: new Array(11).fill({ address: 'x', latitude: 0, longitude: 0 }) }],
    ['the reserved id batch', { id: 'batch' }],
    ['metadata over 5000 characters', { metadata: { note: 'x'.repeat(5000) } }],
    ['an unknown property', { expires: '2027-01-01T00:00:00Z' }],
    ['an empty code', { code: '' }],
    ['a date without a zone', { expiry: '2027-01-01T00:00:00' }],
  ])('400 validation_failed for a new pass with %s', async (_what, body) => {
    expect(rejection(await create(body))).toEqual({ status: 400, code: 'validation_failed' });
  });

  it('409 pass_exists for all but one of ten simultaneous requests with the same id or code', async () => {
    for (const body of [{ id: newId() }, { code: newId() }]) {
      const responses = await Promise.all(Array.from({ length: 10 }, () => repeatWhileBusy(() => create(body))));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, ...new Array(9).fill(409)]);
      expect(responses.filter(({ body }) => body.code === 'pass_exists')).toHaveLength(9);
    }
  });

  it('403 forbidden for a new pass with a read-only key, 201 with a key that may write', async () => {
    const body = {};
    const reader = { token: await account.apiKey('passes:read'), body };
    expect(rejection(await service.request('POST', '/v1/pass/offer', reader))).toEqual({
      status: 403,
      code: 'forbidden',
    });
    const writer = { token: await account.apiKey('passes:write'), body };
    expect(await service.request('POST', '/v1/pass/offer', writer)).toMatchObject({ status: 201 });
    expect(rejection(await service.request('GET', '/v1/pass/offer', { token: writer.token }))).toMatchObject({
      status: 403,
    });
  });
});

describe('an Idempotency-Key', () => {
  it('twenty simultaneous requests with one Idempotency-Key create one pass and get byte-identical responses', async () => {
    const metadata = { marker: newId() };
    const headers = { 'Idempotency-Key': newId() };
    const request = () => create({ metadata }, headers);
    const responses = await Promise.all(Array.from({ length: 20 }, () => repeatWhileBusy(request)));
    expect(responses.map(({ status }) => status)).toEqual(new Array(20).fill(201));
    expect(new Set(responses.map(({ bytes }) => bytes.toString('hex'))).size).toBe(1);
    expect(new Set(responses.map(tag)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
    const all = await account.get('/v1/pass/offer?limit=100');
    expect(all.bytes.toString().split(metadata.marker)).toHaveLength(2);
  });

  it('409 idempotency_key_reused for another body; other routes and other callers may use the same key', async () => {
    const headers = { 'Idempotency-Key': newId() };
    await create({ metadata: { a: 1 } }, headers);
    expect(rejection(await create({ metadata: { a: 2 } }, headers))).toEqual({
      status: 409,
      code: 'idempotency_key_reused',
    });
    expect(await account.post(path(newId()), {}, headers)).toMatchObject({ status: 200 });
    expect(await other.post('/v1/pass/offer', {}, headers)).toMatchObject({ status: 201 });
  });

  it('a repeated request with the same Idempotency-Key is rejected again, even if it would now succeed', async () => {
    const [template, headers] = [newId(), { 'Idempotency-Key': newId() }];
    const first = await account.post(`/v1/pass/${template}`, {}, headers);
    expect(rejection(first)).toEqual({ status: 404, code: 'template_not_found' });
    await account.saveTemplate('offer', template);
    const again = await account.post(`/v1/pass/${template}`, {}, headers);
    expect([again.status, again.bytes.toString()]).toEqual([404, first.bytes.toString()]);
    expect(await account.post(`/v1/pass/${template}`, {}, { 'Idempotency-Key': newId() })).toMatchObject({
      status: 201,
    });
  });

  it('a repeated redemption, patch or deletion with the same Idempotency-Key returns the first response again', async () => {
    const { id } = (await create()).body.pass;
    const twice = async (send: (headers: Record<string, string>) => Promise<ApiResponse>) => {
      const headers = { 'Idempotency-Key': newId() };
      const [first, second] = [await send(headers), await send(headers)];
      expect([second.status, second.bytes.toString()]).toEqual([first.status, first.bytes.toString()]);
      return first.status;
    };
    expect(await twice((headers) => account.post(`${path(id)}/redeem`, {}, headers))).toBe(200);
    const patch = { code: newId() };
    expect(await twice((headers) => account.patch(path(id), patch, headers))).toBe(200);
    expect(await twice((headers) => account.delete(path(id), headers))).toBe(204);
  });
});

describe('POST /v1/pass/{templateId}/{passId}', () => {
  it('200 for creating and for replacing a pass; a replacement keeps the code', async () => {
    const id = newId();
    expect(await account.post(path(id), { ...whole, code: 'kept' })).toMatchObject({ status: 200 });
    const replaced = await account.post(path(id), {});
    expect(replaced.body.pass).toMatchObject({ code: 'kept', fields: [], backFields: [], locations: [], metadata: {} });
    expect(replaced.body.pass).not.toHaveProperty('expiry');
    const again = await account.post(path(id), {});
    // A repetition changes nothing, so it has no notifications.
    expect(again.body).toEqual({ ...replaced.body, notifications: { walletA: [], walletB: [], silent: [] } });
    expect(tag(again)).toBe(tag(replaced));
  });

  it('400 validation_failed if the id in the body differs from the id in the path', async () => {
    expect(rejection(await account.post(path(newId()), { id: 'another' }))).toEqual({
      status: 400,
      code: 'validation_failed',
    });
  });

  it('200 for each of ten simultaneous upserts of one pass', async () => {
    const id = newId();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => repeatWhileBusy(() => account.post(path(id), { metadata: { index } }))),
    );
    expect(responses.map(({ status }) => status)).toEqual(new Array(10).fill(200));
    expect(new Set(responses.map(({ body }) => body.pass.createdAt)).size).toBe(1);
  });
});

describe('entity tags', () => {
  it('304 for a known tag, and 200 after any change, even of metadata or the template', async () => {
    await account.saveTemplate('offer', 'tags');
    await account.post(path('ada', 'tags'), {});
    const changes: (() => Promise<ApiResponse>)[] = [
      () => account.patch(path('ada', 'tags'), { fields: [field('x')] }),
      () => account.patch(`${path('ada', 'tags')}/metadata`, { metadata: { a: 1 } }),
      () => account.post(`${path('ada', 'tags')}/void`),
      () => account.post('/v1/templates/tags/archive'),
    ];
    for (const change of changes) {
      const known = { 'If-None-Match': tag(await account.get(path('ada', 'tags'))) };
      expect(await account.get(path('ada', 'tags'), known)).toMatchObject({ status: 304, bytes: Buffer.alloc(0) });
      expect(await change()).toMatchObject({ status: 200 });
      expect(await account.get(path('ada', 'tags'), known)).toMatchObject({ status: 200 });
    }
  });

  it('412 precondition_failed for every write with an old tag, and for all but one of simultaneous writes', async () => {
    const { id } = (await create()).body.pass;
    const match = { 'If-Match': tag(await account.get(path(id))) };
    const responses = await Promise.all([
      account.patch(path(id), { code: newId() }, match),
      account.post(path(id), { code: newId() }, match),
      account.patch(`${path(id)}/metadata`, { metadata: { a: 1 } }, match),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect(responses.filter(({ body }) => body.code === 'precondition_failed')).toHaveLength(2);
  });
});

describe('PATCH /v1/pass/{templateId}/{passId}', () => {
  it('200 for a patch, which clears null properties, replaces lists and merges metadata', async () => {
    const { id } = (await create({ ...whole, code: newId() })).body.pass;
    const { status, body } = await account.patch(path(id), {
      expiry: null,
      fields: [field('z')],
      metadata: { order: null, note: 'n' },
    });
    const { expiry: _, ...rest } = whole;
    expect([status, body.pass]).toEqual([
      200,
      expect.objectContaining({
        ...rest,
        code: body.pass.code,
        fields: [field('z')],
        metadata: { deep: whole.metadata.deep, note: 'n' },
      }),
    ]);
    expect(body.pass).not.toHaveProperty('expiry');
  });

  it('200 for application/merge-patch+json, and for passes of an archived template', async () => {
    await account.saveTemplate('offer', 'patched');
    await account.post(path('ada', 'patched'), {});
    await account.post('/v1/templates/patched/archive');
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const response = await account.patch(path('ada', 'patched'), { metadata: { a: 1 } }, headers);
    expect(response).toMatchObject({ status: 200, body: { pass: { voided: true, metadata: { a: 1 } } } });
  });
});

describe('PATCH /v1/pass/{templateId}/{passId}/metadata', () => {
  it('200 for new metadata, which does not change updatedAt', async () => {
    const { pass, walletAUrl } = (await create({ metadata: { old: 1 } })).body;
    const known = { headers: { 'If-None-Match': tag(await service.request('GET', walletAUrl)) } };
    const { status, body } = await account.patch(`${path(pass.id)}/metadata`, { metadata: { secret: 'new' } });
    expect([status, body.pass]).toEqual([200, { ...pass, metadata: { secret: 'new' } }]);
    expect(await service.request('GET', walletAUrl, known)).toMatchObject({ status: 304 });
    expect((await service.request('GET', body.webUrl)).bytes.toString()).not.toContain('secret');
  });

  it('metadata may have at most 5000 characters as JSON', async () => {
    const { id } = (await create()).body.pass;
    const set = (length: number) => account.patch(`${path(id)}/metadata`, { metadata: { n: 'é'.repeat(length) } });
    expect(await set(5000 - '{"n":""}'.length)).toMatchObject({ status: 200 });
    expect(rejection(await set(5001 - '{"n":""}'.length))).toEqual({ status: 400, code: 'validation_failed' });
  });
});

describe('void, unvoid, redeem', () => {
  it('200 for void and unvoid, both repeatable', async () => {
    const { id } = (await create()).body.pass;
    for (const [step, voided] of [
      ['void', true],
      ['void', true],
      ['unvoid', false],
      ['unvoid', false],
    ] as const) {
      expect(await account.post(`${path(id)}/${step}`)).toMatchObject({ status: 200, body: { pass: { voided } } });
    }
  });

  it('200 for one of fifty simultaneous redemptions, 409 invalid_transition for the others', async () => {
    const { id } = (await create()).body.pass;
    const redeem = () => account.post(`${path(id)}/redeem`);
    const responses = await Promise.all(Array.from({ length: 50 }, () => repeatWhileBusy(redeem)));
    const redeemed = responses.filter(({ status }) => status === 200);
    expect(redeemed).toHaveLength(1);
    expect(responses.filter(({ body }) => body.code === 'invalid_transition')).toHaveLength(49);
    expect((await account.get(path(id))).body.pass.redeemedAt).toBe(redeemed[0]?.body.pass.redeemedAt);
  });

  it('409 invalid_transition for redeeming a void, expired or not yet valid pass, with the reason', async () => {
    const states: [object, RegExp][] = [
      [{ voided: true }, /voided/],
      [{ expiry: '2020-01-01T00:00:00Z' }, /expired/],
      [{ validFrom: '2999-01-01T00:00:00Z' }, /not valid before/],
    ];
    for (const [body, reason] of states) {
      const { id } = (await create(body)).body.pass;
      const response = await account.post(`${path(id)}/redeem`);
      expect(rejection(response)).toEqual({ status: 409, code: 'invalid_transition' });
      expect(response.body.message).toMatch(reason);
    }
  });
});

describe('DELETE /v1/pass/{templateId}/{passId}', () => {
  it('204 for a deletion, then 404 on every route of the pass', async () => {
    const id = newId();
    const { body, headers } = await account.post(path(id), { code: newId() });
    expect(await account.delete(path(id))).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
    expect(rejection(await account.delete(path(id)))).toEqual({ status: 404, code: 'pass_not_found' });
    for (const url of [body.walletAUrl, body.walletBUrl]) {
      expect(rejection(await service.request('GET', url))).toEqual({ status: 404, code: 'pass_not_found' });
    }
    expect(rejection(await service.request('GET', body.webUrl))).toEqual({ status: 410, code: 'pass_deleted' });
    const anew = await account.post(path(id), { code: body.pass.code });
    expect(anew.status).toBe(200);
    expect(tag(anew)).not.toBe(headers.get('etag'));
  });
});

describe("another account's pass", () => {
  it("another account's pass gets 404 on every route, and stays unchanged", async () => {
    const id = newId();
    await account.post(path(id), {});
    const { body: before } = await account.get(path(id));
    const calls: [string, string, object?][] = [
      ['GET', path(id)],
      ['PATCH', path(id), { code: 'x' }],
      ['PATCH', `${path(id)}/metadata`, { metadata: {} }],
      ['DELETE', path(id)],
      ...['void', 'unvoid', 'redeem'].map((step): [string, string] => ['POST', `${path(id)}/${step}`]),
    ];
    for (const [method, address, body] of calls) {
      const ask = (target: string) => service.request(method, target, { token: other.token, body });
      const missing = newId();
      const [foreign, none] = [await ask(address), await ask(address.replace(id, missing))];
      expect(rejection(foreign)).toEqual({ status: 404, code: 'pass_not_found' });
      expect(none.body).toEqual(JSON.parse(JSON.stringify(foreign.body).replaceAll(id, missing)));
    }
    expect((await account.get(path(id))).body).toEqual(before);
  });

  it("another account's pass is not found on public routes under a different account", async () => {
    const { id } = (await create()).body.pass;
    for (const kind of ['walletA', 'walletB']) {
      expect(rejection(await service.request('GET', `/v1/pass/${other.id}/offer/${id}/${kind}`))).toMatchObject({
        status: 404,
      });
    }
    expect(rejection(await service.request('GET', `/p/${other.id}/offer/${id}`))).toMatchObject({ status: 404 });
  });
});

describe('GET /v1/pass/{templateId}', () => {
  const fill = async (template: string, count: number, body: (index: number) => object = () => ({})) => {
    await account.saveTemplate('offer', template);
    const ids = Array.from({ length: count }, (_, index) => `p${index}`);
    for (const [index, id] of ids.entries()) await account.post(path(id, template), body(index));
    return ids;
  };

  it('the list of passes shows each pass once, newest first, over all pages, even while passes are issued and deleted', async () => {
    const ids = await fill('walked', 23);
    const seen = await walk(account, '/v1/pass/walked?limit=4', async () => {
      await Promise.all([account.post('/v1/pass/walked', {}), account.delete(path('p22', 'walked'))]);
    });
    expect(seen).toEqual([...ids].reverse());
  });

  it('the list of passes shows each pass once, even if many were issued at the same moment', async () => {
    await account.saveTemplate('offer', 'burst');
    const issue = () => account.post('/v1/pass/burst', {});
    const issued = await Promise.all(Array.from({ length: 40 }, () => repeatWhileBusy(issue)));
    const seen = await walk(account, '/v1/pass/burst?limit=3');
    expect(seen.sort()).toEqual(issued.map(({ body }) => body.pass.id as string).sort());
  });

  it('the list of passes can be filtered by voided, code, expiry and last change, over all pages', async () => {
    await fill('filtered', 6, (index) => ({
      code: `C${index}`,
      voided: index % 2 === 0,
      ...(index > 1 && { expiry: `203${9 - index}-01-01T00:00:00Z` }),
    }));
    const ids = (query: string) => walk(account, `/v1/pass/filtered?limit=1&${query}`);
    expect(await ids('voided=true')).toEqual(['p4', 'p2', 'p0']);
    expect(await ids('voided=false')).toEqual(['p5', 'p3', 'p1']);
    expect(await ids('code=C3')).toEqual(['p3']);
    expect(await ids('code=c3')).toEqual([]);
    expect(await ids('expiresBefore=2036-01-01T00:00:00Z')).toEqual(['p5', 'p4']);
    const { body } = await account.get(path('p3', 'filtered'));
    expect(await ids(`updatedSince=${body.pass.updatedAt}`)).toEqual(['p3', 'p4', 'p5']);
    expect(await ids(`updatedSince=${body.pass.updatedAt}&voided=true`)).toEqual(['p4']);
  });

  it('400 validation_failed for a cursor of another order, and for invalid filters', async () => {
    await fill('cursors', 2);
    const { body } = await account.get('/v1/pass/cursors?limit=1');
    const cursor = body.nextCursor as string;
    const queries = [
      `cursor=${cursor}&updatedSince=2020-01-01T00:00:00Z`,
      'voided=1',
      'limit=0',
      'expiresBefore=x',
      'q=a',
    ];
    for (const query of queries) {
      expect([query, rejection(await account.get(`/v1/pass/cursors?${query}`))]).toEqual([
        query,
        { status: 400, code: 'validation_failed' },
      ]);
    }
  });
});
