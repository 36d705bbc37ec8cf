import { randomUUID } from 'node:crypto';
import { Clock } from '@passwright/core';
import { testCertificates } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { GoogleWalletWorld, objectIdOf } from '../support/google-wallet-world.js';
import { heldPass } from '../support/held-pass.js';
import { plannedCall } from '../support/own-things.js';
import type { Account } from '../support/running-service.js';

/* Causes every type of event through the routes, and fetches the events. */
let world: GoogleWalletWorld;
let account: Account;
let key: string;
let ahead = 0;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

beforeAll(async () => {
  world = await GoogleWalletWorld.start();
  jest.spyOn(world.service.app.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + ahead));
});
afterAll(() => world.stop());
beforeEach(async () => {
  ahead = 0;
  account = await world.service.register();
  key = await account.apiKey(
    ...['templates:read', 'templates:write', 'passes:read', 'passes:write', 'members:read', 'members:write'],
    ...['account:read', 'account:write'],
  );
});

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function send(method: string, path: string, body?: object, headers?: Record<string, string>) {
  const response = await world.service.request(method, path, { ...(!headers && { token: key }), body, headers });
  if (response.status >= 300)
    throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
  return response.body;
}

async function webhook(types: string[] | null = null): Promise<string> {
  return (await send('POST', '/v1/webhooks', { types })).id;
}

/**
 * Waits until at least `count` events have occurred since the webhook was created.
 * @returns the events
 */
async function reported(id: string, count: number): Promise<Event[]> {
  const events: Event[] = [];
  for (let cursor = ''; ;) {
    const wait = events.length < count ? 10 : 0;
    const page = await send('GET', `/v1/webhooks/${id}/events?limit=100&wait=${wait}${cursor && `&cursor=${cursor}`}`);
    events.push(...page.data);
    cursor = page.cursor;
    if (page.nextCursor === null && (events.length >= count || page.data.length === 0)) return events;
  }
}

const typesOf = (events: Event[]) =>
  events.map(({ type, data }) => `${type} ${String(data.passId ?? data.templateId)}`);

/** Moves the time ahead by this many days, and queues the job of this task. */
async function daysLater(days: number, task: string): Promise<void> {
  ahead += days * dayMs;
  await world.service.app.get(DataSource).query(`SELECT graphile_worker.add_job($1, '{}')`, [task]);
}

it('passes cause created, changed, voided, unvoided, redeemed, expired and deleted events that omit metadata', async () => {
  await world.template(account, 'offer');
  const id = await webhook();
  const expiry = inDays(1);
  await send('POST', '/v1/pass/offer', { id: 'ada', code: 'SECRET', metadata: { note: 'private' } });
  await send('POST', '/v1/pass/offer', { id: 'bob', expiry });
  await send('PATCH', '/v1/pass/offer/ada/metadata', { metadata: { note: 'else' } });
  const fields = [{ key: 'k', label: 'L', value: 'private' }];
  const translations = { de: { 'fields.k.value': 'private' } };
  const actions = [{ type: 'shop', url: 'https://private.example/' }];
  const linkedPasses = [{ templateId: 'offer', passId: 'bob' }];
  const relations = { group: { id: 'private-group' }, linkedPasses };
  await send('PATCH', '/v1/pass/offer/ada', {
    code: 'OTHER',
    fields,
    language: 'de',
    translations,
    actions,
    ...relations,
  });
  await send('PATCH', '/v1/pass/offer/ada', { voided: true, code: 'THIRD' });
  for (const step of ['void', 'unvoid', 'redeem']) await send('POST', `/v1/pass/offer/ada/${step}`);
  await daysLater(2, 'passes.expire');
  const events = await reported(id, 8);
  await send('DELETE', '/v1/pass/offer/ada');
  expect(typesOf(events)).toEqual([
    ...['pass.created ada', 'pass.created bob', 'pass.changed ada', 'pass.voided ada', 'pass.changed ada'],
    ...['pass.unvoided ada', 'pass.redeemed ada', 'pass.expired bob'],
  ]);
  expect(events[0]).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    type: 'pass.created',
    timestamp: time,
    data: { templateId: 'offer', passId: 'ada', voided: false, updatedAt: time },
  });
  const changed = ['code', 'fields', 'language', 'translations', 'actions', 'group', 'linkedPasses'];
  expect(events[2]!.data).toMatchObject({ changed });
  expect(events[3]!.data).toMatchObject({ voided: true });
  expect(events[6]!.data).toMatchObject({ redeemedAt: time, updatedAt: time });
  expect(events[7]!.data).toMatchObject({ expiry });
  expect(JSON.stringify(events)).not.toMatch(/private|SECRET|OTHER/);
  const all = await reported(id, 9);
  expect(all.at(-1)).toMatchObject({ type: 'pass.deleted', data: { templateId: 'offer', passId: 'ada' } });
  expect(new Set(all.map((event) => event.id)).size).toBe(9);
});

