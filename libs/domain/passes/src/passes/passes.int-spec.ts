import { Database } from '@passwright/database';
import { repeatWhileBusy } from '@passwright/testing';
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

const failure = (statusCode: number, code: string, message: RegExp) =>
  expect.objectContaining({ statusCode, code, message: expect.stringMatching(message) });

describe('creating a pass', () => {
  it('201 with the pass, its links and its tag, but without empty optional properties', async () => {
    await account.template('offer');
    const { status, body, headers } = await account.post('offer', { id: 'ada' });

    expect(status).toBe(201);
    expect(body).toEqual({
      pass: {
        id: 'ada',
        templateId: 'offer',
        accountId: account.id,
        code: expect.stringMatching(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/),
        voided: false,
        fields: [],
        backFields: [],
        locations: [],
        metadata: {},
        createdAt: '2026-11-20T10:00:00.000Z',
        updatedAt: '2026-11-20T10:00:00.000Z',
      },
      walletAUrl: `http://passes.example/v1/pass/${account.id}/offer/ada/walletA`,
      walletBUrl: `http://passes.example/v1/pass/${account.id}/offer/ada/walletB`,
      webUrl: `http://passes.example/p/${account.id}/offer/ada`,
    });
    expect(headers.etag).toMatch(/^"1-\w{8}"$/);
    expect(headers['passwright-signing']).toBe('development');
  });

  it('the service accepts every property of a pass and returns it as it was sent', async () => {
    await account.template('generic');
    const request = {
      id: 'A.b_c-9',
      code: '多 🎉 code',
      validFrom: '2026-11-01T00:00:00.000Z',
      expiry: '2027-01-01T00:00:00.500Z',
      primaryValue: 'שלום "x"',
      fields: [{ key: 'a', label: 'A', value: 'line\nline' }],
      backFields: [{ key: 'b', label: 'B', value: '' }],
      locations: [{ address: 'Quay 1', latitude: -90, longitude: 180, relevantText: 'Here' }],
      metadata: { toString: 1, nested: { then: [null, 1e-7] } },
    };
    const { body } = await account.post('generic', request);
    const read = await account.get('generic/A.b_c-9');

    expect(body.pass).toMatchObject(request);
    expect(read.body).toEqual(body);
  });

  it('the service generates different ids and codes', async () => {
    await account.template('offer');
    const passes = await Promise.all([account.post('offer'), account.post('offer', {})]);
    expect(new Set(passes.map(({ body }) => body.pass.id)).size).toBe(2);
    expect(new Set(passes.map(({ body }) => body.pass.code)).size).toBe(2);
  });

  it('409 pass_exists for an id or a code that is taken, with its name in the error', async () => {
    await account.template('offer');
    await account.post('offer', { id: 'ada', code: 'ONE' }).expect(201);

    const sameId = await account.post('offer', { id: 'ada' }).expect(409);
    const sameCode = await account.post('offer', { code: 'ONE' }).expect(409);
    expect(sameId.body).toEqual(failure(409, 'pass_exists', /the id "ada"/));
    expect(sameCode.body).toEqual(failure(409, 'pass_exists', /the code "ONE"/));
  });

  it.each([{ id: 'ada' }, { code: 'ONE' }])(
    'only one of twenty simultaneous requests can create a pass with %j',
    async (body) => {
      await account.template('offer');
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async () => (await repeatWhileBusy(() => account.post('offer', body))).status),
      );
      expect(statuses.sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    },
  );

  it('404 template_not_found for a missing template and for a template of another account', async () => {
    await (await app.account()).template('offer');
    for (const id of ['offer', 'no%20id', '%2e%2e%2f', 'x'.repeat(300)]) {
      const { body } = await account.post(id, {}).expect(404);
      expect(body.code).toBe('template_not_found');
    }
  });

  it('409 template_archived for creating a pass from an archived template', async () => {
    await account.template('offer');
    await account.archive('offer');
    const { body } = await account.post('offer', {}).expect(409);
    expect(body.code).toBe('template_archived');
  });

  it('the service issues no pass from a template that is archived at the same moment', async () => {
    await account.template('offer');
    const creates = Array.from({ length: 20 }, () => account.post('offer', {}));
    const [issued] = await Promise.all([Promise.all(creates), account.archive('offer')]);
    const after = await account.post('offer', {});

    expect(new Set(issued.map(({ status }) => status))).not.toContain(500);
    expect(after.status).toBe(409);
    const { body } = await account.get('offer?limit=100&voided=true').expect(200);
    expect(body.data).toHaveLength(issued.filter(({ status }) => status === 201).length);
  });

  it.each([
    ['offer', { primaryValue: 'Ada' }, /^primaryValue is for generic and membership/],
    ['membership', {}, /^primaryValue is required/],
    [
      'membership',
      { primaryValue: 'A', thumbnail: 'https://x.example/a.png' },
      /^thumbnail is for generic templates only/,
    ],
    ['offer', { id: 'batch' }, /^id must be .* not "batch"/],
    ['offer', { id: '-a' }, /^id must be/],
    ['offer', { code: '' }, /^code /],
    ['offer', { code: 'a\nb' }, /^code must be a single line/],
    ['offer', { expiry: '2026-02-30T00:00:00Z' }, /^expiry must be an ISO 8601/],
    ['offer', { expiry: '9999-12-31T23:59:59-23:59' }, /^expiry must be an ISO 8601/],
    [
      'offer',
      { validFrom: '2026-11-20T10:00:00Z', expiry: '2026-11-20T10:00:00Z' },
      /^expiry must be later than validFrom/,
    ],
    ['offer', { fields: [{ key: '_x', label: 'X', value: '' }] }, /^fields\[0\]\.key must be a key/],
    ['offer', { colour: 'red' }, /^colour is not known here/],
    ['offer', { metadata: [] }, /^metadata must be a JSON object/],
  ] as const)('400 for a pass of type %s with %j', async (type, request, message) => {
    await account.template(type);
    const { body } = await account.post(type, request).expect(400);
    expect(body).toEqual(failure(400, 'validation_failed', message));
  });

  it('400 if a pass together with its template exceeds a limit', async () => {
    const field = (key: string) => ({ key, label: key, value: key });
    const place = { address: 'Quay 1', latitude: 1, longitude: 2 };
    await account.template('offer', {
      fields: ['a', 'b', 'c'].map(field),
      backFields: [field('d')],
      locations: Array(9).fill(place),
    });
    const bodies = [
      { fields: [field('e'), field('f')] },
      { fields: [field('d')] },
      { backFields: [field('a')] },
      { fields: [field('a'), field('a')] },
      { locations: [place, place] },
    ];
    for (const body of bodies) await account.post('offer', body).expect(400);
    await account.post('offer', { fields: [field('a'), field('e')], locations: [place] }).expect(201);
  });

  it('201 for a thumbnail that can be fetched, and otherwise 400 image_invalid with the thumbnail’s host', async () => {
    await account.template('generic');
    const thumbnail = await app.imageUrl(account.id, '#aabbcc');
    await account.post('generic', { primaryValue: '1', thumbnail }).expect(201);
    const gone = await account.post('generic', { primaryValue: '1', thumbnail: 'http://127.0.0.1/x.png' }).expect(400);
    expect(gone.body).toEqual(
      failure(400, 'image_invalid', /^thumbnail: the image could not be fetched: its host 127\.0\.0\.1 /),
    );
  });
});

