import { randomUUID } from 'node:crypto';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { repeatWhileBusy } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';

/* Two nodes, because members may change on any node. */
let service: RunningService;
let other: RunningService;
let account: Account;
let key: string;

beforeAll(async () => {
  service = await RunningService.start();
  other = await RunningService.start({}, service);
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});
beforeEach(async () => {
  account = await service.register();
  key = await account.apiKey('members:read', 'members:write', 'passes:read');
});
afterEach(() => jest.restoreAllMocks());

const members = '/v1/memberships/members';
const settingsPath = '/v1/memberships/settings';
const inAYear = () => new Date(Date.now() + 365 * 86_400_000).toISOString();
const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>, node = service) =>
  node.request(method, path, { token: key, body, headers });
const setUp = (changes: object = {}) => send('PUT', settingsPath, { templateId: 'club', reminders: [], ...changes });
const person = (changes: object = {}) => ({ email: `${randomUUID()}@example.com`, name: 'Ada Lovelace', ...changes });
const make = (changes: object = {}, node = service) => send('POST', members, person(changes), undefined, node);
const step = (id: number, name: string, body?: object, node = service) =>
  send('POST', `${members}/${id}/${name}`, body, undefined, node);
const read = (id: number) => send('GET', `${members}/${id}`);
const passOf = async ({ body }: ApiResponse) =>
  (await send('GET', `/v1/pass/${body.templateId}/${body.passId}`)).body.pass;

async function club(changes: object = {}): Promise<void> {
  await account.saveTemplate('membership', 'club');
  expect(await setUp(changes)).toMatchObject({ status: 200 });
}

/** Sets the clock of both nodes. */
function at(time: Date): void {
  for (const node of [service, other]) jest.spyOn(node.app.get(Clock), 'now').mockReturnValue(time);
}

const failure = (status: number, code: string, message = /./) => ({
  status,
  body: expect.objectContaining({ code, message: expect.stringMatching(message) }),
});