it('wallets cause installed and removed events, and count towards the daily usage', async () => {
  await world.template(account, 'offer');
  const { walletAUrl, walletBUrl } = await send('POST', '/v1/pass/offer', { id: 'ada' });
  const id = await webhook(['pass.installed', 'pass.removed']);
  const { parameters, headers } = await heldPass(world.service, walletAUrl);
  const registration = (device: string) =>
    `/v1/devices/${device}/registrations/${parameters.passTypeIdentifier}/${parameters.serialNumber}`;
  for (const device of ['phone', 'phone', 'watch']) {
    await send('POST', registration(device), { pushToken: randomUUID().replaceAll('-', '') }, headers);
  }
  await send('DELETE', registration('phone'), undefined, headers);
  const link = (await send('GET', walletBUrl)).url as string;
  world.google.callbackDeliveries = 2;
  await world.google.save(link);
  await world.google.remove(objectIdOf(link));
  const events = await reported(id, 5);
  const data = (wallet: string, installations: number) => ({
    templateId: 'offer',
    passId: 'ada',
    wallet,
    installations,
  });
  expect(events.map((event) => [event.type, event.data])).toEqual([
    ['pass.installed', data('walletA', 1)],
    ['pass.installed', data('walletA', 2)],
    ['pass.removed', data('walletA', 1)],
    ['pass.installed', data('walletB', 1)],
    ['pass.removed', data('walletB', 0)],
  ]);
  const { data: days } = await send('GET', '/v1/account/usage/days');
  expect(days.reduce((sum: number, day: { installations: number }) => sum + day.installations, 0)).toBe(3);
});

it('a template causes one event, even if many passes change with it', async () => {
  await world.template(account, 'offer');
  await send('POST', '/v1/pass/offer', { id: 'ada' });
  const id = await webhook();
  await world.template(account, 'offer', 'offer', { title: 'Winter offer' });
  await world.template(account, 'offer', 'offer', { title: 'Winter offer' });
  await send('POST', '/v1/templates/offer/archive');
  await send('PATCH', '/v1/pass/offer/ada', { code: 'X' });
  await send('POST', '/v1/templates/offer/unarchive');
  const events = await reported(id, 4);
  expect(events.map(({ type, data }) => [type, data.archived ?? data.voided])).toEqual([
    ['template.changed', false],
    ['template.archived', true],
    ['pass.changed', true],
    ['template.unarchived', false],
  ]);
});

it('members cause an event for each transition, with the effect on their pass', async () => {
  await world.template(account, 'membership', 'club');
  await send('PUT', '/v1/memberships/settings', { templateId: 'club', reminders: [] });
  const id = await webhook();
  const member = { email: `${randomUUID()}@example.com`, name: 'Ada Lovelace', expiry: inDays(3) };
  const { passId } = await send('POST', '/v1/memberships/members', member);
  const step = (name: string, body?: object) => send('POST', `/v1/memberships/members/1/${name}`, body);
  await step('activate');
  await send('PATCH', '/v1/memberships/members/1', { name: 'Ada King', data: { shoes: 42 } });
  await step('suspend');
  await step('activate');
  await step('renew', { expiry: inDays(6) });
  await send('PATCH', '/v1/memberships/members/1', { name: 'Ada Byron', expiry: inDays(7) });
  await daysLater(8, 'memberships.run-due');
  await untilNotified(id, 'member.expired');
  await step('renew', { expiry: inDays(60) });
  await step('cancel');
  await send('DELETE', '/v1/memberships/members/1');
  // The event of the pass may become readable after that of the member.
  await untilNotified(id, 'pass.deleted');
  const events = await reported(id, 1);
  const ofMember = events.filter(({ type }) => type.startsWith('member.'));
  expect(ofMember.map(({ type, data }) => [type.slice(7), data.status])).toEqual([
    ...[
      ['created', 'pending'],
      ['activated', 'active'],
      ['changed', 'active'],
      ['suspended', 'suspended'],
    ],
    ...[
      ['activated', 'active'],
      ['renewed', 'active'],
      ['renewed', 'active'],
      ['changed', 'active'],
      ['expired', 'expired'],
      ['renewed', 'active'],
    ],
    ...[
      ['cancelled', 'cancelled'],
      ['deleted', undefined],
    ],
  ]);
  expect(ofMember[0]!.data).toEqual({
    memberId: 1,
    templateId: 'club',
    passId,
    status: 'pending',
    expiry: member.expiry,
  });
  expect(ofMember[2]!.data).toMatchObject({ changed: ['name', 'data'] });
  expect(ofMember[7]!.data).toMatchObject({ changed: ['name', 'expiry'] });
  expect(typesOf(events.filter(({ type }) => /^pass\.(?:created|deleted)$/.test(type)))).toEqual([
    `pass.created ${passId}`,
    `pass.deleted ${passId}`,
  ]);
  expect(JSON.stringify(events)).not.toMatch(/\bAda\b|Lovelace|King|Byron|example|shoes/);
});