describe('upserting a pass', () => {
  it('the first upsert creates the pass, and a second upsert replaces everything except the code', async () => {
    await account.template('membership');
    const first = await account.post('membership/ada', { primaryValue: 'Ada', metadata: { a: 1 }, voided: true });
    app.clock.advance(10);
    const second = await account.post('membership/ada', { id: 'ada', primaryValue: 'Lovelace' });

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.pass).toMatchObject({ primaryValue: 'Ada', metadata: { a: 1 }, voided: true });
    expect(second.body.pass).toEqual({
      ...first.body.pass,
      primaryValue: 'Lovelace',
      metadata: {},
      voided: false,
      updatedAt: '2026-11-20T10:00:10.000Z',
    });
  });

  it('an upsert with the content that the pass already has does not change the tag', async () => {
    await account.template('offer');
    const body = { locations: [{ address: 'Quay 1', latitude: 1, longitude: 2, name: null }] };
    const first = await account.post('offer/ada', body);
    app.clock.advance(10);
    const second = await account.post('offer/ada', body);
    expect(second.body).toEqual(first.body);
    expect(second.headers.etag).toBe(first.headers.etag);
  });

  it('the service creates one pass for twenty simultaneous upserts', async () => {
    await account.template('offer');
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => repeatWhileBusy(() => account.post('offer/ada', { code: `C${n}` }))),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const { body } = await account.get('offer');
    expect(body.data).toHaveLength(1);
  });

  it('409 pass_exists if another pass has the code', async () => {
    await account.template('offer');
    await account.post('offer/ada', { code: 'ONE' });
    await account.post('offer/bob', { code: 'TWO' });
    for (const id of ['bob', 'new']) {
      const { body } = await account.post(`offer/${id}`, { code: 'ONE' }).expect(409);
      expect(body).toEqual(failure(409, 'pass_exists', /the code "ONE"/));
    }
  });

  it('400 for an upsert with another id in the body than in the path, or with an invalid id in the path', async () => {
    await account.template('offer');
    for (const [id, body] of [
      ['ada', { id: 'bob' }],
      ['a%2Fb', {}],
      ['x'.repeat(65), {}],
    ] as const) {
      const response = await account.post(`offer/${id}`, body).expect(400);
      expect(response.body.code).toBe('validation_failed');
    }
  });

  it('409 template_archived for an upsert, even of an existing pass', async () => {
    await account.template('offer');
    await account.post('offer/ada', {});
    await account.archive('offer');
    const { body } = await account.post('offer/ada', {}).expect(409);
    expect(body.code).toBe('template_archived');
  });

  it('412 precondition_failed for an upsert with an outdated tag, or with a tag for a pass that does not exist', async () => {
    await account.template('offer');
    await account.post('offer/ada', {}).set('If-Match', '*').expect(412);
    const { headers } = await account.post('offer/ada', {});
    await account.post('offer/ada', { code: 'NEW' }).set('If-Match', headers.etag!).expect(200);
    const { body } = await account.post('offer/ada', { code: 'NEWER' }).set('If-Match', headers.etag!).expect(412);
    expect(body.code).toBe('precondition_failed');
  });
});