describe('the settings', () => {
  it('404 not_found before settings are saved; saved settings have defaults for omitted properties', async () => {
    expect(await send('GET', settingsPath)).toMatchObject(failure(404, 'not_found', /PUT/));
    await account.saveTemplate('membership', 'club');
    const reminders = [
      { key: 'week', daysBefore: 7 },
      { key: 'month', daysBefore: 30 },
    ];
    const saved = await setUp({ reminders });
    expect(saved).toMatchObject({
      status: 200,
      body: { templateId: 'club', reminders: reminders.toReversed(), timeZone: 'UTC', noticeLabel: 'Membership' },
    });
    const again = await send('GET', settingsPath);
    expect(again.body).toEqual(saved.body);
    const etag = again.headers.get('etag') ?? '';
    expect(await send('GET', settingsPath, undefined, { 'If-None-Match': etag })).toMatchObject({ status: 304 });
    // Saving the same settings again changes nothing.
    expect((await setUp({ reminders })).headers.get('etag')).toBe(etag);
    const changed = await send(
      'PUT',
      settingsPath,
      { ...saved.body, createdAt: undefined, updatedAt: undefined, reminders: [] },
      { 'If-Match': etag },
    );
    expect(changed).toMatchObject({ status: 200, body: { reminders: [] } });
    expect(await send('PUT', settingsPath, { templateId: 'club', reminders: [] }, { 'If-Match': etag })).toMatchObject(
      failure(412, 'precondition_failed'),
    );
  });

  const wrongSettings = [
    [{ reminders: [{ key: 'a', daysBefore: 0 }] }, /reminders\[0\]\.daysBefore/],
    [{ reminders: [{ key: 'a', daysBefore: 366 }] }, /reminders\[0\]\.daysBefore/],
    [{ reminders: [{ key: 'a', daysBefore: 1.5 }] }, /reminders\[0\]\.daysBefore/],
    [{ reminders: [{ key: '', daysBefore: 1 }] }, /reminders\[0\]\.key/],
    [
      {
        reminders: [
          { key: 'a', daysBefore: 1 },
          { key: 'a', daysBefore: 2 },
        ],
      },
      /reminders\[1\]\.key is that of/,
    ],
    [
      {
        reminders: [
          { key: 'a', daysBefore: 1 },
          { key: 'b', daysBefore: 1 },
        ],
      },
      /reminders\[1\]\.daysBefore is that/,
    ],
    [{ reminders: Array.from({ length: 11 }, (_, n) => ({ key: `k${n}`, daysBefore: n + 1 })) }, /reminders/],
    [{ timeZone: 'Mars/Olympus' }, /timeZone must be the IANA name/],
    [{ timeZone: '+01:00' }, /timeZone must be the IANA name/],
    [{ noticeLabel: '' }, /noticeLabel/],
    [{ colour: 'red' }, /colour is not known here/],
    [{ templateId: 'shop' }, /"shop" is of type offer; .* membership or generic/],
    [{ templateId: 'full' }, /noticeLabel needs a front field.*set noticeLabel to null/],
  ] as const;
  it('400 validation_failed for invalid settings, such as a template of another type', async () => {
    await account.saveTemplate('membership', 'club');
    await account.saveTemplate('offer', 'shop');
    const fields = ['a', 'b', 'c', 'd'].map((name) => ({ key: name, label: name, value: name }));
    await account.saveTemplate('membership', 'full', { fields });
    for (const [changes, message] of wrongSettings) {
      expect(await setUp(changes)).toMatchObject(failure(400, 'validation_failed', message));
    }
    expect(await setUp({ templateId: 'full', noticeLabel: null })).toMatchObject({ status: 200 });
  });

  it('the settings require an unarchived template, which then cannot be deleted', async () => {
    expect(await setUp()).toMatchObject(failure(404, 'template_not_found'));
    await club();
    expect(await account.delete('/v1/templates/club')).toMatchObject(failure(409, 'template_in_use', /settings/));
    await account.post('/v1/templates/club/archive');
    expect(await setUp()).toMatchObject(failure(409, 'template_archived'));
  });

  it('409 invalid_transition for a template of the settings whose new type members cannot have', async () => {
    await club();
    const retyped = await account.saveTemplate('offer', 'club');
    expect(retyped).toMatchObject(failure(409, 'invalid_transition', /"club".*PUT \/v1\/memberships\/settings/));
    expect(await make()).toMatchObject({ status: 201, body: { templateId: 'club' } });
    await account.saveTemplate('membership', 'free');
    expect(await account.saveTemplate('offer', 'free')).toMatchObject({ status: 200, body: { type: 'offer' } });
  });

  it('changes of the settings are in the audit trail', async () => {
    await club();
    await setUp({ timeZone: 'Europe/Berlin' });
    const events = await service.app.get(Database).reads.query<object[]>(
      `SELECT action, actor_kind, before, after FROM audit_event
       WHERE account_id = $1 AND target_kind = 'membershipSettings' ORDER BY at`,
      [account.id],
    );
    expect(events).toMatchObject([
      { action: 'membership.settings_changed', actor_kind: 'apiKey' },
      {
        before: expect.objectContaining({ timeZone: 'UTC' }),
        after: expect.objectContaining({ timeZone: 'Europe/Berlin' }),
      },
    ]);
  });
});