it('certificates cause an event before they expire and another one afterwards', async () => {
  const { certificatePem, privateKeyPem, intermediatePem } = testCertificates().pass({
    expiresAt: new Date(Date.now() + 20 * dayMs),
  });
  await send('PUT', '/v1/account/walletA', {
    certificate: certificatePem,
    privateKey: privateKeyPem,
    intermediate: intermediatePem,
  });
  const id = await webhook(['certificate.expiring', 'certificate.expired']);
  await daysLater(0, 'apple-certificates.notify-of-expiry');
  expect((await reported(id, 1)).map(({ type }) => type)).toEqual(['certificate.expiring']);
  await daysLater(21, 'apple-certificates.notify-of-expiry');
  const events = await reported(id, 2);
  expect(events.map(({ type }) => type)).toEqual(['certificate.expiring', 'certificate.expired']);
  expect(events[0]!.data).toEqual({
    wallet: 'walletA',
    expiresAt: time,
    fingerprint: expect.any(String),
    passTypeIdentifier: expect.stringMatching(/^pass\./),
  });
});

/** Waits until an event of this type can be fetched. */
async function untilNotified(id: string, type: string): Promise<void> {
  for (let count = 1; ; count++) {
    const events = await reported(id, count);
    if (events.some((event) => event.type === type)) return;
    if (events.length < count) throw new Error(`No ${type} came; last: ${JSON.stringify(events.at(-1))}`);
  }
}