describe('upserting a pass that must be new', () => {
  it('412 precondition_failed for `If-None-Match: *` if the pass exists, even if it was issued at the same moment', async () => {
    await account.template('offer');
    const create = () => account.post('offer/ada', { code: 'NEW' }).set('If-None-Match', '*');
    const responses = await Promise.all([create(), create(), create()]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const { body } = await account.post('offer/ada', { code: 'NEWER' }).set('If-None-Match', '*').expect(412);
    expect(body).toEqual(failure(412, 'precondition_failed', /exists, and If-None-Match: \* may only create one/));
    expect((await account.get('offer/ada').expect(200)).body.pass.code).toBe('NEW');
  });
});

describe('reading a pass', () => {
  it('304 for the current tag of a pass, which changes if the template is archived or the pass is recreated', async () => {
    await account.template('offer');
    const { etag } = (await account.post('offer/ada', {})).headers;
    await account.get('offer/ada').set('If-None-Match', etag!).expect(304);
    await account.archive('offer');
    const archived = await account.get('offer/ada').set('If-None-Match', etag!).expect(200);
    expect(archived.body.pass.voided).toBe(true);
    await account.unarchive('offer');
    await account.delete('offer/ada').expect(204);
    await account.post('offer/ada', {});
    await account.get('offer/ada').set('If-None-Match', etag!).expect(200);
  });

  it('404 pass_not_found for a missing pass or template, a pass of another account and an invalid id', async () => {
    const other = await app.account();
    await other.template('offer');
    await other.post('offer/ada', {}).expect(200);
    for (const path of [
      'offer/ada',
      'none/ada',
      'offer/batch',
      'a%2Fb/ada',
      `offer/${'x'.repeat(500)}`,
      '%F0%9F%8E%89/a',
    ]) {
      for (const response of [account.get(path), account.patch(path.replace('batch', 'b'), {}), account.delete(path)]) {
        const { status, body } = await response;
        expect([status, body.code]).toEqual([404, 'pass_not_found']);
      }
    }
  });
});

describe('patching a pass', () => {
  it('a patch clears properties that are null, keeps absent properties, replaces lists and merges the metadata', async () => {
    await account.template('membership');
    const field = { key: 'a', label: 'A', value: '1' };
    await account.post('membership/ada', {
      code: 'ONE',
      primaryValue: 'Ada',
      expiry: '2027-01-01T00:00:00.000Z',
      fields: [field],
      metadata: { keep: 1, drop: 2, deep: { a: 1, b: 2 } },
    });
    const { body } = await account
      .patch('membership/ada', {
        expiry: null,
        fields: [{ ...field, value: '2' }],
        metadata: { drop: null, deep: { b: 3 } },
      })
      .set('Content-Type', 'application/merge-patch+json')
      .expect(200);

    expect(body.pass).toMatchObject({
      code: 'ONE',
      primaryValue: 'Ada',
      fields: [{ ...field, value: '2' }],
      metadata: { keep: 1, deep: { a: 1, b: 3 } },
    });
    expect(body.pass).not.toHaveProperty('expiry');
  });

  it('a patch that clears the code gets a new code, and a patch that clears a required value is rejected', async () => {
    await account.template('membership');
    await account.post('membership/ada', { code: 'ONE', primaryValue: 'Ada' });
    const { body } = await account.patch('membership/ada', { code: null }).expect(200);
    expect(body.pass.code).toMatch(/^.{5}-/);
    const rejected = await account.patch('membership/ada', { primaryValue: null }).expect(400);
    expect(rejected.body).toEqual(failure(400, 'validation_failed', /^primaryValue is required/));
    await account.patch('membership/ada', { id: 'bob' }).expect(400);
  });

  it('a patch with the values that the pass already has does not change the tag or updatedAt', async () => {
    await account.template('offer');
    const first = await account.post('offer/ada', { metadata: { a: 1 }, code: 'ONE' });
    app.clock.advance(10);
    const second = await account.patch('offer/ada', { code: 'ONE', voided: false, metadata: { a: 1, b: null } });
    expect(second.body).toEqual(first.body);
    expect(second.headers.etag).toBe(first.headers.etag);
  });

  it('each patch moves updatedAt by at least a second, however fast the patches follow each other', async () => {
    await account.template('offer');
    await account.post('offer/ada', { code: 'A' });
    for (const [code, second] of [
      ['B', 1],
      ['C', 2],
      ['D', 3],
    ] as const) {
      const { body } = await account.patch('offer/ada', { code });
      expect(body.pass.updatedAt).toBe(`2026-11-20T10:00:0${second}.000Z`);
    }
  });

  it('a pass that exceeds a limit because of a template change can be patched if the excess does not grow', async () => {
    const field = (key: string) => ({ key, label: key, value: key });
    await account.template('offer');
    await account.post('offer/ada', { fields: ['a', 'b', 'c', 'd'].map(field) });
    const fields = JSON.stringify([field('e')]);
    await app.get(Database).reads.query('UPDATE template SET fields = $2 WHERE account_id = $1', [account.id, fields]);

    await account.patch('offer/ada', { code: 'ONE' }).expect(200);
    await account.patch('offer/ada', { backFields: [field('a')] }).expect(400);
  });

  it('a pass of an archived template can be changed, but stays void', async () => {
    await account.template('offer');
    await account.post('offer/ada', {});
    await account.archive('offer');
    const { body } = await account.patch('offer/ada', { code: 'ONE', voided: false }).expect(200);
    expect(body.pass).toMatchObject({ code: 'ONE', voided: true });
  });

  it('a patch with several mistakes gets the first error of: missing pass, other id, invalid content, outdated tag', async () => {
    const wrong = { id: 'bob', primaryValue: null };
    const patch = (id: string, body: object) => account.patch(`membership/${id}`, body).set('If-Match', '"another"');
    await account.template('membership');
    await account.post('membership/ada', { primaryValue: 'Ada' });
    await patch('none', wrong).expect(404);
    const otherId = await patch('ada', wrong).expect(400);
    expect(otherId.body).toEqual(failure(400, 'validation_failed', /^id must be/));
    const content = await patch('ada', { primaryValue: null }).expect(400);
    expect(content.body).toEqual(failure(400, 'validation_failed', /^primaryValue is required/));
    await patch('ada', { primaryValue: 'Bob' }).expect(412);
  });

  it('a patch can keep, replace or clear the thumbnail', async () => {
    await account.template('generic');
    const [first, second] = [await app.imageUrl(account.id, '#111'), await app.imageUrl(account.id, '#222')];
    await account.post('generic/ada', { primaryValue: '1', thumbnail: first });
    const stored = async () => {
      const sql = 'SELECT thumbnail FROM pass WHERE account_id = $1';
      const [row] = await app.get(Database).reads.query<{ thumbnail: { url: string } | null }[]>(sql, [account.id]);
      return row!.thumbnail?.url;
    };
    await account.patch('generic/ada', { thumbnail: first });
    await account.patch('generic/ada', { primaryValue: '2' });
    expect(await stored()).toBe(first);
    await account.patch('generic/ada', { thumbnail: second });
    expect(await stored()).toBe(second);
    await account.patch('generic/ada', { thumbnail: null });
    expect(await stored()).toBeUndefined();
  });

  it('412 for a patch with an outdated tag, even if its thumbnail cannot be fetched', async () => {
    await account.template('generic');
    await account.post('generic/ada', { primaryValue: '1' });
    const unusable = { thumbnail: 'http://127.0.0.1/x.png' };
    await account.patch('generic/ada', unusable).set('If-Match', '"another"').expect(412);
    await account.patch('generic/ada', unusable).expect(400);
  });
});

describe('replacing the metadata of a pass', () => {
  it('replacing the metadata changes the tag of a pass, but not updatedAt', async () => {
    await account.template('offer');
    const first = await account.post('offer/ada', { metadata: { a: 1 } });
    app.clock.advance(60);
    const { body, headers } = await account.patch('offer/ada/metadata', { metadata: { b: 2 } }).expect(200);

    const { notifications: _, ...response } = first.body;
    expect(body).toEqual({ ...response, pass: { ...first.body.pass, metadata: { b: 2 } } });
    expect(headers.etag).not.toBe(first.headers.etag);
  });

  it('400 for metadata over 5000 characters or of another type, 412 for an outdated tag, 404 for a missing pass', async () => {
    await account.template('offer');
    const { headers } = await account.post('offer/ada', {});
    const ofLength = (length: number) => ({ metadata: { a: 'x'.repeat(length - 8) } });
    await account.patch('offer/ada/metadata', ofLength(5000)).expect(200);
    for (const body of [ofLength(5001), {}, { metadata: null }, { metadata: 'x' }]) {
      await account.patch('offer/ada/metadata', body).expect(400);
    }
    await account.patch('offer/ada/metadata', { metadata: {} }).set('If-Match', headers.etag!).expect(412);
    await account.patch('offer/bob/metadata', { metadata: {} }).expect(404);
  });
});

describe('deleting a pass', () => {
  it('the deletion of a pass frees the id and keeps only a tombstone without personal data', async () => {
    await account.template('membership');
    await account.post('membership/ada', { primaryValue: 'Ada', metadata: { secret: 1 } });
    await account.delete('membership/ada').expect(204);

    await account.get('membership/ada').expect(404);
    await account.delete('membership/ada').expect(404);
    const tombstones = await app
      .get(Database)
      .reads.query('SELECT * FROM deleted_pass WHERE account_id = $1', [account.id]);
    expect(tombstones).toEqual([
      {
        account_id: account.id,
        serial_number: expect.stringMatching(/^\w{22}$/),
        template_id: 'membership',
        pass_id: 'ada',
        type: 'membership',
        issuer_name: 'Sundown Coffee',
        changed_in: expect.stringMatching(/^\d+$/),
        // A deletion is dated at least a second after the previous version, like every change.
        deleted_at: new Date('2026-11-20T10:00:01.000Z'),
        created_at: new Date('2026-11-20T10:00:00.000Z'),
      },
    ]);
    await account.post('membership/ada', { primaryValue: 'Ada' }).expect(200);
  });
});

describe('an Idempotency-Key', () => {
  it('simultaneous requests with the same Idempotency-Key create one pass and get the same response', async () => {
    await account.template('offer');
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => account.post('offer', {}).set('Idempotency-Key', 'k1')),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.map(({ headers }) => headers['passwright-signing'])).toEqual(Array(5).fill('development'));
  });
});