describe('a new member', () => {
  it('a new member gets the next id, and a pass with the same name and expiry', async () => {
    await club({ timeZone: 'Europe/Berlin' });
    const expiry = '2099-12-31T23:00:00.000Z';
    const made = await make({ name: 'Zoë Ōta', email: 'zoe@example.com', expiry, data: { toString: 1 } });
    expect(made.status).toBe(201);
    const { createdAt, updatedAt, passId, links, ...rest } = made.body;
    expect(rest).toEqual({
      id: 1,
      accountId: account.id,
      templateId: 'club',
      email: 'zoe@example.com',
      name: 'Zoë Ōta',
      status: 'pending',
      data: { toString: 1 },
      expiry,
      remindersSent: {},
    });
    expect([createdAt, passId]).toEqual([updatedAt, expect.stringMatching(/^\w{22}$/)]);
    expect(await passOf(made)).toMatchObject({
      voided: true,
      expiry,
      primaryValue: 'Zoë Ōta',
      fields: [{ key: 'membership', label: 'Membership', value: expect.stringMatching(/31 December 2099/) }],
    });
    expect(await service.request('GET', links.walletAUrl)).toMatchObject({ status: 200 });
    const again = await read(1);
    expect([again.body, again.headers.get('etag')]).toEqual([made.body, made.headers.get('etag')]);
    expect((await make({ status: 'active' })).body).toMatchObject({ id: 2, status: 'active', data: {} });
  });

  it('a new member is created once per idempotency key', async () => {
    await club();
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = person();
    const responses = await Promise.all(
      [service, other, service, other].map((node) => send('POST', members, body, headers, node)),
    );
    expect(responses.map(({ status, body }) => [status, body.id])).toEqual(new Array(4).fill([201, 1]));
  });

  it('400 or 409 for a new member with an invalid body, a taken address, an archived template or no settings', async () => {
    await account.saveTemplate('membership', 'club');
    expect(await make()).toMatchObject(failure(409, 'invalid_transition', /PUT \/v1\/memberships\/settings/));
    await setUp();
    for (const [body, message] of [
      [{ email: 'x' }, /email/],
      [{ email: 'a@example.com,b@example.com' }, /email/],
      [{ name: '  ' }, /name must not be blank/],
      [{ name: 'x'.repeat(201) }, /name/],
      [{ expiry: '2020-01-01T00:00:00Z' }, /expiry must be later than now/],
      [{ status: 'expired' }, /status must be one of pending, active/],
      [{ data: [] }, /data must be a JSON object/],
      [{ data: { x: 'x'.repeat(5000) } }, /data must be a JSON object of at most 5000/],
      [{ id: 7 }, /id is not known here/],
    ] as const) {
      expect(await make(body)).toMatchObject(failure(400, 'validation_failed', message));
    }
    await make({ email: 'Ada@example.com' });
    expect(await make({ email: 'aDA@Example.com' })).toMatchObject(failure(409, 'member_exists'));
    await account.post('/v1/templates/club/archive');
    expect(await make()).toMatchObject(failure(409, 'template_archived'));
    await account.post('/v1/templates/club/unarchive');
    // The rejected members have taken no ids.
    expect((await make()).body.id).toBe(2);
  });

  it('fifty simultaneous requests on two nodes create members with ids without gaps, even if some requests fail', async () => {
    await club();
    for (let round = 0; round < 3; round++) {
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          repeatWhileBusy(() =>
            make(n % 10 === 9 ? { email: `taken${round}@example.com` } : {}, n % 2 ? other : service),
          ),
        ),
      );
      expect(responses.filter(({ status }) => status === 409)).toHaveLength(4);
      const ids = responses.flatMap(({ status, body }) => (status === 201 ? [body.id as number] : []));
      const first = round * 46 + 1;
      expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 46 }, (_, n) => first + n));
    }
    const passes = 'SELECT count(*)::int AS count FROM pass WHERE account_id = $1';
    expect(await service.app.get(Database).reads.query(passes, [account.id])).toEqual([{ count: 3 * 46 }]);
  });
});