describe('a key without the read scopes of the events', () => {
  const call = (token: string, method: string, path: string, body?: object) =>
    world.service.request(method, path, { token, body });

  it('403 forbidden for fetching events with a key that lacks their read scopes, with or without waiting', async () => {
    await world.template(account, 'offer');
    const [all, passes] = [await webhook(), await webhook(['pass.created'])];
    await send('POST', '/v1/pass/offer', { id: 'ada' });
    await reported(passes, 1);
    const [blind, reader] = [await account.apiKey('account:read'), await account.apiKey('account:read', 'passes:read')];
    const statuses = async (token: string) => {
      const paths = [all, passes].flatMap((id) => [`${id}/events`, `${id}/events?wait=1&from=now`]);
      return Promise.all(paths.map(async (path) => (await call(token, 'GET', `/v1/webhooks/${path}`)).status));
    };
    expect(await statuses(blind)).toEqual([403, 403, 403, 403]);
    expect(await statuses(reader)).toEqual([403, 403, 200, 200]);
    const rejected = await call(blind, 'GET', `/v1/webhooks/${passes}/events`);
    expect(rejected.body).toMatchObject({ code: 'forbidden', message: expect.stringContaining('passes:read') });
    expect((await call(blind, 'GET', `/v1/webhooks/whk_${'a'.repeat(22)}/events`)).status).toBe(404);
  });

  it('403 forbidden when a key without the read scopes creates, redirects or widens a webhook, or replays an event', async () => {
    await world.template(account, 'offer');
    const stored = await webhook(['pass.created']);
    await send('POST', '/v1/pass/offer', { id: 'ada' });
    const [event] = await reported(stored, 1);
    const admin = await account.apiKey('account:read', 'account:write');
    const url = 'https://example.com/hook';
    const own = await call(admin, 'POST', '/v1/webhooks', { url, types: ['certificate.expired'] });
    expect(own.status).toBe(201);
    const responses = [
      await call(admin, 'POST', '/v1/webhooks', { url, types: ['member.created'] }),
      await call(admin, 'PATCH', `/v1/webhooks/${own.body.id}`, { types: null }),
      await call(admin, 'PATCH', `/v1/webhooks/${stored}`, { url }),
      await call(admin, 'POST', `/v1/webhooks/${own.body.id}/deliveries/${event?.id}/replay`),
    ];
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual(Array(4).fill([403, 'forbidden']));
    expect((await call(admin, 'PATCH', `/v1/webhooks/${stored}`, { name: 'Renamed' })).status).toBe(200);
    const narrowed = await call(admin, 'POST', '/v1/webhooks', { url });
    expect(narrowed.body.types).toEqual(['certificate.expiring', 'certificate.expired']);
  });

  it('403 forbidden when a key narrows the types of a webhook, to send its earlier events to an own address', async () => {
    await world.template(account, 'offer');
    const since = new Date(Date.now() - 60_000).toISOString();
    const [url, own] = ['https://crm.invalid/hook', 'https://own.invalid/hook'];
    const stored: string = (await send('POST', '/v1/webhooks', { url })).id;
    await send('POST', '/v1/pass/offer', { id: 'ada' });
    await reported(stored, 1);
    const admin = await account.apiKey('account:read', 'account:write');
    const patch = (body: object) => call(admin, 'PATCH', `/v1/webhooks/${stored}`, body);
    const types = ['certificate.expired'];
    expect(await patch({ types, url: own })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await patch({ types })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await send('PATCH', `/v1/webhooks/${stored}`, { types })).types).toEqual(types);
    expect(await patch({ url: own })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const deliveries = 'UPDATE webhook_delivery SET due_at = NULL, delivered_at = now() WHERE webhook_id = $1';
    await world.service.app.get(DataSource).query(deliveries, [stored]);
    expect((await patch({ url: own })).status).toBe(200);
    const replay = (token: string) =>
      call(token, 'POST', `/v1/webhooks/${stored}/replay`, { since, status: 'delivered' });
    expect(await replay(admin)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', message: expect.stringContaining('passes:read') },
    });
    expect(await replay(key)).toMatchObject({ status: 200, body: { replayed: 1 } });
  });

  it('a key without the read scopes sees actions in the audit trail, but not the targets of the actions', async () => {
    await world.template(account, 'offer');
    await send('POST', '/v1/pass/offer', { id: 'ada' });
    await send('POST', '/v1/pass/offer/ada/void');
    const planId = await plannedCall(account, { templateId: 'offer', passId: 'ada' });
    await account.delete(`/v1/account/plans/${planId}`);
    const read = async (...scopes: string[]) => {
      const { body } = await call(await account.apiKey(...scopes), 'GET', '/v1/account/events?limit=100');
      const events = body.data as { action: string; target: { id: string | null }; before: object | null }[];
      return events
        .filter(({ action }) => /^(pass|template|plan)/.test(action))
        .map(({ action, target, before }) => [action, target.id, before]);
    };
    expect(await read('account:write')).toEqual([
      ['plan.rejected', null, null],
      ['pass.voided', null, null],
      ['template.created', null, null],
    ]);
    expect(await read('account:write', 'passes:read')).toEqual([
      ['plan.rejected', null, null],
      ['pass.voided', 'offer:ada', null],
      ['template.created', null, null],
    ]);
    expect(await read('account:write', 'passes:read', 'templates:read')).toMatchObject([
      ['plan.rejected', planId, { templateId: 'offer', passId: 'ada' }],
      ['pass.voided', 'offer:ada', null],
      ['template.created', 'offer', null],
    ]);
  });
});

it('401 unauthorized ends a long poll when its key is revoked', async () => {
  const id = await webhook(['pass.created']);
  const made = await account.post('/v1/auth/keys', { name: 'Poller', scopes: ['account:read', 'passes:read'] });
  const { id: keyId, key: token } = made.body;
  const path = `/v1/webhooks/${id}/events?from=now&wait=30`;
  const response = world.service.request('GET', path, { token });
  const used = () =>
    world.service.app
      .get(DataSource)
      .query<unknown[]>('SELECT FROM api_key WHERE id = $1 AND last_used_at IS NOT NULL', [keyId]);
  while ((await used()).length === 0);
  await account.delete(`/v1/auth/keys/${keyId}`);
  expect(await response).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
});