describe('a member', () => {
  it('400, 401, 403 or 404 for reading a member with an invalid id or a wrong credential', async () => {
    await club();
    await make();
    for (const id of ['0', '-1', '1.5', '01', '1e0', '0x1', 'x', '%31%20']) {
      expect(await send('GET', `${members}/${id}`)).toMatchObject(failure(400, 'validation_failed', /memberId/));
    }
    for (const id of ['2', '2147483648', '9'.repeat(30)]) {
      expect(await send('GET', `${members}/${id}`)).toMatchObject(failure(404, 'member_not_found'));
    }
    expect(await service.request('GET', `${members}/1`)).toMatchObject(failure(401, 'unauthorized'));
    expect(await account.get(`${members}/1`)).toMatchObject(failure(403, 'api_key_required'));
    const stranger = await service.register();
    const token = await stranger.apiKey();
    const missing = await service.request('GET', `${members}/1`, { token });
    expect(missing).toMatchObject(failure(404, 'member_not_found'));
    for (const name of ['activate', 'suspend', 'cancel']) {
      expect(await service.request('POST', `${members}/1/${name}`, { token })).toMatchObject(
        failure(404, 'member_not_found'),
      );
    }
    expect(await service.request('DELETE', `${members}/1`, { token })).toMatchObject(failure(404, 'member_not_found'));
  });

  it('a merge patch changes a member and its pass, and a repetition changes nothing', async () => {
    await club();
    const made = await make({ status: 'active', data: { tier: 'gold', since: 2020 } });
    const expiry = inAYear();
    const changed = await send('PATCH', `${members}/1`, { name: 'Countess', expiry, data: { tier: null, number: 7 } });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Countess', expiry, email: made.body.email } });
    expect(changed.body.data).toEqual({ since: 2020, number: 7 });
    expect(await passOf(made)).toMatchObject({
      primaryValue: 'Countess',
      expiry,
      fields: [{ key: 'membership' }],
      voided: false,
    });
    const etag = changed.headers.get('etag') ?? '';
    expect((await send('PATCH', `${members}/1`, { name: 'Countess', data: {} })).headers.get('etag')).toBe(etag);
    expect(await send('PATCH', `${members}/1`, { name: 'X' }, { 'If-Match': '"1"' })).toMatchObject(
      failure(412, 'precondition_failed'),
    );
    const cleared = await send('PATCH', `${members}/1`, { expiry: null, data: null }, { 'If-Match': etag });
    expect(cleared.body.data).toEqual({});
    expect(cleared.body).not.toHaveProperty('expiry');
    expect(await passOf(made)).toMatchObject({ fields: [] });
  });

  it('400 or 409 for an invalid patch of a member, which changes neither the member nor the pass', async () => {
    await club();
    await make({ email: 'ada@example.com', data: { long: 'x'.repeat(4000) } });
    await make({ email: 'bob@example.com' });
    for (const [body, status, code, message] of [
      [{ email: null }, 400, 'validation_failed', /email cannot be cleared/],
      [{ name: null }, 400, 'validation_failed', /name cannot be cleared/],
      [{ status: 'active' }, 400, 'validation_failed', /status is not known here/],
      [{ data: { more: 'x'.repeat(1000) } }, 400, 'validation_failed', /data must be at most 5000 .* would be 50\d\d/],
      [{ name: 'Bob', email: 'BOB@example.com' }, 409, 'member_exists', /./],
    ] as const) {
      expect(await send('PATCH', `${members}/1`, body)).toMatchObject(failure(status, code, message));
    }
    expect((await read(1)).body.name).toBe('Ada Lovelace');
    expect(await send('PATCH', `${members}/1`, { email: 'ADA@example.com' })).toMatchObject({ status: 200 });
  });

  it('a member is deleted with its pass; its address can be used again, but not its id', async () => {
    await club();
    const made = await make({ email: 'ada@example.com' });
    expect(await send('DELETE', `${members}/1`)).toMatchObject({ status: 204 });
    expect(await read(1)).toMatchObject({ status: 404 });
    expect(await send('DELETE', `${members}/1`)).toMatchObject(failure(404, 'member_not_found'));
    expect(await passOf(made)).toBeUndefined();
    expect((await make({ email: 'ada@example.com' })).body.id).toBe(2);
  });
});

describe('the status of a member', () => {
  const voided = async (made: ApiResponse) => (await passOf(made))?.voided;

  it('409 invalid_transition for forbidden transitions of a member; allowed ones also change the pass', async () => {
    await club();
    const made = await make({ expiry: inAYear() });
    const walk = [
      ['activate', 'active', ['activate']],
      ['suspend', 'suspended', ['suspend', 'renew']],
      ['activate', 'active', []],
      ['cancel', 'cancelled', ['activate', 'suspend', 'cancel', 'renew']],
    ] as const;
    for (const [name, status, rejected] of walk) {
      expect(await step(1, name)).toMatchObject({ status: 200, body: { status } });
      expect(await voided(made)).toBe(status !== 'active');
      for (const wrong of rejected) {
        expect(await step(1, wrong, wrong === 'renew' ? { expiry: null } : undefined)).toMatchObject(
          failure(409, 'invalid_transition', new RegExp(`is ${status}`)),
        );
      }
    }
    expect(await send('PATCH', `${members}/1`, { expiry: null })).toMatchObject(failure(409, 'invalid_transition'));
    expect(await send('PATCH', `${members}/1`, { name: 'X' })).toMatchObject({ status: 200 });
    expect(await voided(made)).toBe(true);
  });

  it('every response shows a member as expired from its expiry on, and as active again after a renewal', async () => {
    await club({ reminders: [{ key: 'week', daysBefore: 7 }] });
    const expiry = inAYear();
    const first = await make({ status: 'active', expiry });
    await make({ status: 'active' });
    at(new Date(expiry));
    const expired = await read(1);
    expect(expired.body.status).toBe('expired');
    expect(expired.headers.get('etag')).not.toBe(first.headers.get('etag'));
    const statuses = async (status: string) =>
      ((await send('GET', `${members}?status=${status}`)).body.data as { id: number; status: string }[]).map(
        (member) => [member.id, member.status],
      );
    expect(await statuses('expired')).toEqual([[1, 'expired']]);
    expect(await statuses('active')).toEqual([[2, 'active']]);
    for (const name of ['activate', 'suspend'])
      expect(await step(1, name)).toMatchObject(failure(409, 'invalid_transition', /is expired.*renew/));
    const later = new Date(new Date(expiry).getTime() + 86_400_000).toISOString();
    expect(await send('PATCH', `${members}/1`, { expiry: later })).toMatchObject(
      failure(409, 'invalid_transition', /renew/),
    );
    expect(await step(1, 'renew', { expiry })).toMatchObject(failure(409, 'invalid_transition', /later than/));
    expect(await step(1, 'renew')).toMatchObject(failure(400, 'validation_failed', /expiry is required/));
    const renewed = await step(1, 'renew', { expiry: later });
    expect(renewed).toMatchObject({ status: 200, body: { status: 'active', expiry: later, remindersSent: {} } });
    expect(await passOf(first)).toMatchObject({ voided: false, expiry: later });
  });

  it('a member cannot be activated after its expiry, or while the template is archived', async () => {
    await club();
    const expiry = inAYear();
    const made = await make({ expiry });
    await account.post('/v1/templates/club/archive');
    expect(await step(1, 'activate')).toMatchObject(failure(409, 'template_archived'));
    expect(await voided(made)).toBe(true);
    await account.post('/v1/templates/club/unarchive');
    at(new Date(expiry));
    expect(await step(1, 'activate')).toMatchObject(failure(409, 'invalid_transition', /before it began/));
    await send('PATCH', `${members}/1`, { expiry: null });
    expect(await step(1, 'activate')).toMatchObject({ status: 200 });
  });

  it('activating a member whose pass is missing issues another pass under the same id', async () => {
    await club();
    const made = await make({ status: 'active' });
    const lose = () =>
      service.app
        .get(DataSource)
        .query('DELETE FROM pass WHERE account_id = $1 AND id = $2', [account.id, made.body.passId]);
    await lose();
    expect(await step(1, 'suspend')).toMatchObject({ status: 200 });
    expect(await voided(made)).toBeUndefined();
    expect(await step(1, 'activate')).toMatchObject({ status: 200, body: { passId: made.body.passId } });
    expect(await voided(made)).toBe(false);

    await lose();
    await step(1, 'suspend');
    await account.saveTemplate('membership', 'new');
    await setUp({ templateId: 'new' });
    await account.delete('/v1/templates/club');
    expect(await step(1, 'activate')).toMatchObject(failure(404, 'template_not_found'));
    expect(await step(1, 'cancel')).toMatchObject({ status: 200 });
    expect(await send('DELETE', `${members}/1`)).toMatchObject({ status: 204 });
  });

  it('simultaneous transitions on two nodes lead to one status, with which the pass agrees', async () => {
    await club();
    const made = await make({ status: 'active', expiry: inAYear() });
    for (let round = 0; round < 3; round++) {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          repeatWhileBusy(() => step(1, n % 2 ? 'suspend' : 'activate', undefined, n % 4 < 2 ? service : other)),
        ),
      );
      const codes = responses.map(({ status }) => status);
      expect(codes.filter((status) => status !== 200 && status !== 409)).toEqual([]);
      const { status } = (await read(1)).body;
      expect(['active', 'suspended']).toContain(status);
      expect(await voided(made)).toBe(status === 'suspended');
    }
    const ends = await Promise.all([
      step(1, 'cancel'),
      step(1, 'cancel', undefined, other),
      send('PATCH', `${members}/1`, { name: 'Bob' }, undefined, other),
      send('DELETE', `${members}/1`, undefined, undefined, other),
    ]);
    expect(ends.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await voided(made)).toBeUndefined();
  });

  it('the audit trail of transitions contains no names, addresses or data', async () => {
    await club();
    await make({ name: 'Secret Name', email: 'secret@example.com', data: { note: 'secret' } });
    await step(1, 'activate');
    await step(1, 'suspend');
    await send('PATCH', `${members}/1`, { name: 'Another Secret' });
    await send('DELETE', `${members}/1`);
    const rows = await service.app
      .get(Database)
      .reads.query<{ action: string; target_id: string }[]>(
        "SELECT * FROM audit_event WHERE account_id = $1 AND target_kind = 'member'",
        [account.id],
      );
    const actions = rows.map(({ action, target_id }) => [action, target_id]).sort();
    expect(actions).toEqual([
      ['member.activated', '1'],
      ['member.changed', '1'],
      ['member.created', '1'],
      ['member.deleted', '1'],
      ['member.suspended', '1'],
    ]);
    expect(JSON.stringify(rows).toLowerCase()).not.toContain('secret');
  });
});
